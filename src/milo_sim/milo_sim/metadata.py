"""AI2-THOR 5.0 event metadata of a session, packed as msgpack.

Field names, their order and the numbers' width (32-bit floats) are those of the events that the
Unity player sends. Packing dominates the cost of a step, so the packed bytes of each object are
kept as long as its ``revision`` stays; only visibility and distance are written anew.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from typing import Any

import msgpack  # type: ignore[import-untyped]

from milo_sim.geometry import Vector
from milo_sim.scene import Scene, SceneObject
from milo_sim.session import Outcome, Session
from milo_sim.state import ObjectState
from milo_sim.world import World

_FLOAT = struct.Struct(">Bf")
_FLOAT_TAG = 0xCA
_BOOLEANS = (b"\xc2", b"\xc3")
_packer = msgpack.Packer(use_single_float=True, autoreset=True)


def pack(value: Any) -> bytes:
    """Pack a value of plain Python types, floats as 32 bit."""
    packed: bytes = _packer.pack(value)
    return packed


def _pack_pairs(pairs: Iterable[tuple[str, Any]]) -> bytes:
    return b"".join(pack(key) + pack(value) for key, value in pairs)


def xyz(vector: Vector) -> dict[str, float]:
    """A vector as the metadata writes it."""
    return {"x": float(vector[0]), "y": float(vector[1]), "z": float(vector[2])}


def box(center: Vector, size: Vector) -> dict[str, Any]:
    """An axis-aligned box: corners run over x, then y, then z, each from maximum to minimum."""
    high = [center[axis] + size[axis] / 2 for axis in range(3)]
    low = [center[axis] - size[axis] / 2 for axis in range(3)]
    corners = [
        [float(x), float(y), float(z)]
        for x in (high[0], low[0])
        for y in (high[1], low[1])
        for z in (high[2], low[2])
    ]
    return {"cornerPoints": corners, "center": xyz(center), "size": xyz(size)}


def object_metadata(world: World, object_id: str) -> dict[str, Any]:
    """Metadata of one object as plain types."""
    fixed, state = world.scene_objects[object_id], world.objects[object_id]
    seen = world.visibility()[object_id]
    return dict(
        [
            *_pose_fields(fixed, state),
            ("visible", seen.visible),
            ("isInteractable", seen.interactable),
            *_property_fields(fixed, state),
            *_physical_fields(fixed, state),
            ("distance", math.dist(world.agent.position, state.position)),
            *_identity_fields(fixed, state),
        ]
    )


class _PackedObject:
    """Packed metadata of one object, cut where the fields of the view stand."""

    __slots__ = ("after_distance", "after_interactable", "before_visible", "fixed", "revision")

    def __init__(self, fixed: SceneObject, state: ObjectState) -> None:
        self.fixed = fixed
        self.revision = state.revision
        self.before_visible = b"".join(
            (
                b"\xde" + struct.pack(">H", 42),
                _pack_pairs(_pose_fields(fixed, state)),
                pack("visible"),
            )
        )
        self.after_interactable = b"".join(
            (
                _pack_pairs(_property_fields(fixed, state)),
                _pack_pairs(_physical_fields(fixed, state)),
                pack("distance"),
            )
        )
        self.after_distance = _pack_pairs(_identity_fields(fixed, state))


def _pose_fields(fixed: SceneObject, state: ObjectState) -> list[tuple[str, Any]]:
    return [
        ("name", fixed.name),
        ("position", xyz(state.position)),
        ("rotation", xyz(state.rotation)),
    ]


def _property_fields(fixed: SceneObject, state: ObjectState) -> list[tuple[str, Any]]:
    return [
        ("receptacle", fixed.has("receptacle")),
        ("toggleable", fixed.has("toggleable")),
        ("isToggled", state.is_toggled),
        ("breakable", fixed.has("breakable")),
        ("isBroken", state.is_broken),
        ("canFillWithLiquid", fixed.has("canFillWithLiquid")),
        ("isFilledWithLiquid", state.is_filled_with_liquid),
        ("fillLiquid", state.fill_liquid),
        ("dirtyable", fixed.has("dirtyable")),
        ("isDirty", state.is_dirty),
        ("canBeUsedUp", fixed.has("canBeUsedUp")),
        ("isUsedUp", state.is_used_up),
        ("cookable", fixed.has("cookable")),
        ("isCooked", state.is_cooked),
        ("temperature", state.temperature),
        ("isHeatSource", fixed.has("isHeatSource")),
        ("isColdSource", fixed.has("isColdSource")),
        ("sliceable", fixed.has("sliceable")),
        ("isSliced", state.is_sliced),
        ("openable", fixed.has("openable")),
        ("isOpen", state.is_open),
        ("openness", float(state.openness)),
    ]


def _physical_fields(fixed: SceneObject, state: ObjectState) -> list[tuple[str, Any]]:
    return [
        ("pickupable", fixed.has("pickupable")),
        ("isPickedUp", state.is_picked_up),
        ("moveable", fixed.has("moveable")),
        ("mass", float(fixed.mass if state.mass is None else state.mass)),
        ("salientMaterials", fixed.salient_materials),
        ("receptacleObjectIds", state.receptacle_object_ids),
    ]


def _identity_fields(fixed: SceneObject, state: ObjectState) -> list[tuple[str, Any]]:
    oobb = None if state.oobb is None else {"cornerPoints": state.oobb.tolist()}
    return [
        ("objectType", fixed.object_type),
        ("objectId", fixed.object_id),
        ("assetId", fixed.asset_id),
        ("parentReceptacles", state.parent_receptacles),
        ("controlledObjects", fixed.controlled_objects),
        ("isMoving", state.is_moving),
        ("axisAlignedBoundingBox", box(state.aabb_center, state.aabb_size)),
        ("objectOrientedBoundingBox", oobb),
    ]


_INTERACTABLE = pack("isInteractable")


class MetadataEncoder:
    """Packs events of one session."""

    def __init__(self) -> None:
        self._world: World | None = None
        self._objects: dict[str, _PackedObject] = {}
        self._scene_bounds = b""

    def event(self, session: Session, outcome: Outcome) -> bytes:
        """Body of a METADATA field: the whole state."""
        if session.world is not self._world:
            self._start(session.world)
        agent = self._agent(session, outcome)
        session.agent_age += 1
        return b"".join(
            (
                b"\x84",
                pack("agents"),
                b"\x91",
                agent,
                _pack_pairs(
                    [
                        ("thirdPartyCameras", session.cameras.metadata()),
                        ("activeAgentId", 0),
                        ("sequenceId", session.sequence_id),
                    ]
                ),
            )
        )

    @staticmethod
    def patch(outcome: Outcome) -> bytes:
        """Body of a METADATA_PATCH field: the outcome only."""
        return pack(
            {
                "lastAction": outcome.action,
                "errorMessage": outcome.error_message,
                "errorCode": outcome.error_code,
                "lastActionSuccess": outcome.success,
                "agentId": 0,
                "actionReturn": outcome.action_return,
            }
        )

    def _start(self, world: World) -> None:
        self._world = world
        self._objects = {}
        self._scene_bounds = pack("sceneBounds") + pack(_scene_bounds(world.scene))

    def _agent(self, session: Session, outcome: Outcome) -> bytes:
        fields = [*_view_fields(session), *_outcome_fields(session, outcome)]
        count = len(fields) + 3
        return b"".join(
            (
                b"\xde" + struct.pack(">H", count),
                pack("objects"),
                self._all_objects(session.world),
                _pack_pairs(fields),
                self._scene_bounds,
                _pack_pairs([("actionReturn", outcome.action_return)]),
            )
        )

    def _all_objects(self, world: World) -> bytes:
        seen = world.visibility()
        agent = world.agent.position
        wanted = world.object_filter
        ids = [key for key in world.objects if wanted is None or key in wanted]
        parts = [b"\xdd" + struct.pack(">I", len(ids))]
        for key in ids:
            state, fixed = world.objects[key], world.scene_objects[key]
            packed = self._objects.get(key)
            if packed is None or packed.revision != state.revision or packed.fixed is not fixed:
                packed = self._objects[key] = _PackedObject(fixed, state)
            visible, interactable = seen[key]
            parts += (
                packed.before_visible,
                _BOOLEANS[visible],
                _INTERACTABLE,
                _BOOLEANS[interactable],
                packed.after_interactable,
                _FLOAT.pack(_FLOAT_TAG, math.dist(agent, state.position)),
                packed.after_distance,
            )
        return b"".join(parts)


def _scene_bounds(scene: Scene) -> dict[str, Any]:
    return box(scene.bounds_center, scene.bounds_size)


def _view_fields(session: Session) -> list[tuple[str, Any]]:
    world = session.world
    first = session.agent_age == 0
    return [
        ("isSceneAtRest", not any(state.is_moving for state in world.objects.values())),
        ("agent", _agent_pose(world)),
        ("heldObjectPose", _held_object_pose(world)),
        ("arm", None),
        ("fov", float(world.settings.field_of_view)),
        ("cameraPosition", xyz(world.camera_position)),
        ("cameraOrthSize", 0.0 if first else -1.0),
        ("thirdPartyCameras", session.cameras.metadata()),
        ("collided", False),
        ("collidedObjects", []),
        ("inventoryObjects", _inventory(world)),
        ("sceneName", world.scene.scene_name),
    ]


def _outcome_fields(session: Session, outcome: Outcome) -> list[tuple[str, Any]]:
    empty: list[Any] | None = None if session.agent_age == 0 else []
    return [
        ("lastAction", outcome.action),
        ("errorMessage", outcome.error_message),
        ("errorCode", outcome.error_code),
        ("lastActionSuccess", outcome.success),
        ("screenWidth", session.width),
        ("screenHeight", session.height),
        ("agentId", 0),
        ("depthFormat", "Meters"),
        ("colors", session.colors),
        ("flatSurfacesOnGrid", []),
        ("distances", []),
        ("normals", []),
        ("isOpenableGrid", []),
        ("segmentedObjectIds", []),
        ("objectIdsInBox", []),
        ("actionIntReturn", 0),
        ("actionFloatReturn", 0.0),
        ("actionStringsReturn", empty),
        ("actionFloatsReturn", empty),
        ("actionVector3sReturn", empty),
        ("visibleRange", None),
        # The engine reports wall-clock time; simulated time keeps two runs identical.
        ("currentTime", session.world.time),
    ]


def _agent_pose(world: World) -> dict[str, Any]:
    agent = world.agent
    return {
        "name": "agent",
        "position": xyz(agent.position),
        "rotation": xyz((0.0, agent.yaw, 0.0)),
        "cameraHorizon": float(agent.horizon),
        "isStanding": agent.standing,
        "inHighFrictionArea": False,
    }


def _held_object_pose(world: World) -> dict[str, Any]:
    hand = world.hand_pose()
    return {
        "position": xyz(hand.position),
        "rotation": xyz(hand.rotation),
        "localPosition": xyz(hand.local_position),
        "localRotation": xyz(hand.local_rotation),
    }


def _inventory(world: World) -> list[dict[str, str]]:
    if world.held_id is None:
        return []
    held = world.scene_objects[world.held_id]
    return [{"objectId": held.object_id, "objectType": held.object_type}]
