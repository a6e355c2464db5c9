"""Make a virtual environment that holds the ROS 2 wheels an underlay for ament and colcon.

The CMake files in the wheels name the Python and numpy headers of the machine that built them, and
the wheels have no set-up scripts. Both are put right here; running it again changes nothing.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path

import numpy

BUILD_MACHINE = "/opt/python/"
PYTHON_HEADERS = re.compile(BUILD_MACHINE + r"cp3\d+-cp3\d+/include/python3\.\d+")
NUMPY_HEADERS = re.compile(
    BUILD_MACHINE + r"cp3\d+-cp3\d+/lib/python3\.\d+/site-packages/numpy/_?core/include"
)
SETUP_SCRIPT = """\
# Written by MILO's set-up: this virtual environment as an ament and colcon underlay.
_milo_prefix="${{COLCON_CURRENT_PREFIX:-{prefix}}}"
_milo_prepend() {{
  eval "_milo_old=\\${{$1:-}}"
  case ":$_milo_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${{_milo_old:+:$_milo_old}}" ;;
  esac
}}
_milo_prepend AMENT_PREFIX_PATH "$_milo_prefix"
_milo_prepend CMAKE_PREFIX_PATH "$_milo_prefix"
_milo_prepend PATH "$_milo_prefix/bin"
export ROS_VERSION=2 ROS_PYTHON_VERSION=3 ROS_DISTRO=kilted RMW_IMPLEMENTATION=rmw_fastrtps_cpp
export ROS_AUTOMATIC_DISCOVERY_RANGE="${{ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}}"
# The wheels restart Python once to find their libraries; an inherited mark would suppress that.
unset _ROS_WHEELS_BOOTSTRAP_COMPLETE
unset -f _milo_prepend
unset _milo_prefix _milo_old
"""


def replace_file(path: Path, text: str) -> None:
    """Write a new file and rename it: the old one may be a hard link into the installer's cache."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, errors="surrogateescape")
    new.replace(path)


def relocate(prefix: Path, headers: str) -> int:
    """Point the exported CMake files below prefix to this machine's headers; return how many."""
    rules = (
        (NUMPY_HEADERS, numpy.get_include()),
        (PYTHON_HEADERS, headers),
    )
    changed = 0
    for folder in (prefix / "share", prefix / "lib" / "cmake"):
        for path in folder.rglob("*.cmake"):
            text = path.read_text(errors="surrogateescape")
            if BUILD_MACHINE in text:
                for pattern, target in rules:
                    text = pattern.sub(target.replace("\\", r"\\"), text)
                replace_file(path, text)
                changed += 1
    return changed


def write_setup_scripts(prefix: Path) -> None:
    """Write the set-up scripts that colcon chains and people source."""
    for name in ("setup.sh", "local_setup.sh"):
        replace_file(prefix / name, SETUP_SCRIPT.format(prefix=prefix))
    for name in ("setup.bash", "local_setup.bash", "setup.zsh", "local_setup.zsh"):
        replace_file(prefix / name, f'. "{prefix}/local_setup.sh"\n')


def main() -> None:
    """Relocate the environment this interpreter belongs to."""
    prefix = Path(sys.prefix)
    changed = relocate(prefix, sysconfig.get_paths()["include"])
    write_setup_scripts(prefix)
    print(f"relocated {changed} CMake files in {prefix}")


if __name__ == "__main__":
    main()
