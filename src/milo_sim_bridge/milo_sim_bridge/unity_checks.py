"""What Unity needs of a machine: each check tells what was found, or raises with the cure.

Only `player:=unity` needs any of it; milo_sim needs nothing here.
"""

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from milo_sim_bridge.unity import UnityError, require_display

DRIVER_FOLDERS = (
    Path("/usr/share/vulkan/icd.d"),
    Path("/etc/vulkan/icd.d"),
    Path("/usr/local/share/vulkan/icd.d"),
)
"""Where the Vulkan loader looks for drivers."""
BUILD_GIGABYTES = 3
"""Room that a downloaded and unpacked build needs."""
_INFO_SECONDS = 10.0


def check_vulkan(folders: Sequence[Path] = DRIVER_FOLDERS, library: str = "libvulkan.so.1") -> str:
    """Look for the Vulkan loader, a driver and a device: CloudRendering needs them.

    Raises:
        UnityError: one of them is missing.
    """
    try:
        ctypes.CDLL(library)
    except OSError as error:
        raise UnityError(
            "the Vulkan loader is missing, which Unity's CloudRendering needs: "
            "sudo apt-get install libvulkan1 vulkan-tools"
        ) from error
    drivers = sorted({p.stem for folder in folders for p in folder.glob("*.json")})
    if not drivers:
        raise UnityError(
            "there is no Vulkan driver: install that of your GPU, in a container run it with "
            "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=all"
        )
    tool = shutil.which("vulkaninfo")
    if tool is None:
        return f"drivers {', '.join(drivers)}; vulkaninfo would tell more (package vulkan-tools)"
    return _devices(tool)


def _devices(tool: str) -> str:
    try:
        done = subprocess.run(
            [tool, "--summary"],
            capture_output=True,
            text=True,
            timeout=_INFO_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnityError(
            f"vulkaninfo does not work ({error}): reinstall the GPU's driver"
        ) from error
    names = [
        line.split("=")[1].strip() for line in done.stdout.splitlines() if "deviceName" in line
    ]
    if done.returncode or not names:
        raise UnityError(
            "vulkaninfo finds no device: install the GPU's driver, or give the container the GPU "
            "(--gpus all)"
        )
    return ", ".join(names)


def check_display(width: int = 300, height: int = 300) -> str:
    """Look for an X display: Linux64 needs one.

    Raises:
        UnityError: there is none that Unity can draw on.
    """
    try:
        return require_display("", width, height)
    except UnityError as error:
        raise UnityError(str(error).rstrip(".")) from error


def check_build(home: Path | None = None) -> str:
    """Look for Unity builds that were downloaded.

    Raises:
        UnityError: there is none.
    """
    releases = (home or Path.home()) / ".ai2thor" / "releases"
    found = sorted(p.name for p in releases.glob("thor-*") if p.is_dir())
    if not found:
        raise UnityError(
            "no Unity build is here yet: the first --player unity downloads 700 MB, or name a "
            "build with --local-executable-path"
        )
    return ", ".join(found)


def check_room(home: Path | None = None) -> str:
    """Look for the room that a build needs.

    Raises:
        UnityError: there is not enough.
    """
    folder = home or Path.home()
    gigabytes = shutil.disk_usage(folder).free / 2**30
    if gigabytes < BUILD_GIGABYTES:
        raise UnityError(
            f"only {gigabytes:.1f} GB are free in {folder}, a Unity build needs {BUILD_GIGABYTES} "
            "GB: make room there"
        )
    return f"{gigabytes:.0f} GB free in {folder}"
