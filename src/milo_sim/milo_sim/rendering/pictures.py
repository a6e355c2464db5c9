"""The images of a session's events, as the wire protocol carries them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy.typing as npt

from milo_sim.agent import camera_matrix
from milo_sim.cameras import ThirdPartyCamera, WantedImages
from milo_sim.geometry import euler_to_matrix
from milo_sim.protocol import FieldType
from milo_sim.rendering.camera import FAR_PLANE, NEAR_PLANE, Camera
from milo_sim.rendering.colors import color_table, packed, tag_colors
from milo_sim.rendering.renderer import Renderer
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


def agent_camera(world: World, near: float = NEAR_PLANE, far: float = FAR_PLANE) -> Camera:
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


class Palette:
    """Colours of what pictures show.

    Attributes:
        instances: Pixel values of nothing and of each owner, each with its own colour.
        classes: Pixel values of nothing and of each owner, by object type.
        table: The metadata field ``colors``.
    """

    def __init__(self, owners: Sequence[str], world: World) -> None:
        types = {key: obj.object_type for key, obj in world.scene_objects.items()}
        classes = [types.get(owner, owner) for owner in owners]
        colors = tag_colors([*owners, *classes])
        self.instances = packed(colors[owner] for owner in owners)
        self.classes = packed(colors[name] for name in classes)
        self.table = color_table(colors)


class Pictures:
    """Draws what the cameras of a session see.

    Raises:
        RenderingUnavailable: This machine cannot draw.
    """

    def __init__(self, world: World) -> None:
        self._renderer = Renderer(world)
        self._world = world
        self._owners: list[str] | None = None
        self._palette = Palette([], world)

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
        return self._palette.table

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
        masks = images.masks
        arrays = (
            images.color,
            images.depth if wanted.depth else None,
            images.normals,
            masks.painted(self._palette.instances) if masks and ids else None,
            masks.painted(self._palette.classes) if masks and wanted.semantic else None,
        )
        return [(kind, a) for kind, a in zip(kinds, arrays, strict=True) if a is not None]

    def _follow_owners(self) -> None:
        """Work out the colours of what pictures show, when that has changed."""
        if self._renderer.owners is not self._owners:
            self._owners = self._renderer.owners
            self._palette = Palette(self._owners, self._world)
