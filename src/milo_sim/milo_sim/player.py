"""The player process: answers one ``ai2thor.Controller`` over two named pipes until it goes away.

The process ends, in all cases without a traceback, when the client closes its pipe, when the
process that started it is gone, on SIGTERM, and when the bytes on the pipe cannot be a message.
The pipes belong to the client; those of a client that was killed are removed.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import select
import signal
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import NoReturn

from milo_sim.protocol import (
    FieldType,
    MessageReader,
    ProtocolError,
    encode_message,
    enlarge_pipe,
    write_all,
    write_fields,
)

SERVER_PIPE = "AI2THOR_FIFO_SERVER_PIPE_PATH"
CLIENT_PIPE = "AI2THOR_FIFO_CLIENT_PIPE_PATH"
SERVER_TYPE = "AI2THOR_SERVER_TYPE"
PARENT_PID = "MILO_SIM_PARENT_PID"

LARGEST_SIDE = 16384
"""What OpenGL can draw on everywhere [px]."""
EXIT_PROTOCOL = 1
EXIT_USAGE = 2
_WATCH_SECONDS = 1.0
_CONNECT_SECONDS = 60.0
_FAREWELL_SECONDS = 0.3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the player; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        server_path, client_path = _pipe_paths(os.environ)
        width, height = _screen_size(given)
    except ValueError as error:
        return _complain(str(error), EXIT_USAGE)
    watch = _Watch(int(os.environ.get(PARENT_PID) or os.getppid()))
    try:
        code = _run(server_path, client_path, width, height, watch)
        watch.wait_for_parents_end()
    finally:
        if watch.parent_is_gone():
            _remove_pipes(server_path, client_path)
    return code


def _run(server_path: str, client_path: str, width: int, height: int, watch: _Watch) -> int:
    """Serve the client until its end; returns the exit code."""
    try:
        _serve(server_path, client_path, width, height, watch)
    except ProtocolError as error:
        return _complain(str(error), EXIT_PROTOCOL)
    except BrokenPipeError:
        return 0
    except OSError as error:
        return _complain(f"The pipe failed: {error}.", EXIT_PROTOCOL)
    return 0


def _complain(sentence: str, code: int) -> int:
    print(f"milo_sim player: {sentence}", file=sys.stderr)
    return code


def _remove_pipes(*paths: str) -> None:
    """Remove the pipes and, as the client would, the folder that held nothing else."""
    with contextlib.suppress(OSError):
        for path in paths:
            os.unlink(path)
        os.rmdir(os.path.dirname(paths[0]))


def _pipe_paths(environment: Mapping[str, str]) -> tuple[str, str]:
    server_type = environment.get(SERVER_TYPE, "FIFO")
    if server_type.upper() != "FIFO":
        raise ValueError(
            f"{SERVER_TYPE} is {server_type}; only FIFO is spoken: leave the Controller's"
            " server_class at its default."
        )
    paths = (environment.get(SERVER_PIPE, ""), environment.get(CLIENT_PIPE, ""))
    for name, path in zip((SERVER_PIPE, CLIENT_PIPE), paths, strict=True):
        if not path:
            raise ValueError(
                f"{name} is not set: this program is started by ai2thor, with"
                " Controller(local_executable_path=milo_sim.executable(), headless=True)."
            )
        if not (os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)):
            raise ValueError(f"{name}={path} is not a named pipe.")
    return paths


def _screen_size(arguments: Sequence[str]) -> tuple[int, int]:
    """Read Unity's ``-screen-width`` and ``-screen-height``; other arguments mean nothing here."""
    sizes = []
    for option in ("-screen-width", "-screen-height"):
        value = "300"
        if option in arguments[:-1]:
            value = arguments[arguments.index(option) + 1]
        if not re.fullmatch("0*[1-9][0-9]{0,4}", value) or int(value) > LARGEST_SIDE:
            raise ValueError(
                f"{option} must be a positive number of pixels up to {LARGEST_SIDE}, not {value!r}."
            )
        sizes.append(int(value))
    return sizes[0], sizes[1]


class _Watch:
    """Ends the process when its parent is gone or the client never connects.

    Closed pipes tell most of it, but a process that waits for a named pipe to be opened would wait
    for ever; a once-a-second timer interrupts any wait.
    """

    def __init__(self, parent: int) -> None:
        self._parent = parent
        self._connect_by: float | None = time.monotonic() + _CONNECT_SECONDS
        signal.signal(signal.SIGTERM, self._terminate)
        signal.signal(signal.SIGINT, self._terminate)
        signal.signal(signal.SIGALRM, self._check)
        signal.setitimer(signal.ITIMER_REAL, _WATCH_SECONDS, _WATCH_SECONDS)

    def connected(self) -> None:
        """The client is there. Ctrl-C reaches the whole process group; the client decides then."""
        self._connect_by = None
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def parent_is_gone(self) -> bool:
        """Whether the process that started this one has ended."""
        return os.getppid() != self._parent

    def wait_for_parents_end(self) -> None:
        """Wait a moment: the pipes of a process that is killed close a little before it is gone."""
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        with contextlib.suppress(OSError, AttributeError):  # only Linux can wait for any process
            parent = os.pidfd_open(self._parent)
            select.select([parent], [], [], _FAREWELL_SECONDS)

    @staticmethod
    def _terminate(number: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    def _check(self, _number: int, _frame: FrameType | None) -> None:
        if self.parent_is_gone():
            sys.exit(0)
        if self._connect_by is not None and time.monotonic() > self._connect_by:
            sys.exit(
                _complain(f"No client opened the pipes in {_CONNECT_SECONDS:g} s.", EXIT_PROTOCOL)
            )


def _serve(server_path: str, client_path: str, width: int, height: int, watch: _Watch) -> None:
    # The client waits in open() of its end until this end is open, so this comes before the slow
    # imports: should one fail, the client sees a closed pipe.
    output = os.open(server_path, os.O_WRONLY)
    from milo_sim.actions import make_dispatcher
    from milo_sim.metadata import MetadataEncoder
    from milo_sim.session import Outcome, Session

    enlarge_pipe(output)
    session = Session(make_dispatcher(), width, height)
    encoder = MetadataEncoder()
    gc.freeze()
    started = encoder.event(session, Outcome("", success=True))
    write_all(output, encode_message(FieldType.METADATA, started))
    source = os.open(client_path, os.O_RDONLY)
    watch.connected()
    reader = MessageReader(source)
    while (body := reader.read()) is not None:
        outcome = session.answer(body)
        if outcome.patch:
            # The client shows the images of the event before.
            write_all(output, encode_message(FieldType.METADATA_PATCH, encoder.patch(outcome)))
            continue
        images, outcome = session.images(outcome)
        event = encoder.event(session, outcome)
        if images:
            write_fields(output, [(FieldType.METADATA, event), *images])
        else:
            write_all(output, encode_message(FieldType.METADATA, event))
