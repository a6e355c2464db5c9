"""The FIFO wire protocol between ``ai2thor.fifo_server.FifoServer`` and a player.

A message is a row of fields, each a 5-byte header (``!BI``: field type, body length) and a body;
a field of type END_OF_MESSAGE with an empty body ends it. The client sends one ACTION field (UTF-8
JSON), the player answers with METADATA or METADATA_PATCH (msgpack) and images.

Source of the format: ``ai2thor/fifo_server.py`` of ai2thor 5.0.0 (Apache-2.0, Allen Institute for
Artificial Intelligence).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import time
from collections.abc import Iterable
from enum import IntEnum, unique
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

_HEADER = struct.Struct("!BI")
_MAX_ACTION_BYTES = 64 * 1024 * 1024
_LINUX_F_SETPIPE_SZ = 1031
_PIPE_BYTES = 1024 * 1024


@unique
class FieldType(IntEnum):
    """Field types of ai2thor 5.0.0."""

    METADATA = 1
    ACTION = 2
    ACTION_RESULT = 3
    RGB_IMAGE = 4
    DEPTH_IMAGE = 5
    NORMALS_IMAGE = 6
    FLOWS_IMAGE = 7
    CLASSES_IMAGE = 8
    IDS_IMAGE = 9
    THIRD_PARTY_IMAGE = 10
    METADATA_PATCH = 11
    THIRD_PARTY_DEPTH = 12
    THIRD_PARTY_NORMALS = 13
    THIRD_PARTY_IMAGE_IDS = 14
    THIRD_PARTY_CLASSES = 15
    THIRD_PARTY_FLOW = 16
    END_OF_MESSAGE = 255


class ProtocolError(Exception):
    """Bytes on the pipe that cannot be a message; the stream cannot be read any further."""


def encode_message(field: FieldType, body: bytes) -> bytes:
    """One field and the end of the message, as one block to write."""
    return b"".join(
        (_HEADER.pack(field, len(body)), body, _HEADER.pack(FieldType.END_OF_MESSAGE, 0))
    )


def write_fields(
    descriptor: int, fields: Iterable[tuple[FieldType, bytes | npt.NDArray[Any]]]
) -> None:
    """Write several fields and the end of the message, without copying their bodies.

    Raises:
        BrokenPipeError: The reader is gone.
    """
    waiting: list[memoryview] = []
    for field, body in fields:
        view = (memoryview(body) if isinstance(body, bytes) else body.data).cast("B")
        waiting += [memoryview(_HEADER.pack(field, len(view))), view]
    waiting.append(memoryview(_HEADER.pack(FieldType.END_OF_MESSAGE, 0)))
    while waiting:
        written = os.writev(descriptor, waiting)
        while waiting and written >= len(waiting[0]):
            written -= len(waiting.pop(0))
        if waiting:
            waiting[0] = waiting[0][written:]


class MessageReader:
    """Reads whole messages from a pipe.

    A started message has to be complete within ``timeout`` seconds, so a half message never hangs
    the player; between messages it waits for as long as the pipe is open.
    """

    def __init__(self, descriptor: int, timeout: float = 30.0) -> None:
        self._descriptor = descriptor
        self._timeout = timeout
        self._buffer = bytearray()

    def read(self) -> bytes | None:
        """Return the body of the next ACTION, or None when the peer closed the pipe.

        Raises:
            ProtocolError: The bytes are no message, or the message stops half way.
        """
        if not self._buffer and not self._fill():
            return None
        deadline = time.monotonic() + self._timeout
        action: bytes | None = None
        while True:
            field, length = _HEADER.unpack(self._take(_HEADER.size, deadline))
            _check_header(field, length)
            if field == FieldType.END_OF_MESSAGE:
                if action is None:
                    raise ProtocolError("The message holds no action.")
                return action
            action = self._take(length, deadline)

    def _take(self, size: int, deadline: float) -> bytes:
        while len(self._buffer) < size:
            wait = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self._descriptor], [], [], wait)
            if not ready:
                raise ProtocolError(f"The message stopped half way for {self._timeout:g} s.")
            if not self._fill():
                raise ProtocolError("The peer closed the pipe in the middle of a message.")
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _fill(self) -> bool:
        received = os.read(self._descriptor, 65536)
        self._buffer += received
        return bool(received)


def _check_header(field: int, length: int) -> None:
    if field == FieldType.END_OF_MESSAGE and length == 0:
        return
    if field != FieldType.ACTION:
        raise ProtocolError(
            f"Expected an action (field {FieldType.ACTION.value}), received field {field} of"
            f" {length} bytes: the other side does not speak the ai2thor 5.0.0 protocol."
        )
    if length > _MAX_ACTION_BYTES:
        raise ProtocolError(
            f"The action is {length} bytes long; the limit is {_MAX_ACTION_BYTES} bytes."
        )


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to a blocking descriptor.

    Raises:
        BrokenPipeError: The reader is gone.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def enlarge_pipe(descriptor: int) -> None:
    """Let a whole event fit into the pipe (Linux), so that one write passes it on."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, _LINUX_F_SETPIPE_SZ, _PIPE_BYTES)
