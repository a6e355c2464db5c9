"""Pictures of a running scene, drawn by MuJoCo into memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from milo_sim.geometry import BoolArray
from milo_sim.rendering.camera import Camera
from milo_sim.rendering.gl import Context, create_context, import_mujoco
from milo_sim.rendering.scene_model import GLASS, HIDDEN
from milo_sim.rendering.stage import SWAP, Stage
from milo_sim.world import World


@dataclass(frozen=True, eq=False, slots=True)
class Masks:
    """Who is seen in each pixel.

    Attributes:
        numbers: (height, width) numbers of what was drawn, 0 where nothing is.
        owner_of: (k,) for each number 1 + index into ``Renderer.owners``, 0 for nothing.
    """

    numbers: npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
    owner_of: npt.NDArray[np.intp]

    @property
    def owners(self) -> npt.NDArray[np.intp]:
        """(height, width) 1 + index into ``Renderer.owners``, 0 where nothing is."""
        return self.owner_of[self.numbers]

    def painted(self, colors: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """(height, width) colours, given that of nothing and then those of all owners."""
        return colors[self.owner_of][self.numbers]


@dataclass(frozen=True, eq=False, slots=True)
class Images:
    """Pictures from one camera; rows run from the bottom up, as the wire protocol wants them.

    Attributes:
        color: (height, width, 3) red, green, blue.
        depth: (height, width) distance along the optical axis [m].
        masks: Who is seen.
        normals: (height, width, 3) surface normals in the camera's frame (x right, y up, z towards
            the camera), -1 to 1 mapped to 0 to 255.
    """

    color: npt.NDArray[np.uint8] | None = None
    depth: npt.NDArray[np.float32] | None = None
    masks: Masks | None = None
    normals: npt.NDArray[np.uint8] | None = None


class Renderer:
    """Draws the present state of a scene.

    Raises:
        RenderingUnavailable: This machine cannot draw.
    """

    def __init__(self, world: World) -> None:
        self._mujoco = import_mujoco()
        self._gl = create_context()
        self._stage = Stage(self._mujoco, self._gl, world)
        self._built = 0
        self._size = (0, 0)

    @property
    def owners(self) -> list[str]:
        """Names of what pictures show: objects by id, parts of the room by name."""
        return self._stage.owners

    @property
    def world(self) -> World:
        """The world that is drawn."""
        return self._stage.world

    @property
    def context(self) -> Context:
        """The OpenGL context that is drawn in."""
        return self._gl

    @property
    def triangles(self) -> int:
        """Number of triangles of the scene."""
        return int(self._stage.model.model.mesh_facenum.sum())

    @property
    def surfaces(self) -> int:
        """Number of surfaces of the scene, the unused spare ones left out."""
        return sum(drawable is not None for drawable in self._stage.model.drawables)

    def close(self) -> None:
        """Give all memory back."""
        self._stage.close()
        self._gl.free()

    def show(self, world: World) -> None:
        """Follow another world from now on."""
        self._stage.show(world)

    def _get_ready(self, size: tuple[int, int]) -> None:
        """Follow the world, and have what a picture of a size needs."""
        mujoco, stage = self._mujoco, self._stage
        self._gl.make_current()
        stage.follow()
        if self._built != stage.builds:
            self._built = stage.builds
            self._size = (0, 0)
            self._mjv = mujoco.MjvScene(stage.model.model, maxgeom=len(stage.model.drawables) + 1)
            for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
                self._mjv.flags[flag] = False
            self._option = mujoco.MjvOption()
            self._free_camera = mujoco.MjvCamera()
        if self._size != size:
            mujoco.mjr_resizeOffscreen(*size, stage.context)
            self._size = size

    def render(
        self,
        camera: Camera,
        width: int,
        height: int,
        *,
        color: bool = True,
        depth: bool = False,
        masks: bool = False,
        normals: bool = False,
        only: Collection[str] | None = None,
    ) -> Images:
        """Draw what a camera sees now; only what is asked for is made.

        ``only`` leaves out all owners but these, so that nothing hides them.
        """
        self._get_ready((width, height))
        self._cull(camera, width / height, only)
        model = self._stage.model
        self._mujoco.mj_kinematics(model.model, model.data)
        self._mujoco.mj_camlight(model.model, model.data)
        images = Images()
        if color:
            self._set(camera, glass=True)
            pixels = np.empty((height, width, 3), dtype=np.uint8)
            images = replace(images, color=self._draw(pixels, None))
        if depth or masks or normals or (color and camera.background is not None):
            images = self._geometry(images, camera, normals)
        return images

    def _cull(self, camera: Camera, aspect: float, only: Collection[str] | None) -> None:
        """Leave out what is not in view."""
        stage, model = self._stage, self._stage.model
        middles = stage.positions + np.einsum("nij,nj->ni", stage.turns, model.centers)
        seen = stage.alive & camera.sees(middles[:, SWAP], model.radii, aspect)
        if only is not None:
            seen &= np.array([owner in only for owner in stage.owners])[stage.owner_of]
        model.model.geom_group[:] = np.where(seen, stage.groups, HIDDEN)

    def _set(self, camera: Camera, glass: bool) -> None:
        """Set the scene for one drawing."""
        mujoco = self._mujoco
        self._option.geomgroup[:] = 1
        self._option.geomgroup[HIDDEN] = 0
        self._option.geomgroup[GLASS] = glass
        mujoco.mjv_updateScene(
            self._stage.model.model,
            self._stage.model.data,
            self._option,
            None,
            self._free_camera,
            mujoco.mjtCatBit.mjCAT_ALL.value,
            self._mjv,
        )
        forward, up = camera.rotation[SWAP, 2], camera.rotation[SWAP, 1]
        half = camera.orthographic_size
        top = camera.near * camera.slope if half is None else half
        for view in self._mjv.camera:
            view.pos = np.asarray(camera.position)[SWAP]
            view.forward, view.up = forward, up
            view.orthographic = half is not None
            view.frustum_center, view.frustum_bottom, view.frustum_top = 0.0, -top, top
            view.frustum_near, view.frustum_far = camera.near, camera.far

    def _draw(
        self, color: npt.NDArray[np.uint8], depth: npt.NDArray[np.float32] | None
    ) -> npt.NDArray[np.uint8]:
        height, width, _ = color.shape
        area = self._mujoco.MjrRect(0, 0, width, height)
        self._mujoco.mjr_render(area, self._mjv, self._stage.context)
        self._mujoco.mjr_readPixels(color, depth, area, self._stage.context)
        return color

    def _geometry(self, images: Images, camera: Camera, normals: bool) -> Images:
        """Add depth, owners and normals, which look through clear glass walls."""
        width, height = self._size
        self._set(camera, glass=False)
        flags, kinds = self._mjv.flags, self._mujoco.mjtRndFlag
        flags[kinds.mjRND_SEGMENT] = flags[kinds.mjRND_IDCOLOR] = True
        codes = np.empty((height, width, 3), dtype=np.uint8)
        raw = np.empty((height, width), dtype=np.float32)
        self._draw(codes, raw)
        flags[kinds.mjRND_SEGMENT] = flags[kinds.mjRND_IDCOLOR] = False
        masks = self._masks(codes)
        nothing = masks.numbers == 0
        if images.color is not None and camera.background is not None:
            images.color[nothing] = camera.background
        return replace(
            images,
            depth=_metres(raw, camera),
            masks=masks,
            normals=self._normals(camera, nothing) if normals else None,
        )

    def _masks(self, codes: npt.NDArray[np.uint8]) -> Masks:
        """Masks from the numbers that MuJoCo drew as colours, lowest byte first."""
        drawn = [geom.objid for geom in self._mjv.geoms[: self._mjv.ngeom]]
        owner_of = np.zeros(len(drawn) + 1, dtype=np.intp)
        owner_of[1:] = self._stage.owner_of[drawn] + 1
        if len(owner_of) <= 256:
            return Masks(np.ascontiguousarray(codes[:, :, 0]), owner_of)
        numbers = codes[:, :, 0].astype(np.uint16)
        numbers |= codes[:, :, 1].astype(np.uint16) << 8
        return Masks(numbers, owner_of)

    def _normals(self, camera: Camera, nothing: BoolArray) -> npt.NDArray[np.uint8]:
        """Draw white surfaces under three coloured suns, once from each side.

        A sun along an axis lights a surface by the normal's component on that axis if it is
        positive, so two pictures give the three components.
        """
        height, width = nothing.shape
        for geom in self._mjv.geoms[: self._mjv.ngeom]:
            geom.matid, geom.texid = -1, -1
            geom.rgba = (1.0, 1.0, 1.0, 1.0)
            geom.emission, geom.specular = 0.0, 0.0
        axes = np.stack([camera.rotation[:, 0], camera.rotation[:, 1], -camera.rotation[:, 2]])
        sides = []
        for sign in (1.0, -1.0):
            self._mjv.nlight = 3
            for channel in range(3):
                light = self._mjv.lights[channel]
                light.type = self._mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
                light.headlight, light.castshadow = 0, 0
                light.dir = -sign * axes[channel][SWAP]
                light.ambient, light.specular = np.zeros(3), np.zeros(3)
                light.diffuse = np.eye(3)[channel]
            sides.append(self._draw(np.empty((height, width, 3), np.uint8), None).astype(np.int16))
        encoded = 127.5 + (sides[0] - sides[1]) / 2
        encoded[nothing] = 0.0
        return np.clip(encoded.round(), 0, 255).astype(np.uint8)


def _metres(raw: npt.NDArray[np.float32], camera: Camera) -> npt.NDArray[np.float32]:
    """Depth along the optical axis from OpenGL's reversed depth (1 near, 0 far)."""
    near, far = np.float32(camera.near), np.float32(camera.far)
    if camera.orthographic_size is not None:
        return far - raw * (far - near)
    return near * far / (raw * (far - near) + near)
