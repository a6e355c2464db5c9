"""Programs that never outlive this process, however it ends."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

# The shell's standard input is a pipe from this process: it ends with it, even if it is killed.
# Descriptor 3 keeps it, because a shell gives its background commands an empty standard input.
_GUARD = """
exec 3<&0
(read -r _ <&3; kill -9 0) &
guard=$!
"$@" </dev/null 3<&-
code=$?
kill $guard
exit $code
"""


class GuardedProcess:
    """A program that ends, with all its children, when this process does.

    Args:
        command: the program and its arguments.
        cwd: the directory to run it in; None: this one.
    """

    def __init__(self, command: Sequence[str], cwd: Path | None = None) -> None:
        # A session of its own: Ctrl-C at the terminal is answered by this process alone, and
        # the group is the program with its children.
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", *command],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._shell.poll() is None

    @property
    def group(self) -> int:
        """The number of its process group."""
        return self._shell.pid

    def wait(self, timeout: float) -> int | None:
        """Return its exit code, or None if it runs longer than some seconds."""
        try:
            return self._shell.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """End it with all its children; nothing happens if it has ended."""
        if self._shell.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._shell.pid, signal.SIGKILL)
            self._shell.wait()
        assert self._shell.stdin is not None
        with suppress(OSError):
            self._shell.stdin.close()
