"""Third-party cameras and which images a session sends: what the actions set, without drawing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from milo_sim.arguments import ArgumentType, ConversionError, text_of
from milo_sim.errors import ActionFailed
from milo_sim.geometry import Vector, wrap_degrees

_ALIASES = {
    "renderObjectImage": "renderInstanceSegmentation",
    "renderClassImage": "renderSemanticSegmentation",
}
_UNSUPPORTED_IMAGES = ("renderFlowImage",)

# Unity's ColorUtility.TryParseHtmlString knows these names beside hexadecimal codes.
_COLOR_NAMES = {
    "red": "ff0000",
    "cyan": "00ffff",
    "blue": "0000ff",
    "darkblue": "0000a0",
    "lightblue": "add8e6",
    "purple": "800080",
    "yellow": "ffff00",
    "lime": "00ff00",
    "fuchsia": "ff00ff",
    "white": "ffffff",
    "silver": "c0c0c0",
    "grey": "808080",
    "black": "000000",
    "orange": "ffa500",
    "brown": "a52a2a",
    "maroon": "800000",
    "green": "008000",
    "olive": "808000",
    "navy": "000080",
    "teal": "008080",
    "aqua": "00ffff",
    "magenta": "ff00ff",
}


@dataclass(frozen=True, slots=True)
class WantedImages:
    """Which images go with each event."""

    depth: bool = False
    instance: bool = False
    semantic: bool = False
    normals: bool = False

    @property
    def masks(self) -> bool:
        """Whether any segmentation is wanted."""
        return self.instance or self.semantic


_FLAGS = {
    "renderDepthImage": "depth",
    "renderInstanceSegmentation": "instance",
    "renderSemanticSegmentation": "semantic",
    "renderNormalsImage": "normals",
}
RENDER_ARGUMENTS = frozenset({*_FLAGS, *_ALIASES, *_UNSUPPORTED_IMAGES, "renderImage"})
"""Arguments about images, which every action takes."""


def wanted_images(message: Mapping[str, Any], before: WantedImages) -> WantedImages:
    """Images that are wanted from an action's message on.

    As in the engine, an action can only add to them; Initialize sets them anew.

    Raises:
        ActionFailed: A flag is not a truth value, or names images that are never made.
    """
    wanted = WantedImages() if message.get("action") == "Initialize" else before
    for name in RENDER_ARGUMENTS & message.keys():
        if not _truth(message, name):
            continue
        if name in _UNSUPPORTED_IMAGES:
            raise ActionFailed(
                f"{name} is not supported by milo_sim, which has no optical flow; leave it out.",
                error_code="InvalidArgument",
            )
        flag = _FLAGS.get(_ALIASES.get(name, name))
        if flag is not None:
            wanted = replace(wanted, **{flag: True})
    return wanted


def wants_images(message: Mapping[str, Any], before: bool) -> bool:
    """Whether an action's event carries images at all; a headless Controller always says no.

    An action that does not say follows the last Initialize, for which yes is the default.
    """
    if "renderImage" in message:
        return _truth(message, "renderImage")
    return before or message.get("action") == "Initialize"


def _truth(message: Mapping[str, Any], name: str) -> bool:
    try:
        return bool(ArgumentType.BOOL.convert(message[name]))
    except ConversionError as error:
        raise ActionFailed(
            f"action: {message.get('action')} has an invalid argument: {name}"
            f" (=={text_of(message[name])}). Cannot convert to: Boolean",
            error_code="InvalidArgument",
        ) from error


@dataclass(frozen=True, slots=True)
class ThirdPartyCamera:
    """A camera that does not move with the agent.

    Attributes:
        position: Position [m].
        rotation: Euler angles [degrees].
        field_of_view: Vertical angle of view [degrees].
        orthographic: Whether its rays are parallel.
        orthographic_size: Half the height of the picture of parallel rays [m].
        near: Near clipping plane [m].
        far: Far clipping plane [m].
        background: Red, green, blue (0 to 255) where nothing is, None for the default.
    """

    position: Vector
    rotation: Vector
    field_of_view: float = 90.0
    orthographic: bool = False
    orthographic_size: float = 5.0
    near: float = 0.01
    far: float = 20.0
    background: tuple[int, int, int] | None = None


@dataclass(slots=True)
class CameraSet:
    """The third-party cameras of a session, numbered in the order in which they were added."""

    cameras: list[ThirdPartyCamera] = field(default_factory=list)

    def add(self, arguments: Mapping[str, Any], near: float, far: float) -> None:
        """AddThirdPartyCamera; ``near`` and ``far`` are the agent's clipping planes.

        Raises:
            ActionFailed: An argument makes no sense; nothing changed then.
        """
        start = ThirdPartyCamera(arguments["position"], arguments["rotation"])
        self.cameras.append(_changed(start, arguments, near, far))

    def update(self, number: int, arguments: Mapping[str, Any], near: float, far: float) -> None:
        """UpdateThirdPartyCamera; what is None or absent stays.

        Raises:
            ActionFailed: An argument makes no sense; nothing changed then.
        """
        if not 0 <= number < len(self.cameras):
            raise ActionFailed(
                f"thirdPartyCameraId: {number} (int: default=0) must in 0 <= thirdPartyCameraId <"
                f" len(thirdPartyCameras)={len(self.cameras)}.",
                exception_type="ArgumentOutOfRangeException",
            )
        self.cameras[number] = _changed(self.cameras[number], arguments, near, far)

    def metadata(self) -> list[dict[str, Any]]:
        """The metadata field ``thirdPartyCameras``."""
        return [
            {
                "thirdPartyCameraId": number,
                "position": dict(zip("xyz", camera.position, strict=True)),
                "rotation": dict(zip("xyz", map(wrap_degrees, camera.rotation), strict=True)),
                "fieldOfView": float(camera.field_of_view),
            }
            for number, camera in enumerate(self.cameras)
        ]


def _changed(
    camera: ThirdPartyCamera, arguments: Mapping[str, Any], near: float, far: float
) -> ThirdPartyCamera:
    angle = arguments["fieldOfView"]
    if angle is not None and not 0.0 < angle < 180.0:
        raise ActionFailed(
            f"fieldOfView: {text_of(float(angle))} must be in 0 < fieldOfView > 180.",
            exception_type="ArgumentOutOfRangeException",
        )
    if arguments["orthographic"] is not True and arguments["orthographicSize"] is not None:
        raise ActionFailed(
            f"orthographicSize(: {text_of(arguments['orthographicSize'])}) can only be set when"
            " orthographic=True.\nOtherwise, we use assume perspective camera setting."
            "Hint: call .step(..., orthographic=True).",
            exception_type="InvalidOperationException",
        )
    new_near = arguments["nearClippingPlane"] or near
    new_far = arguments["farClippingPlane"] or far
    if not 0.0 < new_near < new_far:
        raise ActionFailed(
            f"The clipping planes must be 0 < near < far, not {new_near:g} and {new_far:g}."
        )
    size = arguments["orthographicSize"]
    if size is not None and size <= 0.0:
        raise ActionFailed(f"orthographicSize must be positive, not {size:g}.")
    return replace(
        camera,
        position=_partly(arguments["position"], camera.position),
        rotation=_partly(arguments["rotation"], camera.rotation),
        field_of_view=camera.field_of_view if angle is None else angle,
        orthographic=camera.orthographic
        if arguments["orthographic"] is None
        else arguments["orthographic"],
        orthographic_size=camera.orthographic_size if size is None else size,
        near=new_near,
        far=new_far,
        background=_background(arguments["skyboxColor"], camera.background),
    )


def _partly(
    given: Vector | tuple[float | None, float | None, float | None] | None, old: Vector
) -> Vector:
    if given is None:
        return old
    x, y, z = (o if g is None else g for g, o in zip(given, old, strict=True))
    return (x, y, z)


def _background(
    text: str | None, before: tuple[int, int, int] | None
) -> tuple[int, int, int] | None:
    if text is None:
        return before
    if text == "default":
        return None
    code = _COLOR_NAMES.get(text.lower(), text.removeprefix("#"))
    if not re.fullmatch(r"[0-9a-fA-F]{6}([0-9a-fA-F]{2})?", code):
        raise ActionFailed(
            f"Invalid skyboxColor: {text}! Cannot be parsed as an HTML color.",
            exception_type="ArgumentException",
        )
    return (int(code[0:2], 16), int(code[2:4], 16), int(code[4:6], 16))
