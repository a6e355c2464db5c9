"""One AI2-THOR metadata dictionary, read with types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Vector = tuple[float, float, float]


def _vector(raw: Mapping[str, float]) -> Vector:
    return float(raw["x"]), float(raw["y"]), float(raw["z"])


@dataclass(frozen=True)
class SnapshotObject:
    """One object of a snapshot; positions in Unity's frame, metres and degrees."""

    object_id: str
    object_type: str
    position: Vector
    rotation: Vector
    box_center: Vector
    box_size: Vector
    distance: float
    visible: bool
    receptacle: bool
    pickupable: bool
    openable: bool
    toggleable: bool
    sliceable: bool
    is_open: bool
    openness: float
    is_picked_up: bool
    is_toggled: bool
    is_sliced: bool
    parent_receptacles: tuple[str, ...]
    receptacle_object_ids: tuple[str, ...]
    is_broken: bool = False

    @classmethod
    def from_metadata(cls, raw: Mapping[str, Any]) -> "SnapshotObject":
        """Read one entry of `metadata["objects"]`."""
        box = raw["axisAlignedBoundingBox"]
        return cls(
            object_id=raw["objectId"],
            object_type=raw["objectType"],
            position=_vector(raw["position"]),
            rotation=_vector(raw["rotation"]),
            box_center=_vector(box["center"]),
            box_size=_vector(box["size"]),
            distance=float(raw["distance"]),
            visible=bool(raw["visible"]),
            receptacle=bool(raw["receptacle"]),
            pickupable=bool(raw["pickupable"]),
            openable=bool(raw["openable"]),
            toggleable=bool(raw["toggleable"]),
            sliceable=bool(raw["sliceable"]),
            is_open=bool(raw["isOpen"]),
            openness=float(raw["openness"]),
            is_picked_up=bool(raw["isPickedUp"]),
            is_toggled=bool(raw["isToggled"]),
            is_sliced=bool(raw["isSliced"]),
            parent_receptacles=tuple(raw["parentReceptacles"] or ()),
            receptacle_object_ids=tuple(raw["receptacleObjectIds"] or ()),
            is_broken=bool(raw.get("isBroken", False)),
        )


@dataclass(frozen=True)
class Snapshot:
    """The simulator's state after one action, in Unity's frame."""

    scene: str
    objects: Mapping[str, SnapshotObject]
    agent_position: Vector
    agent_yaw: float
    camera_horizon: float
    standing: bool
    held_id: str | None

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> "Snapshot":
        """Read an event's metadata."""
        agent = metadata["agent"]
        held = metadata["inventoryObjects"]
        objects = (SnapshotObject.from_metadata(raw) for raw in metadata["objects"])
        return cls(
            scene=str(metadata["sceneName"]).removesuffix("_physics"),
            objects={o.object_id: o for o in objects},
            agent_position=_vector(agent["position"]),
            agent_yaw=float(agent["rotation"]["y"]),
            camera_horizon=float(agent["cameraHorizon"]),
            standing=bool(agent["isStanding"]),
            held_id=held[0]["objectId"] if held else None,
        )

    def nearest(self, object_type: str) -> SnapshotObject | None:
        """Return the instance of a type that is nearest to the agent; None: there is none.

        Equal distances keep the engine's order.
        """
        same = (o for o in self.objects.values() if o.object_type == object_type)
        return min(same, key=lambda o: o.distance, default=None)
