"""The simulator's truth of one episode, kept as it came and decoded only where it is asked for.

A message with all objects takes milliseconds to decode, and a drive makes hundreds of them; of
most only the head is of interest, which costs microseconds.
"""

import math
import struct
import threading
from dataclasses import dataclass
from itertools import pairwise

from rclpy.serialization import deserialize_message

from milo_core.world_model import WorldModel
from milo_msgs.msg import SimMetadata
from milo_ros.conversions import world_model_from_msg

KEPT = 1000
"""Whole messages that are kept at most, the first and the newest; some 20 kB each."""


@dataclass(frozen=True)
class Head:
    """The first fields of a SimMetadata."""

    step: int
    action: str
    x: float
    """Of base_link in the map frame, metres."""
    y: float

    @property
    def jumped(self) -> bool:
        """Whether the robot was put there, so that it drove no way."""
        return self.action.startswith("Teleport")


class _Reader:
    """Reads plain CDR (OMG DDSI-RTPS 2.3, section 10; DDS-XTYPES 1.3, XCDR version 1)."""

    def __init__(self, data: bytes, order: str) -> None:
        self._data = data
        self._order = order
        self._at = 4

    def number(self, code: str, size: int) -> float:
        self._at += -(self._at - 4) % size
        (value,) = struct.unpack_from(self._order + code, self._data, self._at)
        self._at += size
        return value

    def text(self) -> str:
        length = int(self.number("I", 4))
        raw = self._data[self._at : self._at + length]
        self._at += length
        return raw.rstrip(b"\0").decode()


def read_head(message: bytes) -> Head:
    """Return the head of a serialized SimMetadata.

    Encodings other than plain CDR are decoded as a whole.
    """
    order = {b"\0\0": ">", b"\0\1": "<"}.get(bytes(message[:2]))
    if order is None:
        whole = deserialize_message(message, SimMetadata)
        position = whole.robot_pose.position
        return Head(whole.step, whole.last_action, position.x, position.y)
    reader = _Reader(message, order)
    reader.number("i", 4)  # header.stamp
    reader.number("I", 4)
    reader.text()  # header.frame_id
    step = int(reader.number("Q", 8))
    reader.number("Q", 8)  # episode
    reader.text()  # scene
    action = reader.text()
    reader.number("?", 1)  # last_action_success
    reader.text()  # error_code
    reader.text()  # error_message
    return Head(step, action, reader.number("d", 8), reader.number("d", 8))


class TruthLog:
    """What `sim/metadata` said since the episode's reset.

    One thread may add while another one asks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heads: dict[int, Head] = {}
        self._messages: dict[int, bytes] = {}
        self._worlds: dict[int, WorldModel] = {}
        self._first = 0
        self.last_step = -1
        """Newest engine step that was heard of."""

    def add(self, message: bytes) -> None:
        """Take one serialized SimMetadata."""
        head = read_head(message)
        with self._lock:
            self._heads[head.step] = head
            self._messages[head.step] = message
            if len(self._messages) > KEPT:
                oldest = next(step for step in self._messages if step != self._first)
                del self._messages[oldest]
        self.last_step = head.step

    def begin(self, step: int) -> None:
        """Forget everything before an engine step, that of the reset."""
        with self._lock:
            self._first = step
            self._heads = {key: head for key, head in self._heads.items() if key >= step}
            self._messages = {key: data for key, data in self._messages.items() if key >= step}
        self._worlds = {}

    def world(self, step: int) -> WorldModel | None:
        """Return the state after an engine step; None: it is not kept."""
        if step not in self._worlds:
            with self._lock:
                message = self._messages.get(step)
            if message is None:
                return None
            whole = deserialize_message(message, SimMetadata)
            self._worlds[step] = world_model_from_msg(whole)
        return self._worlds[step]

    def path_length(self, first: int, last: int) -> float:
        """Return the length of the way from one engine step to another, metres.

        Turning on the spot and teleports have none.
        """
        with self._lock:
            heads = self._heads.copy()
        way = [heads[step] for step in sorted(heads) if first <= step <= last]
        return sum(math.hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(way) if not b.jumped)
