"""The room as surfaces in the world's frame."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from milo_sim.appearance.model import Paint
from milo_sim.interior.panel import Panel
from milo_sim.interior.room import panels, room_of
from milo_sim.interior.style import RoomStyle
from milo_sim.rendering.looks import Styling
from milo_sim.rendering.scene_model import Drawable, Light, Texture
from milo_sim.rendering.surfaces import Finish, mirrored, palette_coordinate
from milo_sim.scene import Scene

_HALVES = [0, 1, 2, 0, 2, 3]
"""The two triangles of a rectangle."""


def room_drawables(scene: Scene, styling: Styling) -> Iterator[Drawable]:
    """Everything that is drawn of a scene's room."""
    style = RoomStyle(
        scene.room_type, styling.seed(scene.name), styling.room_types, styling.color_seed
    )
    for panel in panels(scene, style):
        yield _drawable(panel)


def room_lights(scene: Scene) -> tuple[Light, ...]:
    """A lamp under the ceiling and a little light from two sides, so that walls look different."""
    room = room_of(scene)
    x, z = room.middle.tolist()
    return (
        Light(0.6, position=(x, room.ceiling - 0.8, z), reach=5.0, warmth=0.94),
        Light(0.22, direction=(0.6, -0.5, 0.35)),
        Light(0.12, direction=(-0.4, 0.5, -0.7)),
    )


def _drawable(panel: Panel) -> Drawable:
    corners = panel.corners[:, _HALVES].reshape(-1, 3)
    a, b, c = (panel.corners[:, i] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    normals = np.repeat(normals, 6, axis=0)
    if panel.picture is not None and panel.coordinates is not None:
        name, image = panel.picture
        texture = panel.coordinates[:, _HALVES].reshape(-1, 2)
        return Drawable(
            panel.owner, mirrored(corners, normals, texture), texture=Texture(name, image)
        )
    paint = panel.paint or Paint(0.5, 0.5, 0.5)
    color = (paint.red, paint.green, paint.blue, 1.0)
    texture = np.broadcast_to(palette_coordinate(color), (len(corners), 2))
    finish = Finish(emission=round(paint.emission * 4), glossy=paint.specular > 0.45)
    return Drawable(panel.owner, mirrored(corners, normals, texture), finish)
