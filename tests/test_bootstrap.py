"""What ./milo does before anything is installed: refusals, missing things, stamps, fingerprints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PYTHON = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
# Everything the set-up's checks call; nothing else is found with `bare_path`.
TOOL_NAMES = (
    "awk basename bash cat cut date df dirname env flock getconf grep mkdir mv nproc readlink rm"
    " sed setsid sha256sum sleep tail uname"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the set-up reads, with nothing installed."""
    copy = tmp_path / "checkout"
    copy.mkdir()
    for name in ("milo", "tools/bootstrap", "requirements", "msg", "launch"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / name)
    for manifest in ROOT.glob("src/*/*"):
        if manifest.is_file():
            target = copy / manifest.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(manifest, target)
    shutil.copytree(ROOT / "src/milo_benchmark/config", copy / "src/milo_benchmark/config")
    return copy


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder with the tools of a minimal system: no compiler, no Python."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOL_NAMES.split():
        found = shutil.which(tool)
        assert found is not None, tool
        (folder / tool).symlink_to(found)
    return folder


def command(folder: Path, name: str, script: str) -> None:
    """Put an executable of that name in the folder."""
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
    path.chmod(0o755)


def ros_prefix(folder: Path, *, underlay: bool = False) -> Path:
    """A folder that looks like an installed ROS 2, or like the environment ./milo itself makes."""
    (folder / "share/rclpy").mkdir(parents=True)
    (folder / "share/rclpy/package.xml").touch()
    if underlay:
        (folder / "pyvenv.cfg").touch()
    return folder


