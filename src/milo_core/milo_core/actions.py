"""The action table: each action's roles, preconditions and effects.

Everything that reasons about actions is derived from this one table: planners' guards, the plan
validator, the executor's checks. The modelling follows MILO Benchmark v1.x (locate, navigate,
pickup, place, open, close, put_down) with the destination of `place` as a role of its own, and adds
what the origin planned without carrying it out: toggle_on, toggle_off, slice, look.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from milo_core.errors import MiloError
from milo_core.world_model import Provenance, WorldModel


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
    holds: Callable[[WorldModel, Mapping[str, str]], bool]


@dataclass(frozen=True)
class Action:
    """One action that an agent can plan."""

    name: str
    skill: str | None
    """The skill action of milo_msgs that carries it out; None: nothing moves."""
    description: str
    roles: tuple[Role, ...]
    preconditions: tuple[Precondition, ...]
    effect: Callable[[WorldModel, Mapping[str, str]], None]
    """Applies the declared effects to a model; arguments are instance ids."""

    def unmet(self, world: WorldModel, arguments: Mapping[str, str]) -> list[Precondition]:
        """Return the preconditions that don't hold; arguments map roles to instance ids."""
        return [p for p in self.preconditions if not p.holds(world, arguments)]


def _located(world: WorldModel, args: Mapping[str, str]) -> bool:
    return args["object"] in world.located


def _near(world: WorldModel, args: Mapping[str, str]) -> bool:
    return args["object"] in world.near


def _hand_empty(world: WorldModel, _: Mapping[str, str]) -> bool:
    return world.held_id is None


def _not_open(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["object"]].is_open is not True


def _is_open(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["object"]].is_open is True


