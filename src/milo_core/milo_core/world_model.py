"""What an agent believes about the world, keyed by object id, with the provenance of each fact."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum

from milo_core.frames import to_map
from milo_core.object_types import UnknownObjectTypeError, to_object_type
from milo_core.snapshot import Snapshot, SnapshotObject, Vector


class Provenance(IntEnum):
    """Where a fact comes from; values as in ObjectState.msg."""

    ASSUMED = 0
    SENSED = 1
    SIMULATED = 2


@dataclass
class ObjectBelief:
    """One object instance as the agent believes it to be; map frame, metres.

    A tri-state fact is None while it is unknown.
    """

    object_id: str
    object_type: str
    position: Vector
    box_center: Vector
    box_size: Vector
    distance: float = math.nan
    """Metres between robot base and object origin."""
    receptacle: bool = False
    pickupable: bool = False
    openable: bool = False
    toggleable: bool = False
    sliceable: bool = False
    visible: bool | None = None
    is_open: bool | None = None
    openness: float = math.nan
    is_picked_up: bool | None = None
    is_toggled: bool | None = None
    is_sliced: bool | None = None
    parent_receptacles: tuple[str, ...] = ()
    receptacle_object_ids: tuple[str, ...] = ()
    provenance: Provenance = Provenance.ASSUMED
    observed: float = 0.0
    """Seconds of the clock when it was last observed."""

    @classmethod
    def from_snapshot(cls, obj: SnapshotObject, stamp: float) -> "ObjectBelief":
        """Take one object of the simulator's state as known truth."""
        size = obj.box_size
        return cls(
            object_id=obj.object_id,
            object_type=obj.object_type,
            position=to_map(*obj.position),
            box_center=to_map(*obj.box_center),
            box_size=(size[2], size[0], size[1]),
            distance=obj.distance,
            receptacle=obj.receptacle,
            pickupable=obj.pickupable,
            openable=obj.openable,
            toggleable=obj.toggleable,
            sliceable=obj.sliceable,
            visible=obj.visible,
            # AI2-THOR reports isOpen=false for what can't be opened; only openables have a state.
            is_open=obj.is_open if obj.openable else None,
            openness=obj.openness if obj.openable else math.nan,
            is_picked_up=obj.is_picked_up,
            is_toggled=obj.is_toggled if obj.toggleable else None,
            is_sliced=obj.is_sliced if obj.sliceable else None,
            parent_receptacles=obj.parent_receptacles,
            receptacle_object_ids=obj.receptacle_object_ids,
            provenance=Provenance.SIMULATED,
            observed=stamp,
        )


@dataclass
class WorldModel:
    """All beliefs of one episode.

    `located` and `near` are what the planning actions talk about: a located object has a known
    place, the robot is near the objects of its last successful navigation.
    """

    scene: str = ""
    step: int = 0
    episode: int = 0
    stamp: float = 0.0
    objects: dict[str, ObjectBelief] = field(default_factory=dict)
    held_id: str | None = None
    robot_position: Vector | None = None
    located: set[str] = field(default_factory=set)
    near: set[str] = field(default_factory=set)

    @classmethod
    def from_snapshot(
        cls, snapshot: Snapshot, *, step: int, episode: int, stamp: float
    ) -> "WorldModel":
        """Build the model of `world_source: simulated` from simulator truth."""
        return cls(
            scene=snapshot.scene,
            step=step,
            episode=episode,
            stamp=stamp,
            objects={
                key: ObjectBelief.from_snapshot(obj, stamp) for key, obj in snapshot.objects.items()
            },
            held_id=snapshot.held_id,
            robot_position=to_map(*snapshot.agent_position),
        )

    def __iter__(self) -> Iterator[ObjectBelief]:
        return iter(self.objects.values())

    def instances(self, name: str) -> list[ObjectBelief]:
        """Return the instances that a name may mean, nearest first.

        An instance id means itself; a word means every instance of its type. Equal distances keep
        the order in which the objects became known; unknown distances come last.
        """
        if name in self.objects:
            return [self.objects[name]]
        try:
            wanted = to_object_type(name)
        except UnknownObjectTypeError:
            return []
        same = [o for o in self if o.object_type == wanted]
        return sorted(same, key=lambda o: math.inf if math.isnan(o.distance) else o.distance)

    def nearest(self, name: str) -> ObjectBelief | None:
        """Return the nearest instance that a name may mean; None: none is known."""
        found = self.instances(name)
        return found[0] if found else None

    def copy(self) -> "WorldModel":
        """Return an independent copy, for trying out plans."""
        return replace(
            self,
            objects={key: replace(obj) for key, obj in self.objects.items()},
            located=set(self.located),
            near=set(self.near),
        )

    def fold(self, observed: Iterable[ObjectBelief]) -> None:
        """Take over newer beliefs; an older observation never replaces a newer one."""
        for belief in observed:
            known = self.objects.get(belief.object_id)
            if known is None or belief.observed >= known.observed:
                self.objects[belief.object_id] = belief