def run(
    checkout: Path, *arguments: str, path: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Call ./milo of the copy with no ROS 2 sourced."""
    search = os.environ["PATH"] if path is None else str(path)
    return subprocess.run(
        [str(checkout / "milo"), *arguments],
        env={"PATH": search, "HOME": str(checkout.parent), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def shell(checkout: Path, script: str) -> str:
    """Output of a script that has the shell functions of the copy."""
    done = subprocess.run(
        ["bash", "-euc", f'root="{checkout}"; . "$root/tools/bootstrap/common.sh"\n{script}'],
        env={"PATH": os.environ["PATH"], "HOME": str(checkout.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("system", "machine", "libc"),
    [
        ("Linux", "aarch64", "glibc 2.39"),
        ("Darwin", "arm64", ""),
        ("MINGW64_NT-10.0", "x86_64", ""),
        ("Linux", "x86_64", "glibc 2.17"),
        ("Linux", "x86_64", ""),
    ],
)
def test_a_platform_without_wheels_is_refused_with_the_way_out(
    checkout: Path, bare_path: Path, system: str, machine: str, libc: str
) -> None:
    command(bare_path, "uname", f'[ "$1" = -m ] && echo {machine} || echo {system}')
    command(bare_path, "getconf", f"echo {libc}" if libc else "exit 1")
    done = run(checkout, "setup", path=bare_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"milo: {system}")
    assert "install ROS 2 Jazzy or newer" in line
    assert "source its setup file" in line
    assert not (checkout / ".milo").exists()
    assert not (checkout / ".venv").exists()


def test_missing_compiler_is_named_with_its_package(checkout: Path, bare_path: Path) -> None:
    (bare_path / "python3.11").symlink_to(PYTHON)
    done = run(checkout, "setup", path=bare_path)
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["milo: g++ make missing: sudo apt-get install g++ make"]


def test_missing_python_is_named_with_the_ways_to_get_it(checkout: Path, bare_path: Path) -> None:
    command(bare_path, "g++", "echo 12.2.0")
    command(bare_path, "make", "true")
    done = run(checkout, "run", path=bare_path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "Python 3.11 is missing" in line
    assert "apt-get install python3.11" in line
    assert "MILO_PYTHON" in line


def test_python_without_headers_is_named(checkout: Path, bare_path: Path, tmp_path: Path) -> None:
    command(
        bare_path,
        "python3.11",
        f'case "$*" in *include*) echo {tmp_path}/none ;; *) exec {PYTHON} "$@" ;; esac',
    )
    done = run(checkout, "doctor", path=bare_path)
    assert "sudo apt-get install python3.11-dev" in done.stdout
    assert done.returncode == 1


def test_full_disk_is_refused_before_anything_is_written(checkout: Path, bare_path: Path) -> None:
    command(bare_path, "df", "printf 'head\\nfs 100 93 7 93%% /\\n'")
    (bare_path / "python3.11").symlink_to(PYTHON)
    command(bare_path, "g++", "echo 12.2.0")
    command(bare_path, "make", "true")
    done = run(checkout, "setup", path=bare_path)
    assert done.returncode == 1
    assert "only 7 MB free" in done.stderr
    assert not (checkout / ".milo").exists()


def test_folder_with_a_space_is_refused(checkout: Path) -> None:
    spaced = checkout.parent / "with space"
    checkout.rename(spaced)
    done = run(spaced, "doctor")
    assert done.returncode == 1
    assert "has a space" in done.stdout


def test_doctor_without_set_up_lists_every_check(checkout: Path, bare_path: Path) -> None:
    done = run(checkout, "doctor", path=bare_path)
    verdicts = {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()}
    assert verdicts == {
        "platform": "ok",
        "folder": "ok",
        "python": "missing",
        "compiler": "missing",
        "disk": "ok",
        "ccache": "note",
        "set-up": "note",
    }
    assert done.returncode == 1
    assert not (checkout / ".milo").exists()


@pytest.mark.parametrize("distro", ["jazzy", "kilted", "lyrical", "rolling"])
def test_a_sourced_ros_is_used_on_any_machine(
    checkout: Path, bare_path: Path, tmp_path: Path, distro: str
) -> None:
    command(bare_path, "uname", '[ "$1" = -m ] && echo aarch64 || echo Linux')
    prefix = ros_prefix(tmp_path / "ros")
    environment = {"AMENT_PREFIX_PATH": str(prefix), "ROS_DISTRO": distro, "ROS_VERSION": "2"}
    done = run(checkout, "doctor", path=bare_path, **environment)
    assert f"ROS 2 {distro} in {prefix}" in done.stdout
    assert "python3-venv" in done.stdout


@pytest.mark.parametrize("distro", ["foxy", "humble", "iron"])
def test_an_older_ros_is_named_and_not_used(checkout: Path, tmp_path: Path, distro: str) -> None:
    prefix = ros_prefix(tmp_path / "ros")
    environment = {"AMENT_PREFIX_PATH": str(prefix), "ROS_DISTRO": distro, "ROS_VERSION": "2"}
    done = run(checkout, "doctor", **environment)
    assert f"the sourced ROS 2 {distro} is older than Jazzy" in done.stdout


def test_own_environment_is_no_installed_ros(checkout: Path, tmp_path: Path) -> None:
    prefix = ros_prefix(tmp_path / "venv", underlay=True)
    done = run(checkout, "doctor", AMENT_PREFIX_PATH=str(prefix), ROS_DISTRO="kilted")
    assert "Linux x86_64" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--with", "magic"], "unknown extra magic: choose from vision llm eai robouse docs"),
        (["--with"], "--with needs the names of extras"),
        (["--fast"], "unknown option --fast"),
    ],
)
def test_wrong_options_of_setup(checkout: Path, arguments: list[str], sentence: str) -> None:
    done = run(checkout, "setup", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr


def test_help_needs_no_set_up(checkout: Path, bare_path: Path) -> None:
    for arguments in ([], ["help"], ["--help"]):
        done = run(checkout, *arguments, path=bare_path)
        assert done.returncode == 0
        for verb in ("run", "setup", "test", "doctor"):
            assert f"  {verb} " in done.stdout


@pytest.mark.parametrize(
    ("change", "builds"),
    [
        ("msg/msg/SubGoal.msg", True),
        ("msg/msg/New.msg", True),
        ("src/milo_planner/package.xml", True),
        ("src/milo_planner/setup.py", True),
        ("launch/new.launch.py", True),
        ("requirements/ros.txt", True),
        ("requirements/core.txt", False),
        ("src/milo_planner/milo_planner/new_module.py", False),
        ("docs/new.md", False),
    ],
)
def test_only_what_is_built_needs_a_build(checkout: Path, change: str, builds: bool) -> None:
    before = shell(checkout, "workspace_digest")
    assert shell(checkout, "workspace_digest") == before
    path = checkout / change
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write("# changed\n")
    assert (shell(checkout, "workspace_digest") != before) is builds


def test_a_layer_is_installed_again_when_its_requirements_change(checkout: Path) -> None:
    digests = "layer_digest core; layer_digest test; layer_digest llm"
    before = shell(checkout, digests).split()
    with (checkout / "requirements/core.txt").open("a") as file:
        file.write("# changed\n")
    after = shell(checkout, digests).split()
    assert [a == b for a, b in zip(after, before, strict=True)] == [False, True, True]


@pytest.mark.parametrize(
    "lost",
    [
        "$workspace_stamp",
        "$(layer_stamp ros)",
        "$(layer_stamp core)",
        "$state/env.sh",
        "$root/build/.milo-kind",
        "$python",
    ],
)
def test_ready_only_with_every_stage_complete(checkout: Path, lost: str) -> None:
    script = f"""
        mkdir -p "$state" "$root/build" "$venv/bin"
        touch "$state/env.sh" "$root/build/.milo-kind"
        ln -s /bin/true "$python"
        for layer in ros core; do stamp "$(layer_stamp $layer)" "$(layer_digest $layer)"; done
        stamp "$workspace_stamp" "$(workspace_digest)"
        ready core && echo ready
        rm "{lost}"
        ready core || echo not ready
    """
    assert shell(checkout, script).splitlines() == ["ready", "not ready"]


@pytest.mark.parametrize(
    ("home", "good"), [("$venv", "good"), ("/elsewhere$venv", "bad"), (None, "bad")]
)
def test_a_moved_or_incomplete_environment_is_made_anew(
    checkout: Path, home: str | None, good: str
) -> None:
    script = f"""
        . "$root/tools/bootstrap/setup.sh"
        mkdir -p "$venv/bin"
        ln -s /bin/true "$python"
        {f'stamp "$venv/.milo/home" "{home}"' if home else ""}
        environment_good && echo good || echo bad
    """
    assert shell(checkout, script) == good


def test_environment_file_keeps_a_foreign_ros_out(checkout: Path) -> None:
    script = """
        . "$root/tools/bootstrap/setup.sh"
        own_entries AMENT_PREFIX_PATH "$root/install/a:/opt/ros/humble:$root/install/a"
        own_entries PATH "/usr/bin"
        own_entries PKG_CONFIG_PATH "/usr/lib"
    """
    assert [line.strip() for line in shell(checkout, script).splitlines()] == [
        f"export AMENT_PREFIX_PATH={checkout}/install/a",
        f'export PATH={checkout}/.venv/bin"${{PATH:+:$PATH}}"',
    ]


def test_the_network_is_named_when_the_index_cannot_be_reached(
    checkout: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("error: Failed to fetch: dns error\n")
    script = f'. "$root/tools/bootstrap/setup.sh"; fail "ROS 2 wheels" {log} 2>&1 || true'
    sentence = shell(checkout, f"( {script} ) || true")
    assert "package index cannot be reached" in sentence
    assert str(log) in sentence
    assert len(sentence.splitlines()) == 1


def test_scripts_are_valid_and_ci_runs_what_people_run() -> None:
    for script in (ROOT / "milo", ROOT / ".ci/run", *ROOT.glob("tools/bootstrap/*.sh")):
        subprocess.run(["bash", "-n", str(script)], check=True)
    commands = [
        line
        for line in (ROOT / ".ci/run").read_text().splitlines()
        if line and not line.startswith(("#", "set ", "cd "))
    ]
    assert commands == ["exec ./milo test"]
    assert os.access(ROOT / "milo", os.X_OK)
    assert os.access(ROOT / ".ci/run", os.X_OK)
