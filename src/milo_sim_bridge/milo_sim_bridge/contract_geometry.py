"""Rules of the robot contract about the camera model and the tree of frames. ROS-free."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from milo_sim_bridge.contract import Frames
from milo_sim_bridge.contract_findings import (
    CameraFacts,
    Check,
    Edge,
    Finding,
    ImageFacts,
    Observed,
    Row,
    Sample,
)

_PIXEL_TOLERANCE = 1.0
_ENOUGH_PICTURES = 3
"""From how many pictures on a missing camera model is the driver's fault; that of a single picture
may have been sent before the listener was known."""
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def judge_camera(name: str, infos: Sequence[Sample], image: Observed) -> Finding:
    """The camera model belongs to the image: its size, its frame, its stamps; a usable K and P."""
    row = Row(name)
    models = [s for s in infos if isinstance(s.payload, CameraFacts)]
    pictures = [s for s in image.samples if isinstance(s.payload, ImageFacts)]
    for sample in models:
        assert isinstance(sample.payload, CameraFacts)
        fault = _model_fault(name, sample.payload)
        if fault:
            return row.failed(Check.CONTENT, fault)
    if not pictures:
        return row.skipped(Check.CONTENT, "no image to compare with")
    if not models:
        return row.skipped(Check.CONTENT)
    model, picture = models[-1].payload, pictures[-1].payload
    assert isinstance(model, CameraFacts)
    assert isinstance(picture, ImageFacts)
    if (model.width, model.height) != (picture.width, picture.height):
        text = f"{name} describes {model.width}x{model.height} pixels, the image has "
        text += f"{picture.width}x{picture.height}; publish the calibration of the stream you send."
        return row.failed(Check.CONTENT, text)
    if models[-1].frame != pictures[-1].frame:
        text = f"{name} is in the frame '{models[-1].frame}', its image in '{pictures[-1].frame}'; "
        return row.failed(Check.CONTENT, text + "they must be the same.")
    if not {s.stamp for s in models} & {s.stamp for s in pictures}:
        if len(pictures) < _ENOUGH_PICTURES:
            text = "too few pictures came to tell whether their camera models have their stamps"
            return row.skipped(Check.CONTENT, text)
        text = f"No message of {name} has the stamp of an image; stamp both alike."
        return row.failed(Check.CONTENT, text)
    return row.passed(Check.CONTENT, f"fx {model.k[0]:.1f}, {model.width}x{model.height}")


def _model_fault(name: str, model: CameraFacts) -> str:
    fx, fy, cx, cy = model.k[0], model.k[4], model.k[2], model.k[5]
    if not (fx > 0 and fy > 0 and all(map(math.isfinite, model.k))):
        return f"{name} is not calibrated: K has no focal length; publish the camera's own."
    if not (0 <= cx <= model.width and 0 <= cy <= model.height):
        return (
            f"The principal point ({cx:.1f}, {cy:.1f}) of {name} lies outside its "
            f"{model.width}x{model.height} pixels; the calibration is of another resolution."
        )
    differences = [abs(model.p[i] - model.k[j]) for i, j in ((0, 0), (5, 4), (2, 2), (6, 5))]
    if model.r != _IDENTITY:  # a rectified stereo pair has a P of its own
        return ""
    if max(differences) > max(_PIXEL_TOLERANCE, 0.2 * fx):
        return (
            f"P of {name} does not belong to its K; for a single camera P is K with a zero column."
        )
    return ""


def judge_tree(name: str, frames: Frames, edges: Sequence[Edge]) -> Finding:
    """The chain of frames is one tree, and the optical frame looks where the camera does."""
    row = Row(name)
    parents: dict[str, Edge] = {}
    for edge in edges:
        known = parents.setdefault(edge.child, edge)
        if known.parent != edge.parent:
            text = f"The frame {edge.child} has two parents, {known.parent} and {edge.parent}; "
            return row.failed(Check.FRAME, text + "only one node may publish it.")
    for outer, inner in pairwise(frames.chain):
        if outer not in _ancestors(inner, parents):
            text = f"The frames {outer} and {inner} are not connected; publish the transform "
            return row.failed(Check.FRAME, text + f"from {outer} to {inner} on {name}.")
    forward = (0.0, 0.0, 1.0)
    frame = frames.optical
    while frame != frames.camera and frame in parents:
        forward = _rotate(parents[frame].rotation, forward)
        frame = parents[frame].parent
    if frame == frames.camera and forward[0] < 0.9:
        text = f"{frames.optical} does not look along the x axis of {frames.camera}; an optical "
        return row.failed(Check.FRAME, text + "frame has z forward, x right, y down (REP 103).")
    return row.passed(Check.FRAME, " > ".join(frames.chain))


def _ancestors(frame: str, parents: Mapping[str, Edge]) -> list[str]:
    found: list[str] = []
    while frame in parents and frame not in found:
        found.append(frame)
        frame = parents[frame].parent
    return [*found[1:], frame] if found else []


def _rotate(
    q: tuple[float, float, float, float], v: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Turn a vector by a quaternion: v + 2w(u x v) + 2u x (u x v)."""
    x, y, z, w = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )
