"""The images of a session's events, as the wire protocol carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from milo_sim.cameras import ThirdPartyCamera, WantedImages
from milo_sim.geometry import euler_to_matrix
from milo_sim.holding import camera_matrix
from milo_sim.protocol import FieldType
from milo_sim.rendering.camera import Camera
from milo_sim.rendering.colors import Color, color_table, packed, tag_colors
from milo_sim.rendering.renderer import Images, Renderer
from milo_sim.world import World

Field = tuple[FieldType, npt.NDArray[Any]]

_AGENT_FIELDS = (
    FieldType.RGB_IMAGE,
    FieldType.DEPTH_IMAGE,
    FieldType.NORMALS_IMAGE,
    FieldType.IDS_IMAGE,
    FieldType.CLASSES_IMAGE,
)
_THIRD_PARTY_FIELDS = (
    FieldType.THIRD_PARTY_IMAGE,
    FieldType.THIRD_PARTY_DEPTH,
    FieldType.THIRD_PARTY_NORMALS,
    FieldType.THIRD_PARTY_IMAGE_IDS,
    FieldType.THIRD_PARTY_CLASSES,
)


def agent_camera(world: World, near: float, far: float) -> Camera:
    """The agent's eye."""
    return Camera(
        world.camera_position, camera_matrix(world), world.settings.field_of_view, near, far
    )


def third_party_camera(camera: ThirdPartyCamera) -> Camera:
    """A third-party camera as the renderer has it."""
    return Camera(
        camera.position,
        euler_to_matrix(camera.rotation),
        camera.field_of_view,
        camera.near,
        camera.far,
        camera.orthographic_size if camera.orthographic else None,
        camera.background,
    )


class Pictures:
    """Draws what the cameras of a session see.

    Raises:
        RenderingUnavailable: This machine cannot draw.
    """

    def __init__(self, world: World) -> None:
        self._renderer = Renderer(world)
        self._world = world
        self._owners: list[str] = []
        self._colors: Mapping[str, Color] = {}
        self._instances: npt.NDArray[np.uint32] = packed([])
        self._classes: npt.NDArray[np.uint32] = packed([])
        self._table: list[dict[str, Any]] = []

    def close(self) -> None:
        """Give all memory back."""
        self._renderer.close()

    def fields(
        self,
        world: World,
        agent: Camera,
        others: Sequence[Camera],
        size: tuple[int, int],
        wanted: WantedImages,
    ) -> list[Field]:
        """Images (bottom row first) of the agent's camera and of the others, in their order.

        ``size`` is width and height in pixels.
        """
        if world is not self._world:
            self._renderer.show(world)
            self._world = world
        fields = list(self._of(agent, size, wanted, _AGENT_FIELDS, ids=wanted.masks))
        for camera in others:
            fields += self._of(camera, size, wanted, _THIRD_PARTY_FIELDS, ids=wanted.instance)
        return fields

    def color_table(self) -> list[dict[str, Any]]:
        """The metadata field ``colors`` for the last images."""
        self._follow_owners()
        return self._table

    def _of(
        self,
        camera: Camera,
        size: tuple[int, int],
        wanted: WantedImages,
        kinds: Sequence[FieldType],
        ids: bool,
    ) -> Iterable[Field]:
        width, height = size
        images = self._renderer.render(
            camera,
            width,
            height,
            depth=wanted.depth,
            masks=wanted.masks,
            normals=wanted.normals,
        )
        self._follow_owners()
        arrays = (
            images.color,
            images.depth if wanted.depth else None,
            images.normals,
            self._painted(images, self._instances) if ids else None,
            self._painted(images, self._classes) if wanted.semantic else None,
        )
        return [(kind, a) for kind, a in zip(kinds, arrays, strict=True) if a is not None]

    @staticmethod
    def _painted(images: Images, palette: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
        return None if images.owners is None else palette[images.owners]

    def _follow_owners(self) -> None:
        """Work out the colours of what pictures show, when that has changed."""
        owners = self._renderer.owners
        if owners is self._owners:
            return
        self._owners = owners
        types = {key: obj.object_type for key, obj in self._world.scene_objects.items()}
        classes = [types.get(owner, owner) for owner in owners]
        colors = tag_colors([*owners, *classes])
        self._instances = packed(colors[owner] for owner in owners)
        self._classes = packed(colors[name] for name in classes)
        self._table = color_table(colors)
