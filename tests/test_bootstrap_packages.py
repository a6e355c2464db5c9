"""Manifests, locks, licences and installed files of the packages; a whole set-up (slow)."""

import ast
import importlib
import importlib.util
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = sorted(path.parent.name for path in ROOT.glob("src/*/setup.py"))
NODE_PACKAGES = {"milo_sim_bridge", "milo_planner", "milo_benchmark"}
# Import name -> key in the rosdep index, where the two differ; None: only pip has it.
ROSDEP_KEYS = {
    "ai2thor": None,
    "grpc": "python3-grpcio",
    "gymnasium": None,
    "mujoco": None,
    "msgpack": "python3-msgpack",
    "networkx": "python3-networkx",
    "numpy": "python3-numpy",
    "pydantic": "python3-pydantic",
    "rich": None,
    "scipy": "python3-scipy",
    "typer": None,
    "unified_planning": None,
    "up_aries": None,
    "PIL": "python3-pil",
    "yaml": "python3-yaml",
}
PIP_NAMES = {
    "PIL": "pillow",
    "grpc": "grpcio",
    "unified_planning": "unified-planning",
    "up_aries": "up-aries",
    "yaml": "pyyaml",
}
# Tools without ROS that play a simulator with the planner's own code: a file may import what its
# nodes must not.
OFFLINE_TOOLS = {
    "milo_benchmark": {"offline.py", "parity_play.py", "task_check.py", "task_generation.py"}
}
# The executables that the launch files and the graph description start.
EXECUTABLES = {
    "milo_sim_bridge": {"thor_bridge", "mock_robot", "check_driver", "standard_interfaces"},
    "milo_planner": {"planner", "world_model"},
    "milo_benchmark": {"milo", "orchestrator"},
}


def imports(package: str, leave_out: Collection[str] = ()) -> set[str]:
    """Top-level modules that the package's code imports, without the standard library."""
    found: set[str] = set()
    for path in (ROOT / "src" / package / package).rglob("*.py"):
        if path.name in leave_out:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {package}


def load_tool(name: str) -> ModuleType:
    """One of the scripts of tools/bootstrap as a module."""
    path = ROOT / "tools/bootstrap" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bootstrap_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("folder", ["msg", *(f"src/{name}" for name in PACKAGES)])
def test_package_xml_is_valid(folder: str) -> None:
    catkin = pytest.importorskip("catkin_pkg.package")
    warnings: list[str] = []
    package = catkin.parse_package(str(ROOT / folder), warnings=warnings)
    package.validate(warnings=warnings)
    assert warnings == []
    assert package.package_format == 3
    assert package.version == "0.1.0"
    assert package.licenses == ["Apache-2.0"]
    assert package.name == ("milo_msgs" if folder == "msg" else Path(folder).name)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_import_is_declared_for_ros_and_for_pip(name: str) -> None:
    catkin = pytest.importorskip("catkin_pkg.package")
    declared = {entry.name for entry in catkin.parse_package(str(ROOT / "src" / name)).exec_depends}
    setup = (ROOT / "src" / name / "setup.py").read_text()
    for module in imports(name):
        key = ROSDEP_KEYS.get(module, module)
        if key is not None:
            assert key in declared, f"{name} imports {module}: add {key} to package.xml"
        if module in ROSDEP_KEYS:
            assert f'"{PIP_NAMES.get(module, module)}' in setup, (
                f"{name} imports {module}: add it to setup.py"
            )


@pytest.mark.parametrize("name", PACKAGES)
def test_arrows_between_packages_point_down(name: str) -> None:
    tools = OFFLINE_TOOLS.get(name, set())
    others = {module for module in imports(name, tools) if module.startswith("milo_")}
    assert not others & NODE_PACKAGES, "node packages meet in milo_msgs only"
    if name in {"milo_core", "milo_sim"}:
        assert others <= {"milo_core"}
        assert "rclpy" not in imports(name)


@pytest.mark.parametrize("name", PACKAGES)
def test_versions_agree(name: str) -> None:
    assert importlib.import_module(name).__version__ == "0.1.0"
    assert 'version="0.1.0"' in (ROOT / "src" / name / "setup.py").read_text()
    assert (ROOT / "src" / name / "resource" / name).is_file()
    assert (ROOT / "src" / name / name / "py.typed").is_file()


@pytest.mark.parametrize(("package", "names"), EXECUTABLES.items())
def test_executables_are_installed_and_load(package: str, names: set[str]) -> None:
    scripts = {
        entry.name: entry
        for entry in metadata.distribution(package).entry_points
        if entry.group == "console_scripts"
    }
    assert names <= set(scripts)
    for entry in scripts.values():
        assert callable(entry.load())


def test_launch_files_and_profile_are_installed() -> None:
    index = pytest.importorskip("ament_index_python.packages")
    share = Path(index.get_package_share_directory("milo_benchmark"))
    wanted = {path.name for path in ROOT.glob("launch/*.launch.py")}
    assert wanted
    assert {path.name for path in (share / "launch").iterdir()} == wanted
    for name in wanted:
        assert (share / "launch" / name).read_bytes() == (ROOT / "launch" / name).read_bytes()
    assert (share / "config/fastdds.xml").is_file()


def test_fast_dds_profile_is_in_use_and_consistent() -> None:
    tree = ElementTree.parse(ROOT / "src/milo_benchmark/config/fastdds.xml")
    values = {node.tag.split("}")[1]: node.text for node in tree.iter() if node.text}
    image = 640 * 480 * 3
    assert image < int(values["maxMessageSize"]) <= int(values["segment_size"])
    # A container has 64 MB of shared memory, a graph at least four processes.
    assert 4 * int(values["segment_size"]) < 64 * 2**20
    if "MILO_ENVIRONMENT" in os.environ:
        assert Path(os.environ["FASTDDS_DEFAULT_PROFILES_FILE"]).is_file()
        assert os.environ["ROS_PYTHON_CHECK_FIELDS"] == "1"
        assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


