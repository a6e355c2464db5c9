"""The AI2-THOR client with a watchful pipe.

`ai2thor.controller.Controller` is used as it is, except for how it waits: the client of ai2thor
5.0.0 spins until its timeout when the player has died, blocks for ever on a pipe that a player
never opens, and leaves its files and log behind. Importing this module imports ai2thor (1 s).
"""

import contextlib
import fcntl
import io
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ai2thor.build import ExternalBuild
from ai2thor.controller import Controller
from ai2thor.fifo_server import FieldType, FifoServer

from milo_core.error_codes import EngineError
from milo_sim_bridge.errors import EngineFailure

_GUARD = Path(__file__).with_name("player_guard.py")
_MAX_FIELD_BYTES = 256 * 1024 * 1024
_CHUNK_BYTES = 256 * 1024
_PIPE_BYTES = 1024 * 1024
"""Wanted room in the pipe: a scene's metadata (90 kB) fits in whole, where Linux by itself lets a
player write 64 kB and wait for its reader."""
_LIVENESS_PERIOD = 0.1
"""Seconds between looks at the process while waiting; a closed pipe wakes the wait at once."""


class PlayerServer(FifoServer):
    """The client's end of the two pipes to one player process.

    Attributes:
        failure: why the player can't be used any more; None: it can.
    """

    def __init__(self, *, aborted: threading.Event, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.failure: EngineFailure | None = None
        self._aborted = aborted
        self._deadline = 0.0
        self._allowed = 0.0
        self._action = "the start"
        self._stopped = False
        self._received = bytearray()

    def start(self) -> None:
        """Create and open the pipes without waiting for the other side to open them."""
        super().start()
        server = os.open(self.server_pipe_path, os.O_RDONLY | os.O_NONBLOCK)
        _widen(server)
        self.server_pipe = io.FileIO(server, "r")
        # Open for both directions: a pipe can't be opened for writing alone before it has a reader.
        client = os.open(self.client_pipe_path, os.O_RDWR | os.O_NONBLOCK)
        self.client_pipe = io.FileIO(client, "w")

    def send(self, action: dict[str, Any]) -> None:
        """Send one action.

        Raises:
            EngineFailure: the player takes nothing.
        """
        self._action = str(action["action"])
        try:
            super().send(action)
        except EngineFailure as failure:
            self.failure = failure
            raise

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next event.

        Args:
            timeout: seconds until the whole answer must be there; None: the server's own.

        Raises:
            EngineFailure: the player died, is silent, or answers something else.
        """
        self._allow(self.timeout if timeout is None else timeout)
        try:
            return super().receive(timeout)
        except EngineFailure as failure:
            self.failure = failure
            raise
        except Exception as error:
            self.failure = self._nonsense(error)
            raise self.failure from error

    def _allow(self, seconds: float) -> None:
        self._allowed = seconds
        self._deadline = time.monotonic() + seconds

    def _nonsense(self, error: Exception) -> EngineFailure:
        return EngineFailure(
            EngineError.ENGINE_DIED,
            f"The player's answer to {self._action} is not one of AI2-THOR "
            f"({type(error).__name__}: {error}); it was stopped, "
            "reset the scene to start a new one.",
        )

    def _read_with_timeout(self, server_pipe: Any, message_size: int, timeout: float) -> bytes:
        if message_size > _MAX_FIELD_BYTES:
            raise ValueError(f"a field of {message_size} bytes")
        received = self._received
        waited = False
        while len(received) < message_size:
            try:
                part = os.read(server_pipe.fileno(), _CHUNK_BYTES)
            except BlockingIOError:
                part = b""
            else:
                # Without a writer nothing is there either, but then there is nothing to wait for,
                # unless the player has not opened the pipe yet.
                if waited and not part:
                    raise self._death()
            received += part
            if not part:
                self._wait(server_pipe, select.POLLIN)
                waited = True
        with memoryview(received) as view, view[:message_size] as head:
            message = bytes(head)
        del received[:message_size]
        return message

    def _send_message(self, message_type: FieldType, body: bytes) -> None:
        self._last_action_message = body
        self._allow(self.timeout)
        view = memoryview(self._create_header(message_type, body) + body + self.eom_header)
        while view:
            self._wait(self.client_pipe, select.POLLOUT)
            view = view[os.write(self.client_pipe.fileno(), view) :]

    def _wait(self, pipe: Any, event: int) -> None:
        poller = select.poll()
        poller.register(pipe, event)
        while not self._aborted.is_set():
            remaining = self._deadline - time.monotonic()
            if poller.poll(1000 * max(0.0, min(remaining, _LIVENESS_PERIOD))):
                return
            if self._exited() and not poller.poll(0):
                raise self._death()
            if remaining <= 0:
                raise EngineFailure(
                    EngineError.ENGINE_TIMEOUT,
                    f"The player did not answer {self._action} within {self._allowed:g} s; "
                    "it was stopped, reset the scene to start a new one.",
                )
        raise EngineFailure(EngineError.ENGINE_DIED, "The bridge is shutting down.")

    def _exited(self) -> bool:
        return self.unity_proc is not None and self.unity_proc.poll() is not None

    def _death(self) -> EngineFailure:
        try:
            status = self.unity_proc.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            how = "closed its pipe"
        else:
            how = f"ended with exit code {status}"
            if status < 0:
                how = f"was ended by {signal.Signals(-status).name}"
        last = self._last_output()
        return EngineFailure(
            EngineError.ENGINE_DIED,
            f"The player {how} during {self._action}; reset the scene to start a new one"
            + (f" (its last output: {last})." if last else "."),
        )

    def _last_output(self) -> str:
        try:
            text = Path(self.tmp_dir.name, "unity.log").read_text("utf-8", "replace")
        except OSError:
            return ""
        lines = [line.strip() for line in text[-4000:].splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def stop(self) -> None:
        """Kill the player with everything it started and remove the pipes; twice does no harm."""
        if self._stopped:
            return
        self._stopped = True
        if self.unity_proc is not None:
            self._kill(self.unity_proc)
        for pipe in (self.client_pipe, self.server_pipe):
            if pipe is not None:
                pipe.close()
        self.tmp_dir.cleanup()

    @staticmethod
    def _kill(process: subprocess.Popen[bytes]) -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:  # it has not made its group yet, or all of it is gone
            process.kill()
        process.wait()


class PlayerController(Controller):
    """A controller that has not started its player yet: `start()`, then `reset()`."""

    def __init__(self, *, aborted: threading.Event, **arguments: Any) -> None:
        self._aborted = aborted
        # With download_only the constructor starts nothing, so that a failing start leaves an
        # object that can be cleaned up.
        super().__init__(download_only=True, server_class=FifoServer, **arguments)
        self.initialization_parameters: dict[str, Any] = {}

    def _build_server(self, host: str, port: int, width: int, height: int) -> None:
        # The original compares server_class with FifoServer itself and builds no subclass of it.
        self.server = PlayerServer(
            aborted=self._aborted,
            width=width,
            height=height,
            timeout=self.server_timeout,
            depth_format=self.depth_format,
            add_depth_noise=self.add_depth_noise,
        )

    def prune_releases(self) -> None:
        """Remove old Unity builds; a local executable touches nothing in the home folder."""
        if not isinstance(self._build, ExternalBuild):
            super().prune_releases()

    @property
    def log_dir(self) -> str:
        """Folder of the player's output; it goes away with the player."""
        return str(self.server.tmp_dir.name)

    def unity_command(self, width: int, height: int, headless: bool) -> list[str]:
        """Return the player's command line, run by the guard."""
        command = super().unity_command(width, height, headless)
        return [sys.executable, "-I", "-S", str(_GUARD), str(os.getpid()), *command]

    def close(self) -> None:
        """Stop the player and give the build's lock back."""
        if self.server is not None:
            self.server.stop()
            self._build.unlock()


def _widen(pipe: int) -> None:
    """Make a pipe larger where the system can and allows it."""
    command = getattr(fcntl, "F_SETPIPE_SZ", None)
    if command is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, command, _PIPE_BYTES)


def quote_executable(path: str) -> str:
    """Return a path as the controller's shell-like splitting wants it."""
    return shlex.quote(path)
