"""Installation by pip, without ROS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2]
PRINT_REQUIREMENTS = """
from distutils.core import run_setup
print(*run_setup("setup.py", stop_after="init").install_requires, sep="\\n")
"""
USE = """
import shlex, subprocess, sys
import milo_core, milo_sim
from milo_sim.actions import make_dispatcher
from milo_sim.session import Session

for package in (milo_core, milo_sim):
    assert package.__file__.startswith(sys.prefix), package.__file__
assert len(milo_sim.scene_names()) == 120
session = Session(make_dispatcher())
for action in ({"action": "Reset", "sceneName": "FloorPlan28"}, {"action": "MoveAhead"}):
    assert session.step(action).success
assert not {"rclpy", "ai2thor"} & set(sys.modules)
run = subprocess.run(shlex.split(milo_sim.executable()), capture_output=True, text=True)
assert run.returncode == 2 and "AI2THOR_FIFO_SERVER_PIPE_PATH is not set" in run.stderr, run
"""


def requirements(folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PRINT_REQUIREMENTS],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def copy_of(package: str, folder: Path) -> Path:
    """The package's sources without what builds left there."""
    ignored = shutil.ignore_patterns("*.egg-info", "build", "__pycache__", "test")
    shutil.copytree(SOURCES / package, folder / package, ignore=ignored)
    return folder / package


def test_milo_core_is_taken_from_the_folder_beside(tmp_path):
    root = tmp_path / "a checkout"  # the space is quoted
    for package in ("milo_core", "milo_sim"):
        (root / package).mkdir(parents=True)
        shutil.copy(SOURCES / package / "setup.py", root / package)
    beside = f"milo_core @ {(root / 'milo_core').as_uri()}"
    assert beside in requirements(root / "milo_sim")
    shutil.rmtree(root / "milo_core")
    assert "milo_core" in requirements(root / "milo_sim")


def test_gymnasium_and_ai2thor_are_extras():
    needed = " ".join(requirements(SOURCES / "milo_sim"))
    assert "numpy" in needed
    assert "gymnasium" not in needed
    assert "ai2thor" not in needed


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_pip_installs_it_alone_into_a_fresh_environment(tmp_path):
    for package in ("milo_core", "milo_sim"):
        copy_of(package, tmp_path)
    venv = tmp_path / "venv"
    keep = ("PATH", "HOME", "LANG", "PIP_", "SSL_", "REQUESTS_", "MUJOCO_GL", "XDG_")
    environment = {name: value for name, value in os.environ.items() if name.startswith(keep)}

    def run(*command, **options):
        done = subprocess.run(
            list(map(str, command)),
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "venv", venv)
    python = venv / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "./milo_sim")
    assert "ros" not in run(python, "-m", "pip", "list")
    run(python, "-c", USE)
    assert os.access(venv / "bin" / "milo-sim-player", os.X_OK)
    picture = tmp_path / "frame.png"
    drawn = subprocess.run(
        [python, "-m", "milo_sim", "--scene", "FloorPlan1", "--out", picture],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if drawn.returncode == 0:
        assert picture.read_bytes().startswith(b"\x89PNG")
    else:  # a machine without EGL and OSMesa
        assert drawn.returncode == 2, drawn.stderr
        assert drawn.stderr.count("\n") == 1
