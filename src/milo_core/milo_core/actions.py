"""The action table: each action's roles, preconditions and effects.

Everything that reasons about actions is derived from this one table: planners' guards, the plan
validator, the executor's checks, the PDDL domain. The modelling follows MILO Benchmark v1.x
(locate, navigate, pickup, place, open, close, put_down) with the destination of `place` as a role
of its own, and adds what the origin planned without carrying it out: toggle_on, toggle_off, slice,
look.

Two sets of rules share the table. `published` is the model of MILO Benchmark v1.x: nearness is
kept after the robot drives on, containment does not matter. `physical` adds what holds where
nothing is forced.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal as Choice

from milo_core.errors import MiloError
from milo_core.predicates import Literal
from milo_core.world_model import WorldModel

Physics = Choice["published", "physical"]


class UnknownActionError(MiloError):
    """A name that is no action of the table."""


@dataclass(frozen=True)
class Role:
    """A named argument of an action."""

    name: str
    description: str


@dataclass(frozen=True)
class Precondition:
    """A condition that must hold before an action."""

    name: str
    sentence: str
    """What must be true, with {object} and {receptacle} to fill in."""
    literal: Literal
    affordance: bool = False
    """It is about what the object is; no action can bring it about."""

    def holds(self, world: WorldModel, arguments: Mapping[str, str]) -> bool:
        """Return whether it is true; arguments map roles to instance ids."""
        return self.literal.holds(world, arguments)


@dataclass(frozen=True)
class Effect:
    """What an action makes true."""

    literal: Literal
    for_each: str = ""
    """A variable of the literal that stands for every instance; empty: none."""

    def apply(self, world: WorldModel, arguments: Mapping[str, str]) -> None:
        """Apply it to a model; arguments map roles to instance ids."""
        if not self.for_each:
            self.literal.apply(world, arguments)
            return
        for object_id in world.objects:
            binding = {**arguments, self.for_each: object_id}
            if not self.literal.holds(world, binding):
                self.literal.apply(world, binding)


@dataclass(frozen=True)
class Action:
    """One action that an agent can plan."""

    name: str
    skill: str | None
    """The skill action of milo_msgs that carries it out; None: nothing moves."""
    description: str
    roles: tuple[Role, ...]
    preconditions: tuple[Precondition, ...]
    effects: tuple[Effect, ...]
    """In order; what is made false for each instance comes first."""
    physical_preconditions: tuple[Precondition, ...] = ()
    """Hold in addition where nothing is forced."""
    physical_effects: tuple[Effect, ...] = ()
    """Come before the others where nothing is forced."""

    def conditions(self, physics: Physics = "published") -> tuple[Precondition, ...]:
        """Return all preconditions under a set of rules."""
        extra = self.physical_preconditions if physics == "physical" else ()
        return (*self.preconditions, *extra)

    def changes(self, physics: Physics = "published") -> tuple[Effect, ...]:
        """Return all effects under a set of rules, in order."""
        extra = self.physical_effects if physics == "physical" else ()
        return (*extra, *self.effects)

    def unmet(
        self, world: WorldModel, arguments: Mapping[str, str], physics: Physics = "published"
    ) -> list[Precondition]:
        """Return the preconditions that don't hold; arguments map roles to instance ids."""
        return [p for p in self.conditions(physics) if not p.holds(world, arguments)]

    def apply(
        self, world: WorldModel, arguments: Mapping[str, str], physics: Physics = "published"
    ) -> None:
        """Apply the declared effects to a model; arguments map roles to instance ids."""
        for effect in self.changes(physics):
            effect.apply(world, arguments)

    def accomplished(
        self, world: WorldModel, arguments: Mapping[str, str], physics: Physics = "published"
    ) -> bool:
        """Return whether everything that the action brings about is true already."""
        return all(
            effect.literal.holds(world, arguments)
            for effect in self.changes(physics)
            if not effect.for_each
        )


def _object(predicate: str, positive: bool = True) -> Literal:
    return Literal(predicate, ("object",), positive)


def _receptacle(predicate: str, positive: bool = True) -> Literal:
    return Literal(predicate, ("receptacle",), positive)


