"""Cameras: where they are and what they take in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from milo_sim.geometry import BoolArray, FloatArray, Vector

NEAR_PLANE = 0.01
FAR_PLANE = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera without lens distortion, in Unity's frame.

    Attributes:
        position: Position [m].
        rotation: Columns right, up, forward: (3, 3).
        field_of_view: Vertical angle of view [degrees].
        near: Near clipping plane [m].
        far: Far clipping plane, and the depth of what is farther [m].
        orthographic_size: Half the height of the picture [m] of a camera with parallel rays, None
            for a perspective one.
        background: Red, green, blue (0 to 255) where nothing is, None for black.
    """

    position: Vector
    rotation: FloatArray
    field_of_view: float = 90.0
    near: float = NEAR_PLANE
    far: float = FAR_PLANE
    orthographic_size: float | None = None
    background: tuple[int, int, int] | None = None

    @property
    def slope(self) -> float:
        """Half the height of the picture per metre of depth."""
        return math.tan(math.radians(self.field_of_view / 2))

    def sees(self, centers: FloatArray, radii: FloatArray, aspect: float) -> BoolArray:
        """Which of n spheres, by centres (n, 3) and radii (n,), may show: (n,) booleans.

        ``aspect`` is the picture's width divided by its height.
        """
        local = (centers - np.asarray(self.position)) @ self.rotation
        visible: BoolArray = (local[:, 2] > -radii) & (local[:, 2] < self.far + radii)
        for axis, stretch in ((0, aspect), (1, 1.0)):
            if self.orthographic_size is not None:
                edge = self.orthographic_size * stretch + radii
            else:
                slope = self.slope * stretch
                edge = local[:, 2] * slope + radii * math.hypot(1.0, slope)
            visible &= np.abs(local[:, axis]) < edge
        return visible

    def rays(self, width: int, height: int) -> FloatArray:
        """Directions (height, width, 3) of the pixels' centres, of depth 1, in the world.

        A perspective camera's ray starts at the camera: position + depth * ray is the point seen.
        """
        x = (2 * (np.arange(width) + 0.5) / width - 1) * self.slope * width / height
        y = (1 - 2 * (np.arange(height) + 0.5) / height) * self.slope
        local = np.stack(
            [*np.meshgrid(x, y), np.ones((height, width))],
            axis=-1,
        )
        rays: FloatArray = local @ self.rotation.T
        return rays
