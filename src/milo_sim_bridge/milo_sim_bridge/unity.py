"""Starting AI2-THOR's Unity build: platforms, displays, and what its errors mean.

Linux has two builds: `Linux64` draws on an X server, `CloudRendering` with Vulkan and no display.
"""

import os
import re

from milo_core.errors import MiloError

PLATFORMS = ("", "Linux64", "CloudRendering")
"""Empty: the first one that works here, in AI2-THOR's order."""

_DISPLAY_CURE = (
    "start an X server with GLX and name it in x_display (or DISPLAY), use "
    "platform:=CloudRendering, which needs Vulkan and no display, or headless:=true for no images"
)
_VULKAN_CURE = (
    "install the GPU's Vulkan driver and libvulkan1 (sudo apt-get install libvulkan1 vulkan-tools) "
    "until vulkaninfo finds a device, or use platform:=Linux64 with an X server"
)
_CURES: tuple[tuple[str, str], ...] = (
    (r"Vulkan|vulkan", _VULKAN_CURE),
    (r"missing dependencies|X11|X display|Invalid display|GLX|Display :?\d", _DISPLAY_CURE),
    (
        # The client says "Invalid commit_id" also when it could not ask for want of a network.
        r"[Nn]o build exists|Max retries exceeded|ProxyError|Connection(Error|Refused| refused)",
        "connect this machine to the network once, from where the build (about 700 MB) comes, or "
        "name one that is here in local_executable_path; there are builds for Linux on x86_64 and "
        "for macOS only",
    ),
    (
        r"No space left",
        "make 3 GB of room in ~/.ai2thor, where the Unity build is unpacked",
    ),
    (
        r"sha256|zip file|BadZipFile",
        "the download of the Unity build is damaged: delete ~/.ai2thor/tmp and start again",
    ),
    (r"Permission denied", "make the build executable with chmod +x, and ~/.ai2thor writable"),
)


class UnityError(MiloError):
    """Unity can't be started as asked."""


def cure_of(message: str) -> str:
    """Return what to do about a message of AI2-THOR's start; empty: nothing is known about it."""
    return next((cure for pattern, cure in _CURES if re.search(pattern, message)), "")


def platform_class(name: str) -> object | None:
    """Return ai2thor's class of a platform; None: it shall choose.

    Raises:
        UnityError: there is no such platform.
    """
    if name not in PLATFORMS:
        known = ", ".join(p for p in PLATFORMS if p)
        raise UnityError(f"There is no Unity platform '{name}'; use {known}, or none.")
    if not name:
        return None
    import ai2thor.platform

    found: object = getattr(ai2thor.platform, name)
    return found


def require_display(x_display: str, width: int, height: int) -> str:
    """Return an X display on which Unity can draw.

    Args:
        x_display: its name, e.g. `:0`; empty: that of the environment, else the first that works.
        width: of the images, pixels.
        height: of the images, pixels.

    Raises:
        UnityError: there is none, or the named one can't be used; says what to do.
    """
    from ai2thor.platform import Linux64, Request

    name = x_display or os.environ.get("DISPLAY", "")
    if name and ":" not in name:
        name = f":{name}"
    faults = Linux64.validate(Request("Linux", width, height, name or None, False))
    if faults:
        raise UnityError(f"{'; '.join(fault.strip() for fault in faults)}: {_DISPLAY_CURE}.")
    return name or str(Linux64.launch_env(width, height, None)["DISPLAY"])
