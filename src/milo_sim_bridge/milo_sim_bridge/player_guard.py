"""Runs a player in a process group of its own that the kernel kills when the bridge dies.

Started as a script: `player_guard.py PARENT_PID COMMAND...`. It replaces itself by the command, so
that the process id stays the same. The parent-death signal follows the thread that started the
process, not the whole bridge: the engine keeps that thread for as long as the player may live.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(arguments: list[str]) -> None:
    """Prepare the process and become the command; returns only by an exception."""
    parent, *command = arguments
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("The bridge ended before its player started.")
    # Python ignores SIGPIPE, and an ignored signal would stay ignored in the player.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]} can't be started: {error.strerror}.")


if __name__ == "__main__":
    main(sys.argv[1:])
