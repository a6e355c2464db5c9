"""Pictures of a step, and their bytes as image messages want them.

Pictures come as AI2-THOR's client has them: views of the received bytes that are turned upside
down. They are copied once, into a buffer of the kind that rclpy takes without looking at each byte.
"""

import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from milo_sim_bridge.camera import FAR_PLANE

Picture = npt.NDArray[Any]
STREAMS = ("color", "depth", "labels")
"""What the camera can show."""
_RENDER_FLAGS = {"depth": "renderDepthImage", "labels": "renderInstanceSegmentation"}
_ZERO = array.array("B", [0])


@dataclass(frozen=True)
class Pictures:
    """What the camera saw after a step; None: not asked for.

    Attributes:
        color: (height, width, 3) uint8, red, green, blue.
        depth: (height, width) float32, metres along the optical axis.
        instances: (height, width, 3) uint8, a colour for each object.
        colors: what the colours of `instances` stand for: `name` and `color` (red, green, blue).
    """

    color: Picture | None = None
    depth: Picture | None = None
    instances: Picture | None = None
    colors: Sequence[Mapping[str, Any]] = ()

    @property
    def streams(self) -> frozenset[str]:
        """Names of the pictures that are there."""
        pictures = {"color": self.color, "depth": self.depth, "labels": self.instances}
        return frozenset(name for name, picture in pictures.items() if picture is not None)


NO_PICTURES = Pictures()


def render_arguments(streams: frozenset[str]) -> dict[str, bool]:
    """Return the engine's arguments that make an action answer with some streams.

    The colour picture comes with any other. As in AI2-THOR a flag stays on until the next reset.
    """
    if not streams:
        return {"renderImage": False}
    flags = {flag: True for stream, flag in _RENDER_FLAGS.items() if stream in streams}
    return {"renderImage": True, **flags}


class PixelBuffer:
    """The bytes of one stream's message, filled anew for each picture."""

    def __init__(self) -> None:
        self.data = array.array("B")

    def view(self, shape: tuple[int, ...], kind: type[np.generic]) -> Picture:
        """Return the buffer as a picture of a shape and element type, to be written to."""
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        if len(self.data) != size:
            self.data = _ZERO * size
        return np.frombuffer(self.data, dtype=kind).reshape(shape)


def fill_color(buffer: PixelBuffer, picture: Picture) -> None:
    """Write a colour picture as rgb8."""
    buffer.view(picture.shape, np.uint8)[:] = picture


def fill_depth(buffer: PixelBuffer, picture: Picture) -> None:
    """Write a depth picture as 32FC1; farther than the camera sees is infinite (REP 118)."""
    target = buffer.view(picture.shape, np.float32)
    target[:] = picture
    target[target >= FAR_PLANE] = np.inf


@dataclass
class LabelTable:
    """Which label stands for which object; 0 stands for what is no object.

    Labels are given in the order in which objects become known and stay until `clear`.
    """

    labels: dict[str, int] = field(default_factory=dict)
    """Object id -> label."""

    def learn(self, object_ids: Sequence[str]) -> bool:
        """Give labels to new objects; returns whether there were any."""
        before = len(self.labels)
        for object_id in object_ids:
            self.labels.setdefault(object_id, len(self.labels) + 1)
        return len(self.labels) != before

    def clear(self) -> None:
        """Forget all labels."""
        self.labels.clear()


class LabelPainter:
    """Writes instance pictures as label images (16UC1)."""

    def __init__(self, table: LabelTable) -> None:
        self._table = table
        # One entry for each 24-bit colour; memory is only taken where something is written.
        self._label_of = np.zeros(1 << 24, dtype=np.uint16)
        self._known: tuple[Sequence[Mapping[str, Any]], int] = ((), 0)
        self._used: npt.NDArray[np.intp] = np.zeros(0, dtype=np.intp)

    def fill(
        self, buffer: PixelBuffer, picture: Picture, colors: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write the label of each pixel's object."""
        self._follow(colors)
        target = buffer.view((picture.shape[0] * picture.shape[1],), np.uint16)
        # Neighbours mostly show the same object: look up one pixel of each run.
        packed = _packed(picture).ravel()
        ends = np.append(np.flatnonzero(packed[1:] != packed[:-1]), packed.size - 1)
        runs = self._label_of[packed[ends] & 0xFFFFFF]
        target[:] = np.repeat(runs, np.diff(ends, prepend=-1))

    def _follow(self, colors: Sequence[Mapping[str, Any]]) -> None:
        labels = self._table.labels
        known = (colors, len(labels))
        if known == self._known:
            return
        self._known = known
        self._label_of[self._used] = 0
        entries = [(entry["color"], labels.get(entry["name"], 0)) for entry in colors]
        self._used = np.array([c[0] | c[1] << 8 | c[2] << 16 for c, _ in entries], dtype=np.intp)
        self._label_of[self._used] = [label for _, label in entries]


def _packed(picture: Picture) -> Picture:
    """Return a (height, width, 3) picture as numbers (height, width).

    The lower three bytes of a number are the colour; the fourth may be anything.
    """
    height, width, _ = picture.shape
    if picture.strides[1] == 4 and picture.strides[2] == 1:
        # Four bytes a pixel, of which the picture shows three.
        words: Picture = np.lib.stride_tricks.as_strided(
            picture[:, :, :1].view(np.uint8), (height, width, 4), (picture.strides[0], 4, 1)
        )
        return words.view("<u4")[:, :, 0]
    wide = picture.astype(np.uint32)
    packed: Picture = wide[:, :, 0] | wide[:, :, 1] << 8 | wide[:, :, 2] << 16
    return packed
