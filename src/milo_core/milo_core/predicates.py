"""The facts that actions talk about, each with how it is read from and written to a WorldModel.

Names and meaning follow the state abstraction of the Embodied Agent Interface for AI2-THOR where
both have a fact. Everything here works on instance ids.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from milo_core.world_model import ObjectBelief, Provenance, WorldModel

MUST_BE_OFF_TO_OPEN = frozenset({"Microwave", "Laptop"})
"""Types that AI2-THOR does not open while they run."""
MUST_BE_CLOSED_TO_TURN_ON = frozenset({"Microwave"})
"""Types that AI2-THOR does not switch on while they are open."""


@dataclass(frozen=True)
class Literal:
    """A predicate over names of roles or variables (`?x`), or its negation."""

    predicate: str
    arguments: tuple[str, ...] = ()
    positive: bool = True

    def holds(self, world: WorldModel, binding: Mapping[str, str]) -> bool:
        """Return whether it is true; the binding maps roles and variables to instance ids."""
        ids = (binding[name] for name in self.arguments)
        return PREDICATES[self.predicate].holds(world, *ids) is self.positive

    def apply(self, world: WorldModel, binding: Mapping[str, str]) -> None:
        """Make it true in a model."""
        assign = PREDICATES[self.predicate].assign
        assert assign is not None, f"{self.predicate} never changes by itself"
        assign(world, self.positive, *(binding[name] for name in self.arguments))

    def __str__(self) -> str:
        return f"{'' if self.positive else 'not '}{self.predicate}({', '.join(self.arguments)})"


@dataclass(frozen=True)
class Predicate:
    """One fact about the robot or its objects."""

    name: str
    arity: int
    description: str
    """With {0} and {1} to fill in."""
    holds: Callable[..., bool]
    """Called with a WorldModel and the ids."""
    assign: Callable[..., None] | None = None
    """Called with a WorldModel, the new truth value and the ids; None: no action changes it
    directly."""
    definition: tuple[Literal, ...] = ()
    """Where it follows from other facts: true if some instance ?x makes all of these true; the
    predicate's own argument is called `object`. Empty: it doesn't follow."""


def _in_hand(world: WorldModel, object_id: str) -> bool:
    return world.held_id == object_id


def _set_in_hand(world: WorldModel, value: bool, object_id: str) -> None:
    belief = world.objects[object_id]
    belief.is_picked_up = value
    belief.provenance = Provenance.ASSUMED
    world.held_id = object_id if value else None


def _set_hand_empty(world: WorldModel, value: bool) -> None:
    if value:
        world.held_id = None


def _set_open(world: WorldModel, value: bool, object_id: str) -> None:
    belief = world.objects[object_id]
    belief.is_open = value
    belief.openness = 1.0 if value else 0.0
    belief.provenance = Provenance.ASSUMED


def _set_closed(world: WorldModel, value: bool, object_id: str) -> None:
    _set_open(world, not value, object_id)


def _set_flag(name: str) -> Callable[[WorldModel, bool, str], None]:
    def assign(world: WorldModel, value: bool, object_id: str) -> None:
        belief = world.objects[object_id]
        setattr(belief, name, value)
        belief.provenance = Provenance.ASSUMED

    return assign


def _inside(world: WorldModel, object_id: str, receptacle_id: str) -> bool:
    return receptacle_id in world.objects[object_id].parent_receptacles


def _set_inside(world: WorldModel, value: bool, object_id: str, receptacle_id: str) -> None:
    belief, receptacle = world.objects[object_id], world.objects.get(receptacle_id)
    parents = [p for p in belief.parent_receptacles if p != receptacle_id]
    belief.parent_receptacles = (*parents, receptacle_id) if value else tuple(parents)
    belief.provenance = Provenance.ASSUMED
    if receptacle is not None:
        contents = [c for c in receptacle.receptacle_object_ids if c != object_id]
        receptacle.receptacle_object_ids = (*contents, object_id) if value else tuple(contents)


def _set_member(name: str) -> Callable[[WorldModel, bool, str], None]:
    def assign(world: WorldModel, value: bool, object_id: str) -> None:
        members: set[str] = getattr(world, name)
        (members.add if value else members.discard)(object_id)

    return assign


def enclosing(world: WorldModel, object_id: str) -> ObjectBelief | None:
    """Return a closed container in which an object lies; None: there is none."""
    for parent in world.objects[object_id].parent_receptacles:
        belief = world.objects.get(parent)
        if belief is not None and belief.is_open is False:
            return belief
    return None


def _of(test: Callable[[ObjectBelief], bool]) -> Callable[[WorldModel, str], bool]:
    return lambda world, object_id: test(world.objects[object_id])


PREDICATES: Mapping[str, Predicate] = MappingProxyType(
    {
        predicate.name: predicate
        for predicate in (
            Predicate(
                "located",
                1,
                "the place of {0} is known",
                lambda world, i: i in world.located,
                _set_member("located"),
            ),
            Predicate(
                "near",
                1,
                "the robot stands where it can reach {0}",
                lambda world, i: i in world.near,
                _set_member("near"),
            ),
            Predicate(
                "hand_empty",
                0,
                "the hand is empty",
                lambda world: world.held_id is None,
                _set_hand_empty,
            ),
            Predicate("holding", 1, "the hand holds {0}", _in_hand, _set_in_hand),
            Predicate("open", 1, "{0} is open", _of(lambda o: o.is_open is True), _set_open),
            Predicate("closed", 1, "{0} is closed", _of(lambda o: o.is_open is False), _set_closed),
            Predicate(
                "on",
                1,
                "{0} is switched on",
                _of(lambda o: o.is_toggled is True),
                _set_flag("is_toggled"),
            ),
            Predicate(
                "sliced",
                1,
                "{0} is cut into pieces",
                _of(lambda o: o.is_sliced is True),
                _set_flag("is_sliced"),
            ),
            Predicate(
                "seen", 1, "{0} was seen", _of(lambda o: o.visible is True), _set_flag("visible")
            ),
            Predicate("inside", 2, "{0} is in or on {1}", _inside, _set_inside),
            Predicate(
                "enclosed",
                1,
                "{0} is in something closed",
                lambda world, i: enclosing(world, i) is not None,
                definition=(Literal("inside", ("object", "?x")), Literal("closed", ("?x",))),
            ),
            Predicate(
                "running",
                1,
                "{0} runs and can't be opened",
                _of(lambda o: o.is_toggled is True and o.object_type in MUST_BE_OFF_TO_OPEN),
                definition=(Literal("must_be_off", ("object",)), Literal("on", ("object",))),
            ),
            Predicate(
                "door_open",
                1,
                "{0} is open and can't be switched on",
                _of(lambda o: o.is_open is True and o.object_type in MUST_BE_CLOSED_TO_TURN_ON),
                definition=(Literal("must_be_closed", ("object",)), Literal("open", ("object",))),
            ),
            Predicate(
                "must_be_off",
                1,
                "{0} must be off to be opened",
                _of(lambda o: o.object_type in MUST_BE_OFF_TO_OPEN),
            ),
            Predicate(
                "must_be_closed",
                1,
                "{0} must be closed to be switched on",
                _of(lambda o: o.object_type in MUST_BE_CLOSED_TO_TURN_ON),
            ),
            Predicate("receptacle", 1, "{0} takes objects", _of(lambda o: o.receptacle)),
            Predicate("pickupable", 1, "{0} can be picked up", _of(lambda o: o.pickupable)),
            Predicate("openable", 1, "{0} can be opened", _of(lambda o: o.openable)),
            Predicate("toggleable", 1, "{0} can be switched", _of(lambda o: o.toggleable)),
            Predicate("sliceable", 1, "{0} can be cut", _of(lambda o: o.sliceable)),
        )
    }
)
"""All predicates by name."""
