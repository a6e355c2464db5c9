"""The executable file that ``ai2thor.Controller`` starts instead of Unity.

The Controller starts a file by path, without the interpreter and the import paths of the calling
program. A small shell script therefore carries both. It is written once per installation into the
user's cache folder, under a name made from its content, so installed packages, symlinked
workspaces and source checkouts never share one. Site packages are named by path instead of being
searched by ``site``: the player needs four packages, and their start-up hooks cost more than it.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from milo_sim.errors import SceneFileError

_PACKAGES = ("milo_sim", "milo_core", "numpy", "msgpack")
_IMAGE_PACKAGES = ("mujoco",)
"""Needed for images only."""
_SCENE_FILE_PACKAGES = (
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
)
"""Needed for scenes of one's own only."""
_SCRIPT = """\
#!/bin/sh
# Player of milo_sim, written by milo_sim.executable(). Safe to delete.
PYTHONPATH={path}
MILO_SIM_PARENT_PID=$PPID
OPENBLAS_NUM_THREADS=1
OMP_NUM_THREADS=1
export PYTHONPATH MILO_SIM_PARENT_PID OPENBLAS_NUM_THREADS OMP_NUM_THREADS
{scenes}unset PYTHONHOME PYTHONSTARTUP PYTHONINSPECT
exec {python} -P -S -m milo_sim "$@"
"""
_SCENES = """\
MILO_SIM_SCENES={scenes}${{MILO_SIM_SCENES:+{separator}$MILO_SIM_SCENES}}
export MILO_SIM_SCENES
"""


class LauncherError(RuntimeError):
    """The player's executable file cannot be made; the message says the cure."""


def executable_path(scenes: Iterable[str | os.PathLike[str]] = ()) -> Path:
    """Path of the player's executable file, which is made if it is not there yet.

    Args:
        scenes: Scene files of one's own, or folders of them, that ``Controller.reset`` shall take.

    Raises:
        LauncherError: A package is missing or no folder can be written.
        SceneFileError: One of the scenes cannot be used.
    """
    script = _script(_listed(scenes))
    name = f"milo-sim-player-{hashlib.sha256(script.encode()).hexdigest()[:16]}"
    problems = []
    for folder in _folders():
        try:
            return _write(folder, name, script)
        except OSError as error:
            problems.append(str(error))
    raise LauncherError(
        f"The player's start script cannot be written ({'; '.join(problems)});"
        " set XDG_CACHE_HOME to a folder that can be written."
    )


def executable(scenes: Iterable[str | os.PathLike[str]] = ()) -> str:
    """``local_executable_path`` for ``ai2thor.Controller``.

    The Controller splits this text like a shell, so a path with spaces comes quoted; use
    :func:`executable_path` to start the player yourself. Arguments and errors are those of
    :func:`executable_path`.
    """
    return shlex.quote(str(executable_path(scenes)))


def _listed(scenes: Iterable[str | os.PathLike[str]]) -> str:
    """The value of MILO_SIM_SCENES for scenes that were checked: as given, and absolute."""
    given = [scenes] if isinstance(scenes, str | os.PathLike) else scenes
    entries = [os.fspath(scene) for scene in given]
    for entry in entries:
        _check_scenes(entry)
    paths = [os.path.abspath(os.path.expanduser(entry)) for entry in entries]
    both = list(dict.fromkeys([*entries, *paths]))
    if any(os.pathsep in entry for entry in both):
        raise LauncherError(f"A scene file cannot have {os.pathsep!r} in its path; move it.")
    return os.pathsep.join(both)


def _check_scenes(entry: str) -> None:
    from milo_sim.scene import OWN_SUFFIX
    from milo_sim.scene_file import load_scene_file

    path = Path(entry).expanduser()
    if path.is_dir():
        files = sorted(path.glob("*" + OWN_SUFFIX))
        if not files:
            raise SceneFileError(f"Folder {entry} holds no scene files (*{OWN_SUFFIX}).")
    elif entry.endswith(OWN_SUFFIX):
        files = [path]
    else:
        raise SceneFileError(f"{entry} is neither a scene file (*{OWN_SUFFIX}) nor a folder.")
    for file in files:
        load_scene_file(file)


def _script(scenes: str) -> str:
    found = [_folder_of(package) for package in _PACKAGES]
    optional = (*_IMAGE_PACKAGES, *_SCENE_FILE_PACKAGES)
    found += [_folder_of(p) for p in optional if importlib.util.find_spec(p) is not None]
    folders = dict.fromkeys(map(str, found))
    if any(os.pathsep in folder for folder in folders):
        raise LauncherError(
            f"milo_sim cannot run from a folder with {os.pathsep!r} in its path; move it."
        )
    listed = _SCENES.format(scenes=shlex.quote(scenes), separator=os.pathsep) if scenes else ""
    return _SCRIPT.format(
        path=shlex.quote(os.pathsep.join(folders)),
        python=shlex.quote(sys.executable),
        scenes=listed,
    )


def _folder_of(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise LauncherError(f"milo_sim needs the package {package}; install it with pip.")
    origin = Path(found.origin).absolute()
    return origin.parent if found.submodule_search_locations is None else origin.parent.parent


def _folders() -> list[Path]:
    cache = os.environ.get("XDG_CACHE_HOME")
    home = Path(cache) if cache else Path("~/.cache").expanduser()
    return [home / "milo_sim", Path(tempfile.gettempdir()) / f"milo_sim-{os.getuid()}"]


def _write(folder: Path, name: str, script: str) -> Path:
    """Put the script in place in one step, so that parallel starts never see half a file."""
    path = folder / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user")
    if _is_current(path, script):
        return path
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(script)
        os.chmod(temporary, 0o755)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def _is_current(path: Path, script: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == script and os.access(path, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False
