"""What stands before the cameras: the room and all objects, as the world has them now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from milo_sim.geometry import BoolArray, FloatArray
from milo_sim.interior.panel import ROOM_TYPES
from milo_sim.rendering.gl import Context, set_filter
from milo_sim.rendering.looks import Styling, lit, styling_of
from milo_sim.rendering.object_frames import ObjectFrame, object_frame
from milo_sim.rendering.room_surfaces import room_drawables, room_lights
from milo_sim.rendering.scene_model import HIDDEN, PALETTE, Drawable, SceneModel
from milo_sim.rendering.shapes import ShapeKey, shape, shape_key
from milo_sim.scene import Scene, SceneObject
from milo_sim.state import ObjectState
from milo_sim.visibility import is_enclosed
from milo_sim.world import World

SWAP = [0, 2, 1]
"""Unity's x, y, z in MuJoCo's order; the mirror image turns the left-handed frame round."""
_FONT_SCALE = 50


@dataclass(slots=True, eq=False)
class _Shown:
    """What is drawn of one object.

    ``home`` are the surfaces that the scene was compiled with, for the look ``home_key``.
    """

    fixed: SceneObject
    frame: ObjectFrame
    state: ObjectState | None = None
    revision: int = -1
    key: ShapeKey | None = None
    home_key: ShapeKey | None = None
    home: list[int] = field(default_factory=list)
    surfaces: list[int] = field(default_factory=list)


class Stage:
    """The compiled scene with the poses of all surfaces.

    Attributes:
        world: The world that is shown.
        model: The compiled scene.
        context: MuJoCo's drawing context (``MjrContext``) for it.
        owners: Names of what is there: objects by id, parts of the room by name.
        positions: (n, 3) places of the surfaces, y and z swapped [m].
        turns: (n, 3, 3) their rotations, y and z swapped.
        alive: (n,) which of them are there now.
        groups: (n,) groups they are drawn in.
        owner_of: (n,) indices into ``owners``.
        builds: How often a scene has been compiled.
    """

    def __init__(self, mujoco: Any, gl: Context, world: World) -> None:
        self._mujoco = mujoco
        self._gl = gl
        self._scene: Scene | None = None
        self._styling = Styling()
        self._room: Sequence[Drawable] = ()
        self._shown: dict[str, _Shown] = {}
        self.context: Any = None
        self.owners: list[str] = []
        self.builds = 0
        self.show(world)

    def close(self) -> None:
        """Give the drawing context back."""
        if self.context is not None:
            self._gl.make_current()
            self.context.free()
            self.context = None

    def show(self, world: World) -> None:
        """Follow another world from now on."""
        self.world = world
        self._hidden_at = -1
        if world.scene is not self._scene:
            self._scene = world.scene
            self._decorate()
            self._build(spare=False)

    def _decorate(self) -> None:
        self._styling = styling_of(self.world)
        self._room = tuple(room_drawables(self.world.scene, self._styling))

    # Compiling

    def _build(self, spare: bool) -> None:
        """Compile the scene in its present state."""
        drawables = list(self._room)
        self._shown = {}
        for object_id, state in self.world.objects.items():
            shown = self._new_shown(object_id)
            shown.key = shown.home_key = self._key(shown, state)
            found = self._surfaces(object_id, shown)
            shown.home = list(range(len(drawables), len(drawables) + len(found)))
            shown.surfaces = shown.home
            drawables += found
            self._shown[object_id] = shown
        lights = room_lights(self.world.scene)
        self.model = SceneModel(self._mujoco, drawables, lights, spare)
        # Objects without surfaces of their own may get some later.
        self.owners = list(dict.fromkeys([*(d.owner for d in drawables), *self._shown]))
        self._prepare()

    def _prepare(self) -> None:
        """Make what goes with a new model."""
        mujoco, model = self._mujoco, self.model
        self.close()
        self._gl.make_current()
        self.context = mujoco.MjrContext(model.model, _FONT_SCALE)
        for index in range(model.model.ntex):
            name = model.model.texture(index).name
            set_filter(self._gl, int(self.context.texture[index]), smooth=name != PALETTE)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self.context)
        self.context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        count = len(model.drawables)
        number = {owner: index for index, owner in enumerate(self.owners)}
        self.positions: FloatArray = np.zeros((count, 3))
        self.turns: FloatArray = np.tile(np.eye(3), (count, 1, 1))
        self.alive: BoolArray = np.array([d is not None for d in model.drawables])
        self.groups = np.array([d.group if d else HIDDEN for d in model.drawables])
        self.owner_of = np.array(
            [number[d.owner] if d else 0 for d in model.drawables], dtype=np.intp
        )
        self._lights = model.model.light_diffuse.copy()
        self._lit: object = None
        self._hidden_at = -1
        self.builds += 1

    def _new_shown(self, object_id: str) -> _Shown:
        fixed = self.world.scene_objects[object_id]
        return _Shown(fixed, object_frame(fixed, self.world.scene))

    def _key(self, shown: _Shown, state: ObjectState) -> ShapeKey:
        size = shown.frame.size_now(state)
        return shape_key(shown.fixed, state, size, self.world.scene.name, self._styling)

    def _surfaces(self, object_id: str, shown: _Shown) -> list[Drawable]:
        if shown.fixed.object_type in ROOM_TYPES or shown.key is None:
            return []
        return [replace(drawable, owner=object_id) for drawable in shape(shown.key)]

    # Following the world

    def follow(self) -> None:
        """Bring everything up to the world's state."""
        world = self.world
        if styling_of(world) != self._styling:
            self._decorate()
            self._build(spare=False)
        self._light()
        self._follow_roster()
        if not self._follow_states():
            self._build(spare=True)
            self._follow_states()
        self._hide()

    def _light(self) -> None:
        restyling = self.world.restyling
        if restyling is self._lit:
            return
        self._lit = restyling
        self.model.model.light_diffuse[:], ambient = lit(self._lights, restyling)
        self.model.set_ambient(ambient)

    def _follow_roster(self) -> None:
        """Take out what has vanished and take in what is new."""
        objects = self.world.objects
        for object_id in [key for key in self._shown if key not in objects]:
            shown = self._shown.pop(object_id)
            self._release(shown)
            self.alive[shown.home] = False
        for object_id in [key for key in objects if key not in self._shown]:
            self._shown[object_id] = self._new_shown(object_id)
            if object_id not in self.owners:
                # A new list: whoever has looked at the old one sees that it changed.
                self.owners = [*self.owners, object_id]

    def _follow_states(self) -> bool:
        """Bring poses and shapes up to date; False if the spare surfaces do not suffice."""
        for object_id, state in self.world.objects.items():
            shown = self._shown[object_id]
            if shown.state is state and shown.revision == state.revision:
                continue
            fixed = self.world.scene_objects[object_id]
            if fixed is not shown.fixed:
                shown.fixed, shown.frame = fixed, object_frame(fixed, self.world.scene)
            key = self._key(shown, state)
            if key != shown.key and not self._reshape(object_id, shown, key):
                return False
            self._place(shown, state)
            shown.state, shown.revision = state, state.revision
        return True

    def _reshape(self, object_id: str, shown: _Shown, key: ShapeKey) -> bool:
        """Exchange an object's surfaces; False if the spare ones do not suffice."""
        self._release(shown)
        shown.key = key
        if key == shown.home_key:
            shown.surfaces = shown.home
            self.alive[shown.home] = True
            return True
        for drawable in self._surfaces(object_id, shown):
            spare = self.model.free_spare(drawable.surface)
            if spare is None:
                return False
            self.model.fill(spare, drawable, self.context)
            shown.surfaces.append(spare)
            self.alive[spare] = True
            self.groups[spare] = drawable.group
            self.owner_of[spare] = self.owners.index(object_id)
        return True

    def _release(self, shown: _Shown) -> None:
        """Draw an object's surfaces no longer."""
        for index in shown.surfaces:
            if self.model.is_spare(index):
                self.model.release(index)
        self.alive[shown.surfaces] = False
        shown.surfaces = []
        self._hidden_at = -1

    def _place(self, shown: _Shown, state: ObjectState) -> None:
        """Move an object's surfaces to where the object is."""
        box = shown.frame.box(state)
        turn = box.axes[SWAP][:, SWAP]
        quaternion = np.zeros(4)
        self._mujoco.mju_mat2Quat(quaternion, turn.ravel())
        self.positions[shown.surfaces] = box.center[SWAP]
        self.turns[shown.surfaces] = turn
        self.model.data.mocap_pos[shown.surfaces] = box.center[SWAP]
        self.model.data.mocap_quat[shown.surfaces] = quaternion

    def _hide(self) -> None:
        """Leave out what is in closed containers and what the world has no more."""
        world = self.world
        if self._hidden_at == world.revision:
            return
        self._hidden_at = world.revision
        for object_id, shown in self._shown.items():
            state = world.objects[object_id]
            seen = state.is_present and not state.is_hidden and not is_enclosed(world, object_id)
            self.alive[shown.surfaces] = seen