LOCATED = Precondition("target_located", "{object} must have been located", _object("located"))
NEAR = Precondition("target_near", "the robot must stand near {object}", _object("near"))
HAND_EMPTY = Precondition("hand_empty", "the hand must be empty", Literal("hand_empty"))
NOT_OPEN = Precondition("not_open", "{object} must not be open already", _object("open", False))
IS_OPEN = Precondition("is_open", "{object} must be open", _object("open"))
NOT_ON = Precondition("not_on", "{object} must not be switched on already", _object("on", False))
IS_ON = Precondition("is_on", "{object} must be switched on", _object("on"))
NOT_SLICED = Precondition("not_sliced", "{object} must be whole", _object("sliced", False))
NOT_HOLDING = Precondition(
    "not_holding_target", "the hand must not hold {object}", _object("holding", False)
)
HOLDING = Precondition("holding_target", "the hand must hold {object}", _object("holding"))
RECEPTACLE_READY = Precondition(
    "container_ready", "{receptacle} must not be closed", _receptacle("closed", False)
)
RECEPTACLE_NEAR = Precondition(
    "container_near", "the robot must stand near {receptacle}", _receptacle("near")
)
NOT_ENCLOSED = Precondition(
    "not_enclosed", "{object} must not be in something closed", _object("enclosed", False)
)
NOT_RUNNING = Precondition(
    "not_running", "{object} must be switched off first", _object("running", False)
)
DOOR_CLOSED = Precondition(
    "door_closed", "{object} must be closed first", _object("door_open", False)
)
IS_RECEPTACLE = Precondition(
    "is_receptacle", "{receptacle} must take objects", _receptacle("receptacle"), affordance=True
)
IS_PICKUPABLE = Precondition(
    "is_pickupable",
    "{object} must be something to pick up",
    _object("pickupable"),
    affordance=True,
)
IS_OPENABLE = Precondition(
    "is_openable", "{object} must be something to open", _object("openable"), affordance=True
)
IS_TOGGLEABLE = Precondition(
    "is_toggleable", "{object} must have a switch", _object("toggleable"), affordance=True
)
IS_SLICEABLE = Precondition(
    "is_sliceable", "{object} must be something to cut", _object("sliceable"), affordance=True
)

_OBJECT = Role("object", "the object to act on")
_HELD = Role("object", "the held object")
_RECEPTACLE = Role("receptacle", "where the held object goes")
_LEAVES = Effect(Literal("near", ("?x",), False), "?x")


def _actions() -> Iterator[Action]:
    yield Action(
        "locate",
        None,
        "Find out where the object is; nothing moves.",
        (_OBJECT,),
        (),
        (Effect(_object("located")),),
    )
    yield Action(
        "navigate",
        "NavigateTo",
        "Move the base until the object can be interacted with.",
        (_OBJECT,),
        (LOCATED,),
        # In the published model nearness is kept after the robot drives on: what was fetched from
        # the first stop is still reachable at the second.
        (Effect(_object("near")),),
        (NOT_ENCLOSED, NOT_HOLDING),
        (_LEAVES, Effect(_object("seen"))),
    )
    yield Action(
        "pickup",
        "Pick",
        "Take the object into the hand.",
        (_OBJECT,),
        (NEAR, HAND_EMPTY),
        (
            Effect(Literal("inside", ("object", "?r"), False), "?r"),
            Effect(Literal("hand_empty", (), False)),
            Effect(_object("holding")),
        ),
        (IS_PICKUPABLE, NOT_ENCLOSED),
    )
    yield Action(
        "place",
        "Place",
        "Put the held object into or onto the receptacle.",
        (_HELD, _RECEPTACLE),
        (HOLDING, RECEPTACLE_READY),
        (
            Effect(Literal("inside", ("object", "?r"), False), "?r"),
            Effect(_object("holding", False)),
            Effect(Literal("hand_empty")),
            Effect(Literal("inside", ("object", "receptacle"))),
        ),
        (IS_RECEPTACLE, RECEPTACLE_NEAR),
    )
    yield Action(
        "open",
        "SetOpen",
        "Open the object.",
        (_OBJECT,),
        (NEAR, NOT_OPEN),
        (Effect(_object("closed", False)), Effect(_object("open"))),
        (IS_OPENABLE, NOT_RUNNING),
    )
    yield Action(
        "close",
        "SetOpen",
        "Close the object.",
        (_OBJECT,),
        (NEAR, IS_OPEN),
        (Effect(_object("open", False)), Effect(_object("closed"))),
        (IS_OPENABLE,),
    )
    yield Action(
        "toggle_on",
        "SetToggled",
        "Switch the object on.",
        (_OBJECT,),
        (NEAR, NOT_ON),
        (Effect(_object("on")),),
        (IS_TOGGLEABLE, DOOR_CLOSED),
    )
    yield Action(
        "toggle_off",
        "SetToggled",
        "Switch the object off.",
        (_OBJECT,),
        (NEAR, IS_ON),
        (Effect(_object("on", False)),),
        (IS_TOGGLEABLE,),
    )
    yield Action(
        "slice",
        "Slice",
        "Cut the object into pieces.",
        (_OBJECT,),
        (NEAR, NOT_SLICED, NOT_HOLDING),
        (Effect(_object("sliced")),),
        (IS_SLICEABLE, NOT_ENCLOSED),
    )
    yield Action(
        "look",
        "LookAt",
        "Turn until the camera looks at the object.",
        (_OBJECT,),
        (LOCATED,),
        (Effect(_object("seen")),),
        # From afar it may be hidden, or too small to be made out.
        (NOT_ENCLOSED, NEAR),
    )
    yield Action(
        "put_down",
        "Release",
        "Let go of the held object where the hand is.",
        (_HELD,),
        (HOLDING,),
        (Effect(_object("holding", False)), Effect(Literal("hand_empty"))),
    )


ACTIONS: Mapping[str, Action] = MappingProxyType({action.name: action for action in _actions()})
"""All actions by name."""


def get_action(name: str) -> Action:
    """Return an action by name.

    Raises:
        UnknownActionError: names the choices.
    """
    if name not in ACTIONS:
        raise UnknownActionError(f"There is no action '{name}'; use {', '.join(sorted(ACTIONS))}.")
    return ACTIONS[name]
