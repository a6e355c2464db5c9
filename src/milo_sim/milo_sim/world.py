"""The running scene: actions of the AI2-THOR agent on the packaged iTHOR scenes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from milo_sim import holding, navigation, opening, placement, poses, raycast, visibility
from milo_sim.errors import ActionFailed
from milo_sim.geometry import BoolArray, Box, FloatArray, Vector
from milo_sim.motion import object_box
from milo_sim.randomization import Restyling
from milo_sim.receptacles import TriggerBox, trigger_boxes, turned
from milo_sim.scene import Scene, SceneObject
from milo_sim.solids import CARVE_RADIUS, body_box, solid_boxes
from milo_sim.state import (
    CAMERA_HEIGHT,
    AgentState,
    ChangeCounter,
    Grip,
    HandPose,
    InteractablePose,
    ObjectState,
    Settings,
    Visibility,
)
from milo_sim.surroundings import Surroundings

__all__ = [
    "ActionFailed",
    "AgentState",
    "HandPose",
    "InteractablePose",
    "ObjectState",
    "Settings",
    "Visibility",
    "World",
]


@lru_cache(maxsize=8)
def _home_triggers(scene: Scene) -> Mapping[str, TriggerBox]:
    return trigger_boxes(scene)


@lru_cache(maxsize=8)
def _home_solids(scene: Scene) -> Mapping[str, list[Box]]:
    return {obj.object_id: solid_boxes(obj, scene) for obj in scene.objects}


class World:
    """One scene with its agent.

    Actions that fail raise ActionFailed and change nothing. ``objects`` is in the engine's order.

    Attributes:
        scene: The scene as it starts.
        scene_objects: What does not change of each object, by id; objects that appear later are
            described as they were then.
        home_triggers: Trigger boxes of the receptacles among them, where they were then.
        settings: What Initialize set.
        agent: Pose of the agent.
        objects: State of each object by id.
        held_id: What the hand holds, or None.
        grip: How the hand holds it, or None.
        velocities: Velocity (3,) of each moving body in metres a second.
        physics_paused: Moving bodies wait until the client lets time pass.
        temperatures_decay: Whether hot and cold things get room temperature again.
        time: Simulated seconds since the start.
        object_filter: Ids that the metadata is limited to, or None.
        restyling: What RandomizeMaterials and its kin changed of the scene's look.
        random: Generator that SetRandomSeed seeds.
        free_cells: Known free cells of the 0.25 m lattice.
    """

    def __init__(self, scene: Scene, settings: Settings | None = None) -> None:
        self.scene = scene
        self.start_positions = {o.object_id: o.position for o in scene.objects}
        self.free_cells = {navigation.cell_of(x, z) for x, z in scene.reachable.tolist()}
        self._cells = scene.reachable
        self.reset(settings or Settings())

    def reset(self, settings: Settings | None = None) -> None:
        """Bring the scene back to its start; None keeps the settings."""
        if settings is not None:
            self.settings = settings
        x, y, z = self.scene.start_position
        if self.settings.snap_to_grid:
            grid = self.settings.grid_size
            x, z = navigation.snap(x, grid), navigation.snap(z, grid)
        self.agent = AgentState((x, y, z), self.scene.start_yaw)
        self.changes = ChangeCounter()
        self.scene_objects = {o.object_id: o for o in self.scene.objects}
        self.home_triggers = dict(_home_triggers(self.scene))
        self._home_solids = dict(_home_solids(self.scene))
        self.objects = {o.object_id: _initial_state(o, self.changes) for o in self.scene.objects}
        self.held_id: str | None = None
        self.grip: Grip | None = None
        self.velocities: dict[str, FloatArray] = {}
        self.physics_paused = False
        self.temperatures_decay = True
        self.time = self.followed_time = 0.0
        self.followed_revision = -1
        self.object_filter: frozenset[str] | None = None
        self.restyling = Restyling()
        self.random = random.Random(0)
        self._boxes: dict[str, tuple[int, Box]] = {}
        self._parts: dict[str, tuple[int, list[Box]]] = {}
        self._points: dict[str, tuple[int, FloatArray]] = {}
        self._surroundings: tuple[tuple[int, int], Surroundings] | None = None
        self._members = 0
        self._triggers: tuple[int, dict[str, TriggerBox]] | None = None
        self._visibility: tuple[tuple[object, ...], Mapping[str, Visibility]] | None = None

    # What is where

    @property
    def revision(self) -> int:
        """A number that grows whenever any object changes."""
        return self.changes.count

    @property
    def camera_position(self) -> Vector:
        """Position of the camera [m]."""
        x, y, z = self.agent.position
        return (x, y + (CAMERA_HEIGHT if self.agent.standing else 0.0), z)

    def hand_pose(self) -> HandPose:
        """Pose of the held object, or of the empty hand."""
        return holding.hand_pose(self)

    def distance_to(self, object_id: str) -> float:
        """Distance of the agent's centre from an object's pivot [m]."""
        offset = np.subtract(self.objects[object_id].position, self.agent.position)
        return float(np.linalg.norm(offset))

    def mass_of(self, object_id: str) -> float:
        """Mass of an object [kg], 0 where none is on record."""
        own = self.objects[object_id].mass
        return self.scene_objects[object_id].mass if own is None else own

    def triggers(self) -> Mapping[str, TriggerBox]:
        """Trigger boxes of all receptacles where they are now."""
        revision = self.revision
        if self._triggers is None or self._triggers[0] != revision:
            self._triggers = (revision, {k: self._trigger(k) for k in self.home_triggers})
        return self._triggers[1]

    def _trigger(self, object_id: str) -> TriggerBox:
        home, state = self.home_triggers[object_id], self.objects[object_id]
        if state.revision == 0:
            return home
        obj = self.scene_objects[object_id]
        if state.rotation == obj.rotation:
            return home.moved(np.subtract(state.position, obj.position))
        return turned(home, obj, state)

    def is_accessible(self, receptacle_id: str) -> bool:
        """Tell whether a container is open, or has nothing to open."""
        return not self.scene_objects[receptacle_id].has("openable") or (
            self.objects[receptacle_id].is_open
        )

    def body(self, object_id: str) -> Box:
        """Box of an object's body now, without open doors."""
        obj = self.scene_objects[object_id]
        if obj.object_type in opening.DOOR_TYPES:
            return body_box(obj)
        return object_box(self.objects[object_id])

    def box(self, object_id: str) -> Box:
        """The tightest box known of an object now."""
        state = self.objects[object_id]
        cached = self._boxes.get(object_id)
        if cached is None or cached[0] != state.revision:
            cached = self._boxes[object_id] = (state.revision, object_box(state))
        return cached[1]

    def front_of(self, object_id: str) -> FloatArray:
        """Outward direction (3,) of the front of a container."""
        return opening.front(self.scene_objects[object_id], self.scene)[0]

    def solid_parts(self, object_id: str) -> list[Box]:
        """Solid boxes of an object where it is now."""
        state, obj = self.objects[object_id], self.scene_objects[object_id]
        if not state.is_present:
            return []
        cached = self._parts.get(object_id)
        if cached is not None and cached[0] == state.revision:
            return cached[1]
        home = self._home_solids[object_id]
        if state.rotation == obj.rotation:
            offset = np.subtract(state.position, obj.position)
            parts = [box.moved(offset) for box in home] if offset.any() else home
        else:
            parts = [object_box(state)] if home else []
        self._parts[object_id] = (state.revision, parts)
        return parts

    def pick_parts(self, object_id: str) -> list[Box]:
        """Boxes of an object that a ray from the screen can hit."""
        if not self.objects[object_id].is_present:
            return []
        return self.solid_parts(object_id) or [self.body(object_id)]

    def visibility_points(self, object_id: str) -> FloatArray:
        """Visibility points (n, 3) of an object."""
        revision = self.objects[object_id].revision
        cached = self._points.get(object_id)
        if cached is None or cached[0] != revision:
            cached = (revision, visibility.surface_points(self.pick_parts(object_id)))
            self._points[object_id] = cached
        return cached[1]

    def surroundings(self) -> Surroundings:
        """Arrays over all objects where they are now."""
        key = (self.revision, self._members)
        if self._surroundings is None or self._surroundings[0][1] != self._members:
            self._surroundings = (key, Surroundings(self))
        elif self._surroundings[0] != key:
            self._surroundings[1].update()
            self._surroundings = (key, self._surroundings[1])
        return self._surroundings[1]

    # Which objects there are

    def add(self, fixed: SceneObject, state: ObjectState, trigger: TriggerBox | None) -> None:
        """Let an object appear; ``trigger`` is its trigger box there if it is a receptacle."""
        key = fixed.object_id
        state.changes = self.changes
        self.scene_objects[key], self.objects[key] = fixed, state
        self._home_solids[key] = solid_boxes(fixed, self.scene)
        if trigger is not None:
            self.home_triggers[key] = trigger
        self._members_changed()

    def discard(self, object_id: str) -> None:
        """Forget an object that nothing refers to any more."""
        del self.objects[object_id], self.scene_objects[object_id], self._home_solids[object_id]
        self.home_triggers.pop(object_id, None)
        self._boxes.pop(object_id, None)
        self._parts.pop(object_id, None)
        self._points.pop(object_id, None)
        self._members_changed()

    def _members_changed(self) -> None:
        """Sort the objects by type, as the engine reports them."""
        order = sorted(self.objects, key=lambda key: self.scene_objects[key].object_type)
        self.objects = {key: self.objects[key] for key in order}
        self._members += 1
        self.changes.count += 1

    def with_carried(self, object_id: str) -> set[str]:
        """An object and all that moves with it."""
        return {object_id, *opening.carried_ids(object_id, self.objects)}

    def held_ids(self) -> set[str]:
        """Ids of what the hand holds, with what that carries."""
        return set() if self.held_id is None else self.with_carried(self.held_id)

    def moved_ids(self) -> list[str]:
        """Objects that stand elsewhere than at the start and are not held."""
        carried = self.held_ids()
        return [
            key
            for key, state in self.objects.items()
            if state.revision
            and state.is_present
            and key not in carried
            and state.position != self.start_positions.get(key)
        ]

    def over_free_cell(self, point: FloatArray, height: float) -> bool:
        """Tell whether a known agent cell proves that no surface of that height is at a point."""
        if height > self.scene.floor_y + 1.8 or height < self.scene.floor_y + 0.05:
            return False
        gap = self._cells - point[[0, 2]]
        return bool(np.any(np.hypot(gap[:, 0], gap[:, 1]) < CARVE_RADIUS))

    def points_in_reach(self, points: FloatArray) -> BoolArray:
        """Which points (n, 3) an unforced PutObject may use: near the camera and in view."""
        gap = points[:, [0, 2]] - np.asarray(self.camera_position)[[0, 2]]
        near: BoolArray = np.hypot(gap[:, 0], gap[:, 1]) < self.settings.visibility_distance
        return near & visibility.in_view(self, points)

    # Looking

    def visibility(self) -> Mapping[str, Visibility]:
        """What of each object the camera sees now and the hand could reach."""
        agent = self.agent
        pose = (agent.position, agent.yaw, agent.horizon, agent.standing)
        key = (self.revision, self.settings, *pose)
        if self._visibility is None or self._visibility[0] != key:
            self._visibility = (key, visibility.all_visibility(self))
        return self._visibility[1]

    def find_target_at(self, x: float, y: float, force: bool = False) -> str:
        """Id of the object at a screen point (0 to 1, from the top left corner)."""
        return raycast.object_at(self, x, y, force)

    def require_known(self, object_id: str) -> None:
        """Refuse ids that no object of the scene has."""
        if object_id not in self.objects:
            raise ActionFailed(
                f"objectId: {object_id} is not the objectId on any object in the scene!",
                exception_type="ArgumentException",
            )

    def require_interactable(self, object_id: str, force: bool) -> None:
        """Refuse targets that are unknown or, unless forced, out of sight or behind glass."""
        self.require_known(object_id)
        if force:
            return
        seen = self.visibility()[object_id]
        if not seen.visible:
            raise ActionFailed(
                "Target object not found within the specified visibility.",
                exception_type="NullReferenceException",
            )
        if not seen.interactable:
            raise ActionFailed(
                "Target object is visible but not interactable. "
                "It is likely obstructed by some clear object like glass.",
                exception_type="NullReferenceException",
            )

    # Moving the agent

    def move(
        self,
        direction: str,
        magnitude: float | None = None,
        force: bool = False,
        manual: bool = False,
    ) -> None:
        """Walk straight "ahead", "back", "left" or "right" by metres (None: the grid size).

        ``force`` makes the engine ignore collisions of a held object, which are not modelled; with
        ``manual`` the hand stays where the client put it.
        """
        navigation.move(self, direction, magnitude, manual)

    def rotate(self, degrees: float, force: bool = False, manual: bool = False) -> None:
        """Turn clockwise (negative: counter-clockwise); options as in ``move``."""
        navigation.rotate(self, degrees, manual)

    def look(self, degrees: float, force: bool = False, manual: bool = False) -> None:
        """Tilt the camera down (negative: up); options as in ``move``."""
        navigation.look(self, degrees, manual)

    def teleport(
        self,
        position: Vector | None = None,
        rotation: Vector | float | None = None,
        horizon: float | None = None,
        standing: bool | None = None,
        force: bool = False,
    ) -> None:
        """Put the agent elsewhere; what is None stays. ``rotation`` is a yaw or Euler angles."""
        navigation.teleport(self, position, rotation, horizon, standing, force)

    def crouch(self) -> None:
        """Lower the camera to the agent's centre."""
        navigation.set_standing(self, standing=False)

    def stand(self) -> None:
        """Raise the camera again."""
        navigation.set_standing(self, standing=True)

    def reachable_positions(
        self,
        grid_size: float | None = None,
        max_steps: int | None = None,
        directions_relative_agent: bool = False,
    ) -> list[Vector]:
        """Places the agent can walk to, in the engine's order."""
        return navigation.reachable_positions(self, grid_size, max_steps, directions_relative_agent)

    def interactable_poses(
        self,
        object_id: str,
        positions: Sequence[Vector] | None = None,
        rotations: Sequence[float] | None = None,
        horizons: Sequence[float] | None = None,
        standings: Sequence[bool] | None = None,
        max_distance: float | None = None,
        max_poses: int | None = None,
    ) -> list[InteractablePose]:
        """Agent poses from which an object is in reach, in the engine's order."""
        return poses.interactable_poses(
            self, object_id, positions, rotations, horizons, standings, max_distance, max_poses
        )

    # Handling objects

    def pickup(self, object_id: str, force: bool = False, manual: bool = False) -> str:
        """Take an object into the hand; returns its id."""
        return holding.pickup(self, object_id, force, manual)

    def put(
        self,
        receptacle_id: str,
        force: bool = False,
        place_stationary: bool = True,
        seed: int = 0,
        near: Vector | None = None,
    ) -> None:
        """Put the held object into or onto a receptacle."""
        placement.put(self, receptacle_id, force, place_stationary, seed, near)

    def drop(self, force: bool = False) -> Vector | None:
        """Let the held object fall; returns where it comes to rest."""
        return holding.drop(self, force)

    def set_openness(self, object_id: str, openness: float, force: bool = False) -> None:
        """Open (1) or close (0) something, or anything between.

        A moving part never collides here: boxes are too coarse to refuse with.
        """
        if not 0.0 <= openness <= 1.0:
            raise ActionFailed("openness must be in [0:1]")
        self.require_interactable(object_id, force)
        obj, state = self.scene_objects[object_id], self.objects[object_id]
        if not obj.has("openable"):
            raise ActionFailed(f"{object_id} is not an Openable object")
        if state.is_toggled and obj.object_type in ("Microwave", "Laptop"):
            raise ActionFailed("Target must be OFF to open!")
        opening.open_to(self, object_id, openness)


def _initial_state(obj: SceneObject, changes: ChangeCounter) -> ObjectState:
    state = obj.state
    parents, contents = obj.parent_receptacles, obj.receptacle_object_ids
    return ObjectState(
        object_id=obj.object_id,
        position=obj.position,
        rotation=obj.rotation,
        aabb_center=obj.aabb_center,
        aabb_size=obj.aabb_size,
        oobb=obj.oobb,
        is_open=bool(state.get("isOpen", False)),
        openness=float(state.get("openness", 0.0)),
        is_toggled=bool(state.get("isToggled", False)),
        is_dirty=bool(state.get("isDirty", False)),
        is_filled_with_liquid=bool(state.get("isFilledWithLiquid", False)),
        temperature=obj.temperature,
        is_moving=obj.is_moving,
        parent_receptacles=None if parents is None else list(parents),
        receptacle_object_ids=None if contents is None else list(contents),
        changes=changes,
    )
