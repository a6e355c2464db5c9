"""What the robot contract judges, read from messages."""

from importlib import import_module
from typing import Any

import numpy as np

from milo_ros.conversions import seconds
from milo_sim_bridge.contract import Content
from milo_sim_bridge.contract_findings import (
    CameraFacts,
    Edge,
    ImageFacts,
    ObjectFacts,
    Payload,
)

_DEPTH_TYPES: dict[str, np.dtype[Any]] = {
    "32FC1": np.dtype(np.float32),
    "16UC1": np.dtype(np.uint16),
}
_DEPTH_STRIDE = 31
"""Every which depth is looked at; prime, so that it falls into no pattern of rows."""


def interface_class(name: str) -> Any:
    """Return the class of an interface, e.g. of `sensor_msgs/msg/Image`.

    Raises:
        ImportError: its package is not installed.
        AttributeError: the package has no such interface.
    """
    package, section, kind = name.split("/")
    return getattr(import_module(f"{package}.{section}"), kind)


def stamp_of(message: Any) -> float | None:
    """Seconds of a message's stamp; of several transforms the oldest; None: it has none."""
    if hasattr(message, "header"):
        return seconds(message.header.stamp)
    transforms = getattr(message, "transforms", None)
    return min((seconds(t.header.stamp) for t in transforms), default=None) if transforms else None


def frame_of(message: Any) -> str | None:
    """A message's frame; None: it has none."""
    return str(message.header.frame_id) if hasattr(message, "header") else None


def payload_of(content: Content | None, message: Any) -> Payload:
    """Read what the rules for a kind of content look at."""
    match content:
        case "color_image" | "label_image":
            return _image(message)
        case "depth_image":
            return _image(message, _typical_depth(message))
        case "camera_info":
            numbers = (tuple(map(float, values)) for values in (message.k, message.r, message.p))
            return CameraFacts(int(message.width), int(message.height), *numbers)
        case "odometry":
            pose = message.pose.pose
            return (_edge(message.header.frame_id, message.child_frame_id, pose.orientation),)
        case "transforms":
            return tuple(
                _edge(t.header.frame_id, t.child_frame_id, t.transform.rotation)
                for t in message.transforms
            )
        case "object_states":
            return tuple(
                ObjectFacts(obj.object_id, obj.object_type, obj.provenance)
                for obj in message.objects
            )
    return None


def _image(message: Any, depth: float = float("nan")) -> ImageFacts:
    return ImageFacts(
        width=int(message.width),
        height=int(message.height),
        encoding=str(message.encoding),
        step=int(message.step),
        size=len(message.data),
        typical_depth=depth,
    )


def _typical_depth(message: Any) -> float:
    """Median of the valid depths: neither 0 nor NaN nor infinite."""
    kind = _DEPTH_TYPES.get(message.encoding)
    if kind is None or len(message.data) % kind.itemsize:
        return float("nan")
    values = np.frombuffer(message.data, kind.newbyteorder(">" if message.is_bigendian else "<"))
    values = values[::_DEPTH_STRIDE]
    valid = values[np.isfinite(values) & (values > 0)]
    return float(np.median(valid)) if valid.size else float("nan")


def _edge(parent: str, child: str, q: Any) -> Edge:
    return Edge(parent, child, (float(q.x), float(q.y), float(q.z), float(q.w)))
