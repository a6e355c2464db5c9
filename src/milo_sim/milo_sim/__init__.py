"""An AI2-THOR player without Unity.

``ai2thor.Controller(local_executable_path=milo_sim.executable(), headless=True, x_display=":0")``
runs on it. This module imports nothing heavy: the player imports it at every start.
"""

__version__ = "0.1.0"


def executable() -> str:
    """``local_executable_path`` for ``ai2thor.Controller``, quoted for its shell-like splitting.

    Raises:
        milo_sim.launcher.LauncherError: A package is missing or no folder can be written.
    """
    from milo_sim.launcher import executable as make

    return make()


def scene_names() -> tuple[str, ...]:
    """Names of the packaged scenes, such as ``FloorPlan1``, by number."""
    from milo_sim.scene import scene_names as names

    return names()


def scene_data_digest() -> str:
    """SHA-256 over the names and contents of all packaged scene files."""
    from milo_sim.scene import scene_data_digest as digest

    return digest()