def _holding(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.held_id == args["object"]


def _receptacle_ready(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["receptacle"]].is_open is not False


def _not_on(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["object"]].is_toggled is not True


def _is_on(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["object"]].is_toggled is True


def _not_sliced(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.objects[args["object"]].is_sliced is not True


def _not_holding(world: WorldModel, args: Mapping[str, str]) -> bool:
    return world.held_id != args["object"]


LOCATED = Precondition("target_located", "{object} must have been located", _located)
NEAR = Precondition("target_near", "the robot must stand near {object}", _near)
HAND_EMPTY = Precondition("hand_empty", "the hand must be empty", _hand_empty)
NOT_OPEN = Precondition("not_open", "{object} must not be open already", _not_open)
IS_OPEN = Precondition("is_open", "{object} must be open", _is_open)
NOT_ON = Precondition("not_on", "{object} must not be switched on already", _not_on)
IS_ON = Precondition("is_on", "{object} must be switched on", _is_on)
NOT_SLICED = Precondition("not_sliced", "{object} must be whole", _not_sliced)
NOT_HOLDING = Precondition("not_holding_target", "the hand must not hold {object}", _not_holding)
HOLDING = Precondition("holding_target", "the hand must hold {object}", _holding)
RECEPTACLE_READY = Precondition(
    "container_ready", "{receptacle} must not be closed", _receptacle_ready
)


def _locate(world: WorldModel, args: Mapping[str, str]) -> None:
    world.located.add(args["object"])


def _navigate(world: WorldModel, args: Mapping[str, str]) -> None:
    # Nearness is kept after the robot drives on, as in the published planners: what was fetched
    # from the first stop is still reachable to them at the second.
    world.near.add(args["object"])


def _pickup(world: WorldModel, args: Mapping[str, str]) -> None:
    belief = world.objects[args["object"]]
    for parent in belief.parent_receptacles:
        _remove_content(world, parent, belief.object_id)
    belief.parent_receptacles = ()
    belief.is_picked_up = True
    belief.provenance = Provenance.ASSUMED
    world.held_id = belief.object_id


def _remove_content(world: WorldModel, receptacle_id: str, object_id: str) -> None:
    parent = world.objects.get(receptacle_id)
    if parent is not None:
        parent.receptacle_object_ids = tuple(
            content for content in parent.receptacle_object_ids if content != object_id
        )


def _place(world: WorldModel, args: Mapping[str, str]) -> None:
    belief, receptacle = world.objects[args["object"]], world.objects[args["receptacle"]]
    belief.parent_receptacles = (receptacle.object_id,)
    receptacle.receptacle_object_ids = (*receptacle.receptacle_object_ids, belief.object_id)
    belief.is_picked_up = False
    belief.provenance = Provenance.ASSUMED
    world.held_id = None


def _set_open(is_open: bool) -> Callable[[WorldModel, Mapping[str, str]], None]:
    def effect(world: WorldModel, args: Mapping[str, str]) -> None:
        belief = world.objects[args["object"]]
        belief.is_open = is_open
        belief.openness = 1.0 if is_open else 0.0
        belief.provenance = Provenance.ASSUMED

    return effect


def _put_down(world: WorldModel, args: Mapping[str, str]) -> None:
    belief = world.objects[args["object"]]
    belief.is_picked_up = False
    belief.provenance = Provenance.ASSUMED
    world.held_id = None


def _set_toggled(is_toggled: bool) -> Callable[[WorldModel, Mapping[str, str]], None]:
    def effect(world: WorldModel, args: Mapping[str, str]) -> None:
        belief = world.objects[args["object"]]
        belief.is_toggled = is_toggled
        belief.provenance = Provenance.ASSUMED

    return effect


def _slice(world: WorldModel, args: Mapping[str, str]) -> None:
    belief = world.objects[args["object"]]
    belief.is_sliced = True
    belief.provenance = Provenance.ASSUMED


def _look(world: WorldModel, args: Mapping[str, str]) -> None:
    belief = world.objects[args["object"]]
    belief.visible = True
    belief.provenance = Provenance.ASSUMED


_OBJECT = Role("object", "the object to act on")
_HELD = Role("object", "the held object")
_RECEPTACLE = Role("receptacle", "where the held object goes")
ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        action.name: action
        for action in (
            Action(
                "locate",
                None,
                "Find out where the object is; nothing moves.",
                (_OBJECT,),
                (),
                _locate,
            ),
            Action(
                "navigate",
                "NavigateTo",
                "Move the base until the object can be interacted with.",
                (_OBJECT,),
                (LOCATED,),
                _navigate,
            ),
            Action(
                "pickup",
                "Pick",
                "Take the object into the hand.",
                (_OBJECT,),
                (NEAR, HAND_EMPTY),
                _pickup,
            ),
            Action(
                "place",
                "Place",
                "Put the held object into or onto the receptacle.",
                (_HELD, _RECEPTACLE),
                (HOLDING, RECEPTACLE_READY),
                _place,
            ),
            Action(
                "open", "SetOpen", "Open the object.", (_OBJECT,), (NEAR, NOT_OPEN), _set_open(True)
            ),
            Action(
                "close",
                "SetOpen",
                "Close the object.",
                (_OBJECT,),
                (NEAR, IS_OPEN),
                _set_open(False),
            ),
            Action(
                "toggle_on",
                "SetToggled",
                "Switch the object on.",
                (_OBJECT,),
                (NEAR, NOT_ON),
                _set_toggled(True),
            ),
            Action(
                "toggle_off",
                "SetToggled",
                "Switch the object off.",
                (_OBJECT,),
                (NEAR, IS_ON),
                _set_toggled(False),
            ),
            Action(
                "slice",
                "Slice",
                "Cut the object into pieces.",
                (_OBJECT,),
                (NEAR, NOT_SLICED, NOT_HOLDING),
                _slice,
            ),
            Action(
                "look",
                "LookAt",
                "Turn until the camera looks at the object.",
                (_OBJECT,),
                (LOCATED,),
                _look,
            ),
            Action(
                "put_down",
                "Release",
                "Let go of the held object where the hand is.",
                (_HELD,),
                (HOLDING,),
                _put_down,
            ),
        )
    }
)
"""All actions by name."""


def get_action(name: str) -> Action:
    """Return an action by name.

    Raises:
        UnknownActionError: names the choices.
    """
    if name not in ACTIONS:
        raise UnknownActionError(f"There is no action '{name}'; use {', '.join(sorted(ACTIONS))}.")
    return ACTIONS[name]
