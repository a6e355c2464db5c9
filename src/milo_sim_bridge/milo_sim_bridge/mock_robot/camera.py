"""What the mock robot's camera sees: boxes, floor and walls by ray casting. ROS-free."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from milo_core.errors import MiloError
from milo_sim_bridge.mock_robot.robot import FIELD_OF_VIEW, Robot
from milo_sim_bridge.mock_robot.state import Box, hit_distances

WALL_HEIGHT = 2.5
_SUFFIXES = frozenset({".png", ".jpg", ".jpeg"})
_FLOOR_COLOR, _WALL_COLOR = (150, 130, 110), (215, 210, 200)
_SHADES = np.array([0.75, 0.88, 1.0])
"""Brightness of the faces across x, y and z."""


class ImageFolderError(MiloError):
    """A folder of images that can't be used."""


@dataclass(frozen=True)
class Picture:
    """One look of the camera."""

    color: NDArray[np.uint8]
    """(H, W, 3), RGB."""
    depth: NDArray[np.float32]
    """(H, W), metres along the optical axis."""


class Camera:
    """A pinhole camera with square pixels.

    Args:
        width: of the images, pixels.
        height: of the images, pixels; the field of view counts vertically.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.focal = height / 2 / math.tan(FIELD_OF_VIEW / 2)
        """Pixels."""
        rows, columns = np.mgrid[0:height, 0:width]
        left = (width / 2 - (columns + 0.5)) / self.focal
        up = (height / 2 - (rows + 0.5)) / self.focal
        self._rays = np.stack([np.ones_like(left), left, up], axis=-1).reshape(-1, 3)

    def look(self, robot: Robot) -> Picture:
        """Return what the camera sees now."""
        solids = robot.state.solids()
        origin, axes = robot.camera_pose()
        room = _room(robot)
        boxes = [*room, *(box for _, box in solids)]
        colors = [_FLOOR_COLOR] + [_WALL_COLOR] * (len(room) - 1)
        colors += [color_of(item.type, item.item_id) for item, _ in solids]
        rays = self._rays @ axes.T
        distances = hit_distances(origin, rays, boxes)
        nearest = np.argmin(distances, axis=0)
        depth = np.min(distances, axis=0)
        points = np.array(origin) + rays * np.where(np.isfinite(depth), depth, 0.0)[:, None]
        shade = _shades(points, nearest, boxes)
        color = np.array(colors)[nearest] * shade[:, None]
        shape = (self.height, self.width)
        return Picture(
            color.astype(np.uint8).reshape(*shape, 3), depth.astype(np.float32).reshape(shape)
        )


def _room(robot: Robot) -> list[Box]:
    """Floor and walls as thin boxes around the floor."""
    (x0, y0), (x1, y1) = robot.home.floor.min, robot.home.floor.max
    return [
        Box((x0, y0, -0.1), (x1, y1, 0.0)),
        Box((x0 - 0.1, y0, 0.0), (x0, y1, WALL_HEIGHT)),
        Box((x1, y0, 0.0), (x1 + 0.1, y1, WALL_HEIGHT)),
        Box((x0, y0 - 0.1, 0.0), (x1, y0, WALL_HEIGHT)),
        Box((x0, y1, 0.0), (x1, y1 + 0.1, WALL_HEIGHT)),
        Box((x0, y0, WALL_HEIGHT), (x1, y1, WALL_HEIGHT + 0.1)),
    ]


def _shades(
    points: NDArray[np.float64], nearest: NDArray[np.intp], boxes: Sequence[Box]
) -> NDArray[np.float64]:
    """Return the brightness of the face on which each point lies."""
    centers = np.array([[(a + b) / 2 for a, b in zip(x.low, x.high, strict=True)] for x in boxes])
    halves = np.array([[(b - a) / 2 for a, b in zip(x.low, x.high, strict=True)] for x in boxes])
    relative = np.abs(points - centers[nearest]) / halves[nearest]
    result: NDArray[np.float64] = _SHADES[np.argmax(relative, axis=1)]
    return result


def color_of(*words: str) -> tuple[int, int, int]:
    """Return a colour that is always the same for the same words."""
    digest = hashlib.sha256("/".join(words).encode()).digest()
    return 60 + digest[0] % 180, 60 + digest[1] % 180, 60 + digest[2] % 180


def load_images(folder: Path, width: int, height: int) -> list[NDArray[np.uint8]]:
    """Read the PNG and JPEG files of a folder in the order of their names, as (H, W, 3) RGB.

    Raises:
        ImageFolderError: there are none, one is unreadable, or Pillow is not installed.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        text = "Images from a folder need the package pillow; pip install pillow."
        raise ImageFolderError(text) from error
    try:
        paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in _SUFFIXES)
    except OSError as error:
        text = f"The image folder {folder} can't be read: {error.strerror}."
        raise ImageFolderError(text) from error
    if not paths:
        raise ImageFolderError(f"There is no PNG or JPEG file in the image folder {folder}.")
    images = []
    for path in paths:
        try:
            with Image.open(path) as image:
                images.append(np.asarray(image.convert("RGB").resize((width, height))))
        except (OSError, UnidentifiedImageError) as error:
            raise ImageFolderError(f"The image {path} can't be read: {error}.") from error
    return images
