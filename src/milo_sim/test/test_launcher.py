import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import milo_sim
from milo_sim import launcher


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache of a user"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


def test_path_is_an_executable_file_that_stays_the_same(cache):
    path = launcher.executable_path()
    assert path.parent == cache / "milo_sim"
    assert os.access(path, os.X_OK)
    written = path.stat().st_mtime_ns
    assert launcher.executable_path() == path
    assert path.stat().st_mtime_ns == written
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_executable_survives_the_controllers_splitting(cache):
    text = milo_sim.executable()
    assert shlex.split(text + " -batchmode") == [str(launcher.executable_path()), "-batchmode"]


def test_damaged_script_is_written_anew(cache):
    path = launcher.executable_path()
    good = path.read_text()
    path.write_text("#!/bin/sh\nfalse\n")
    os.chmod(path, 0o644)
    assert launcher.executable_path().read_text() == good
    assert path.stat().st_mode & stat.S_IXUSR


def test_unwritable_cache_falls_back_to_the_temporary_folder(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(launcher.tempfile, "gettempdir", lambda: str(tmp_path))
    assert launcher.executable_path().parent == tmp_path / f"milo_sim-{os.getuid()}"


def test_no_writable_folder_names_the_cure(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(launcher.tempfile, "gettempdir", lambda: str(blocked))
    with pytest.raises(launcher.LauncherError, match="XDG_CACHE_HOME"):
        launcher.executable_path()


def test_missing_package_is_named(monkeypatch, cache):
    monkeypatch.setattr(launcher, "_PACKAGES", ("milo_sim", "milo_sim_nowhere"))
    with pytest.raises(launcher.LauncherError, match="milo_sim_nowhere"):
        launcher.executable_path()


def test_runs_from_a_source_checkout_in_a_path_with_spaces(tmp_path, cache):
    """The interpreter and the imports are found from anywhere."""
    folder = tmp_path / "my checkout's copy"
    folder.mkdir()
    for package in ("milo_sim", "milo_core"):
        origin = Path(launcher._folder_of(package)) / package
        (folder / package).symlink_to(origin, target_is_directory=True)
    program = "import milo_sim; print(milo_sim.executable())"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    text = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.strip()
    assert shlex.quote(str(folder))[1:-1].split("'")[0] in Path(shlex.split(text)[0]).read_text()
    # Without pipes it says what it is for: proof that interpreter and imports were found.
    run = subprocess.run(
        shlex.split(text), capture_output=True, text=True, timeout=60, check=False, cwd="/"
    )
    assert run.returncode == 2
    assert "local_executable_path=milo_sim.executable()" in run.stderr
    assert run.stderr.count("\n") == 1
