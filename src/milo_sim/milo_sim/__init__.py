"""An AI2-THOR player without Unity.

``ai2thor.Controller(local_executable_path=milo_sim.executable(), headless=True, x_display=":0")``
runs on it. This module imports nothing heavy: the player imports it at every start.
"""

from collections.abc import Iterable
from os import PathLike

__version__ = "0.1.0"


def executable(scenes: Iterable[str | PathLike[str]] = ()) -> str:
    """``local_executable_path`` for ``ai2thor.Controller``, quoted for its shell-like splitting.

    Args:
        scenes: Scene files of one's own, or folders of them: ``Controller.reset`` takes their paths
            as given and absolute ones. The variable MILO_SIM_SCENES lists more, separated as in
            PATH.

    Raises:
        milo_sim.launcher.LauncherError: A package is missing or no folder can be written.
        milo_sim.errors.SceneFileError: One of the scenes cannot be used.
    """
    from milo_sim.launcher import executable as make

    return make(scenes)


def scene_names() -> tuple[str, ...]:
    """Names of the packaged scenes, such as ``FloorPlan1``, by number."""
    from milo_sim.scene import scene_names as names

    return names()


def scene_data_digest() -> str:
    """SHA-256 over the names and contents of all packaged scene files."""
    from milo_sim.scene import scene_data_digest as digest

    return digest()
