"""Mutable state of one running scene.

Positions are metres in the Unity frame (x right, y up, z forward, left-handed); angles are
degrees; yaw is clockwise from +z seen from above; Euler angles are Unity's (z, then x, then y).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from milo_sim.geometry import FloatArray, Vector

CAMERA_HEIGHT = 0.675
"""Height of the camera above the centre of the standing agent; crouched it is at the centre [m]."""


@dataclass(slots=True)
class Settings:
    """What ``Initialize`` sets: AI2-THOR's parameters and their defaults."""

    grid_size: float = 0.25
    snap_to_grid: bool = True
    rotate_step_degrees: float = 90.0
    visibility_distance: float = 1.5
    field_of_view: float = 90.0
    width: int = 300
    height: int = 300
    visibility_scheme: str = "Collider"

    @property
    def aspect(self) -> float:
        """Image width divided by its height."""
        return self.width / self.height


@dataclass(slots=True)
class AgentState:
    """Pose of the agent; ``position`` is the centre of its capsule."""

    position: Vector
    yaw: float
    horizon: float = 0.0
    standing: bool = True


@dataclass(slots=True)
class ChangeCounter:
    """Counts all changes of a scene's objects."""

    count: int = 0


@dataclass(slots=True)
class ObjectState:
    """Changing state of one object.

    ``aabb_center`` and ``aabb_size`` are (3,) tuples; ``oobb`` is an (8, 3) array of corners in
    metadata order (bottom +x+z, -x+z, -x-z, +x-z in the object's frame, then top) or None.
    ``parent_receptacles`` is None where the engine reports none; ``receptacle_object_ids`` is
    None for what is not a receptacle. ``revision`` grows whenever anything here changes.
    """

    object_id: str
    position: Vector
    rotation: Vector
    aabb_center: Vector
    aabb_size: Vector
    oobb: FloatArray | None
    is_open: bool = False
    openness: float = 0.0
    is_toggled: bool = False
    is_broken: bool = False
    is_sliced: bool = False
    is_dirty: bool = False
    is_cooked: bool = False
    is_used_up: bool = False
    is_filled_with_liquid: bool = False
    fill_liquid: str | None = None
    is_picked_up: bool = False
    is_moving: bool = False
    temperature: str = "RoomTemp"
    parent_receptacles: list[str] | None = None
    receptacle_object_ids: list[str] | None = None
    carrier: str | None = None
    """Id of the receptacle or held object this one moves with, as children do in the engine."""
    is_present: bool = True
    """False for what is disabled, cut up or shattered: it is nowhere, but stays in the metadata."""
    is_hidden: bool = False
    """Left out of pictures only."""
    mass: float | None = None
    """Mass in kilograms where an action set it; None: as the scene starts."""
    decay_time: float = 10.0
    """Seconds after which something hot or cold has room temperature again."""
    decay_left: float = 10.0
    """Seconds of that time which are left."""
    revision: int = 0
    changes: ChangeCounter = field(default_factory=ChangeCounter, repr=False, compare=False)
    """The scene's counter, shared by its objects."""

    def touch(self) -> None:
        """Mark the object as changed."""
        self.revision += 1
        self.changes.count += 1


class Visibility(NamedTuple):
    """What the camera makes of one object."""

    visible: bool
    interactable: bool


class Grip(NamedTuple):
    """How the hand holds an object.

    ``offset`` (3,) and ``turn`` (3, 3) are the hand's place [m] and rotation in the camera's frame,
    ``item`` (3, 3) is the object's rotation in the hand's.
    """

    offset: FloatArray
    turn: FloatArray
    item: FloatArray


class HandPose(NamedTuple):
    """Pose of the hand or of what it holds: world and relative to the camera."""

    position: Vector
    rotation: Vector
    local_position: Vector
    local_rotation: Vector


class InteractablePose(NamedTuple):
    """One answer of GetInteractablePoses."""

    x: float
    y: float
    z: float
    rotation: float
    standing: bool
    horizon: float
