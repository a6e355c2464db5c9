"""Pictures of a running scene, drawn by MuJoCo into memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from milo_sim.geometry import BoolArray, FloatArray
from milo_sim.interior.room import ROOM_TYPES
from milo_sim.rendering.camera import Camera
from milo_sim.rendering.gl import Context, create_context, import_mujoco, set_filter
from milo_sim.rendering.object_frames import ObjectFrame, object_frame
from milo_sim.rendering.room_surfaces import room_drawables, room_lights
from milo_sim.rendering.scene_model import GLASS, HIDDEN, PALETTE, Drawable, SceneModel
from milo_sim.rendering.shapes import ShapeKey, shape, shape_key
from milo_sim.scene import Scene
from milo_sim.state import ObjectState
from milo_sim.visibility import is_enclosed
from milo_sim.world import World

_SWAP = [0, 2, 1]
"""Unity's x, y, z in MuJoCo's order; the mirror image turns the left-handed frame round."""
_FONT_SCALE = 50
_SIDES = ((0, 1.0), (1, 1.0), (2, 1.0), (0, -1.0), (1, -1.0), (2, -1.0))


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


@dataclass(slots=True, eq=False)
class _Shown:
    """What is drawn of one object."""

    state: ObjectState
    revision: int
    frame: ObjectFrame
    home_key: ShapeKey
    key: ShapeKey
    home: list[int]
    surfaces: list[int]


class Renderer:
    """Draws the present state of a scene.

    Attributes:
        owners: Names of what pictures show: objects by id, parts of the room by name.
    """

    def __init__(self, world: World) -> None:
        self._mujoco = import_mujoco()
        self._gl = create_context()
        self._context: Any = None
        self._size = (0, 0)
        self._world = world
        self._scene: Scene | None = None
        self._frames: dict[str, ObjectFrame] = {}
        self.owners: list[str] = []
        self.show(world)

    @property
    def world(self) -> World:
        """The world that is drawn."""
        return self._world

    @property
    def context(self) -> Context:
        """The OpenGL context that is drawn in."""
        return self._gl

    @property
    def triangles(self) -> int:
        """Number of triangles of the scene."""
        return int(self.model.model.mesh_facenum.sum())

    @property
    def surfaces(self) -> int:
        """Number of surfaces of the scene, the unused spare ones left out."""
        return sum(drawable is not None for drawable in self.model.drawables)

    def close(self) -> None:
        """Give all memory back."""
        if self._context is not None:
            self._gl.make_current()
            self._context.free()
            self._context = None
        self._gl.free()

    # What is there

    def show(self, world: World) -> None:
        """Follow another world from now on."""
        self._world = world
        if world.scene is not self._scene:
            self._scene = world.scene
            self._frames = {}
            self._room = tuple(room_drawables(world.scene))
            self._build(spare=False)
        self._contents_revision = -1

    def _build(self, spare: bool) -> None:
        """Compile the scene in its present state."""
        world = self._world
        drawables = list(self._room)
        shown: dict[str, _Shown] = {}
        for object_id, state in world.objects.items():
            frame = self._frame(object_id)
            key = self._key(object_id, state, frame)
            found = self._surfaces(object_id, key)
            indices = list(range(len(drawables), len(drawables) + len(found)))
            drawables += found
            shown[object_id] = _Shown(state, -1, frame, key, key, indices, indices)
        self._shown = shown
        self.model = SceneModel(self._mujoco, drawables, room_lights(world.scene), spare)
        self.owners = list(dict.fromkeys(d.owner for d in drawables))
        self._prepare()

    def _prepare(self) -> None:
        """Make what goes with a new model: buffers, poses, owners of the surfaces."""
        mujoco, model = self._mujoco, self.model
        self._gl.make_current()
        if self._context is not None:
            self._context.free()
        self._context = mujoco.MjrContext(model.model, _FONT_SCALE)
        for index in range(model.model.ntex):
            name = model.model.texture(index).name
            set_filter(self._gl, int(self._context.texture[index]), smooth=name != PALETTE)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._size = (0, 0)
        count = len(model.drawables)
        self._mjv = mujoco.MjvScene(model.model, maxgeom=count + 1)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._mjv.flags[flag] = False
        self._option = mujoco.MjvOption()
        self._free_camera = mujoco.MjvCamera()
        self._positions: FloatArray = np.zeros((count, 3))
        self._turns: FloatArray = np.tile(np.eye(3), (count, 1, 1))
        self._alive: BoolArray = np.array([d is not None for d in model.drawables])
        self._groups = np.array([d.group if d else HIDDEN for d in model.drawables])
        self._owner_of = np.array(
            [self.owners.index(d.owner) if d else 0 for d in model.drawables], dtype=np.intp
        )
        self._contents_revision = -1

    def _frame(self, object_id: str) -> ObjectFrame:
        frame = self._frames.get(object_id)
        if frame is None:
            fixed = self._world.scene_objects[object_id]
            frame = self._frames[object_id] = object_frame(fixed, self._world.scene)
        return frame

    def _key(self, object_id: str, state: ObjectState, frame: ObjectFrame) -> ShapeKey:
        fixed = self._world.scene_objects[object_id]
        size = frame.size_now(state)
        return shape_key(fixed, state, size, self._world.scene.name)

    def _surfaces(self, object_id: str, key: ShapeKey) -> list[Drawable]:
        if self._world.scene_objects[object_id].object_type in ROOM_TYPES:
            return []
        return [replace(d, owner=object_id) for d in shape(key)]

    # Following the world

    def _follow(self) -> None:
        """Bring poses and shapes up to the world's state."""
        world = self._world
        if any(object_id not in world.objects for object_id in self._shown) or any(
            object_id not in self._shown for object_id in world.objects
        ):
            self._build(spare=True)
        for object_id, state in world.objects.items():
            shown = self._shown[object_id]
            if shown.state is state and shown.revision == state.revision:
                continue
            shown.state = state
            key = self._key(object_id, state, shown.frame)
            if key != shown.key and not self._reshape(object_id, shown, key):
                self._build(spare=True)
                self._follow()
                return
            self._place(shown)
            shown.revision = state.revision
        self._hide_contents()

    def _reshape(self, object_id: str, shown: _Shown, key: ShapeKey) -> bool:
        """Exchange an object's surfaces; False if the spare ones do not suffice."""
        for index in shown.surfaces:
            if self.model.is_spare(index):
                self.model.release(index)
            self._alive[index] = False
        shown.key, shown.surfaces = key, []
        if key == shown.home_key:
            shown.surfaces = shown.home
            self._alive[shown.home] = True
            return True
        for drawable in self._surfaces(object_id, key):
            spare = self.model.free_spare(drawable.surface)
            if spare is None:
                return False
            self.model.fill(spare, drawable, self._context)
            shown.surfaces.append(spare)
            self._alive[spare] = True
            self._groups[spare] = drawable.group
            self._owner_of[spare] = self.owners.index(object_id)
        return True

    def _place(self, shown: _Shown) -> None:
        """Move an object's surfaces to where the object is."""
        box = shown.frame.box(shown.state)
        turn = box.axes[_SWAP][:, _SWAP]
        quaternion = np.zeros(4)
        self._mujoco.mju_mat2Quat(quaternion, turn.ravel())
        for index in shown.surfaces:
            self._positions[index] = self.model.data.mocap_pos[index] = box.center[_SWAP]
            self._turns[index] = turn
            self.model.data.mocap_quat[index] = quaternion

    def _hide_contents(self) -> None:
        """Leave out what is in closed containers, and the wholes of what was cut up."""
        world = self._world
        if self._contents_revision == world.revision:
            return
        self._contents_revision = world.revision
        for object_id, shown in self._shown.items():
            hidden = is_enclosed(world, object_id) or (
                shown.state.is_sliced and _has_slices(object_id, world.objects)
            )
            self._alive[shown.surfaces] = not hidden

    # Drawing

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
        self._gl.make_current()
        self._follow()
        if self._size != (width, height):
            self._mujoco.mjr_resizeOffscreen(width, height, self._context)
            self._size = (width, height)
        self._cull(camera, width / height, only)
        self._mujoco.mj_kinematics(self.model.model, self.model.data)
        self._mujoco.mj_camlight(self.model.model, self.model.data)
        images = Images()
        if color:
            self._stage(camera, glass=True)
            pixels = np.empty((height, width, 3), dtype=np.uint8)
            images = replace(images, color=self._draw(pixels, None))
        if depth or masks or normals or (color and camera.background is not None):
            images = self._geometry(images, camera, normals)
        return images

    def _cull(self, camera: Camera, aspect: float, only: Collection[str] | None) -> None:
        """Leave out what is not in view."""
        middles = self._positions + np.einsum("nij,nj->ni", self._turns, self.model.centers)
        seen = self._alive & camera.sees(middles[:, _SWAP], self.model.radii, aspect)
        if only is not None:
            seen &= np.array([owner in only for owner in self.owners])[self._owner_of]
        self.model.model.geom_group[:] = np.where(seen, self._groups, HIDDEN)

    def _stage(self, camera: Camera, glass: bool) -> None:
        """Set the scene for one drawing."""
        mujoco = self._mujoco
        self._option.geomgroup[:] = 1
        self._option.geomgroup[HIDDEN] = 0
        self._option.geomgroup[GLASS] = glass
        mujoco.mjv_updateScene(
            self.model.model,
            self.model.data,
            self._option,
            None,
            self._free_camera,
            mujoco.mjtCatBit.mjCAT_ALL.value,
            self._mjv,
        )
        forward, up = camera.rotation[_SWAP, 2], camera.rotation[_SWAP, 1]
        half = camera.orthographic_size
        top = camera.near * camera.slope if half is None else half
        for view in self._mjv.camera:
            view.pos = np.asarray(camera.position)[_SWAP]
            view.forward, view.up = forward, up
            view.orthographic = half is not None
            view.frustum_center, view.frustum_bottom, view.frustum_top = 0.0, -top, top
            view.frustum_near, view.frustum_far = camera.near, camera.far

    def _draw(
        self, color: npt.NDArray[np.uint8], depth: npt.NDArray[np.float32] | None
    ) -> npt.NDArray[np.uint8]:
        height, width, _ = color.shape
        area = self._mujoco.MjrRect(0, 0, width, height)
        self._mujoco.mjr_render(area, self._mjv, self._context)
        self._mujoco.mjr_readPixels(color, depth, area, self._context)
        return color

    def _geometry(self, images: Images, camera: Camera, normals: bool) -> Images:
        """Add depth, owners and normals, which look through clear glass walls."""
        width, height = self._size
        self._stage(camera, glass=False)
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
        owner_of[1:] = self._owner_of[drawn] + 1
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
                light.dir = -sign * axes[channel][_SWAP]
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


def _has_slices(object_id: str, ids: Collection[str]) -> bool:
    return any(other.startswith(f"{object_id}|") for other in ids)