def test_locks_hold_every_requirement_with_hashes_and_agree() -> None:
    versions: dict[str, str] = {}
    for layer in ("uv", "ros", "core", "test"):
        lock = (ROOT / "requirements" / f"{layer}.txt").read_text()
        assert "http" not in lock
        assert "index-url" not in lock
        blocks = re.findall(
            r"^([a-z0-9._-]+)==(\S+) \\\n((?:    --hash=sha256:\S+.*\n)+)", lock, re.M
        )
        assert len(blocks) == len(re.findall(r"^[a-z0-9._-]+==", lock, re.M))
        pinned = {name: version for name, version, _ in blocks}
        for name, version in pinned.items():
            assert versions.setdefault(name, version) == version, name
        for line in (ROOT / "requirements" / f"{layer}.in").read_text().splitlines():
            if line and not line.startswith("#"):
                assert re.split(r"[=<>\[]", line)[0] in pinned, line
    # colcon's develop command ends with setuptools 80.
    assert int(versions["setuptools"].split(".")[0]) < 80


def test_licence_and_notice() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text()
    notice = (ROOT / "NOTICE").read_text()
    for source in ("Naisha Shetty", "AI2-THOR", "MIT", "Apache-2.0"):
        assert source in notice


def test_relocation_replaces_foreign_paths_without_touching_the_cache(tmp_path: Path) -> None:
    relocate = load_tool("relocate")
    cached = tmp_path / "cache.cmake"
    cached.write_text(
        'set(A "/opt/python/cp311-cp311/include/python3.11")\n'
        'set(B "/opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include")\n'
    )
    prefix = tmp_path / "venv"
    target = prefix / "share/pkg/cmake/export.cmake"
    target.parent.mkdir(parents=True)
    os.link(cached, target)
    before = cached.read_text()
    assert relocate.relocate(prefix, "/here/include") == 1
    assert relocate.relocate(prefix, "/here/include") == 0
    assert 'set(A "/here/include")' in target.read_text()
    assert "/opt/python" not in target.read_text()
    assert cached.read_text() == before


def test_set_up_scripts_of_the_environment_chain(tmp_path: Path) -> None:
    load_tool("relocate").write_setup_scripts(tmp_path)
    source = f'. "{tmp_path}/setup.bash"; '
    script = source + source + 'printf "%s|%s" "$AMENT_PREFIX_PATH" "$PATH"'
    done = subprocess.run(
        ["bash", "-euc", script],
        env={"PATH": "/usr/bin:/bin", "AMENT_PREFIX_PATH": "/opt/other"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{tmp_path}:/opt/other|{tmp_path}/bin:/usr/bin:/bin"


def test_doctor_says_how_to_get_more_shared_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    doctor = load_tool("doctor")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: (64 * 2**20, 0, 5 * 2**20))
    with pytest.raises(doctor.Missing, match=r"only 5 MB are free .* --shm-size"):
        doctor.check_shared_memory()


def up_to_date() -> bool:
    """Whether this checkout is set up, so that ./milo has nothing to do."""
    script = f'root="{ROOT}"; . "$root/tools/bootstrap/common.sh"; ready core'
    return subprocess.run(["bash", "-uc", script], check=False).returncode == 0


def test_nothing_to_do_costs_almost_nothing() -> None:
    if not up_to_date():
        pytest.skip("this checkout is not set up by ./milo")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(ROOT / "milo"), "setup"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < 0.5


@pytest.mark.graph
def test_doctor_finds_nothing_missing_on_a_machine_that_runs_the_tests(ros_domain: int) -> None:
    if not up_to_date():
        pytest.skip("this checkout is not set up by ./milo")
    done = subprocess.run(
        [str(ROOT / "milo"), "doctor"],
        env={**os.environ, "ROS_DOMAIN_ID": str(ros_domain)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    names = [line.split()[1] for line in done.stdout.splitlines()]
    assert names[-8:-4] == ["memory", "discovery", "player", "images"]
    assert names[-4:] == ["vulkan", "display", "unity-build", "unity-disk"]
    assert "missing" not in {line.split()[0] for line in done.stdout.splitlines()}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_fresh_clone_sets_itself_up_after_an_interruption(tmp_path: Path) -> None:
    """The committed files, set up, interrupted by Ctrl-C, are ready after the second start."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(
            ("MILO_", "ROS_", "AMENT_", "COLCON_", "PYTHON", "VIRTUAL_ENV", "_ROS")
        )
    }
    first = subprocess.Popen(
        [str(clone / "milo"), "setup"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert first.stderr is not None
    for line in first.stderr:
        if "ROS 2 wheels" in line or "Python packages: core" in line:
            break
    os.killpg(first.pid, signal.SIGINT)
    rest = first.stderr.read()
    assert first.wait(timeout=20) == 130
    assert "goes on from here" in rest
    second = subprocess.run(
        [str(clone / "milo"), "setup"], env=environment, capture_output=True, text=True, check=False
    )
    assert second.returncode == 0, second.stderr
    assert "Python environment" not in second.stderr
    listing = subprocess.run(
        [str(clone / "milo"), "commands"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert listing.returncode == 0, listing.stderr
    assert "run" in listing.stdout
    shutil.rmtree(clone)
