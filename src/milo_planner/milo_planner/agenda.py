"""What a reactive planner has to bring about.

An agenda is made anew before every step. It holds the task's sub-goals, each bound to instances,
and the duties that acting brings along: what was opened is to be closed, what nobody wants in the
hand is to be put somewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from milo_core.actions import ACTIONS
from milo_core.goals import FIND_VERBS, STORE_VERBS
from milo_core.plan import PlannedStep
from milo_core.predicates import PREDICATES
from milo_core.strict_goals import NAVIGATE_VERBS
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel


class Verb(StrEnum):
    """What is to be brought about, one word for all synonyms of the task files."""

    FIND = "find"
    """The object was seen since the task began."""
    NAVIGATE = "navigate"
    """The robot stands near the object."""
    PICK_UP = "pick_up"
    """The hand holds the object."""
    DELIVER = "deliver"
    """The hand holds the object, near the target."""
    STORE = "store"
    """The object is in or on the target and not in the hand."""
    OPEN = "open"
    CLOSE = "close"
    TURN_ON = "turn_on"
    TURN_OFF = "turn_off"
    SLICE = "slice"
    LOOK_AT = "look_at"
    """The object is in sight."""


class Duty(StrEnum):
    """Why an item is on the agenda."""

    GOAL = "goal"
    CLOSE = "close"
    """The agent opened it."""
    FREE_HAND = "free_hand"
    """The hand holds what no sub-goal wants there."""


_VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(FIND_VERBS, Verb.FIND),
    **dict.fromkeys(NAVIGATE_VERBS, Verb.NAVIGATE),
    **dict.fromkeys(STORE_VERBS, Verb.STORE),
    "pick_up": Verb.PICK_UP,
    "deliver": Verb.DELIVER,
    "open": Verb.OPEN,
    "close": Verb.CLOSE,
    "turn_on": Verb.TURN_ON,
    "turn_off": Verb.TURN_OFF,
    "slice": Verb.SLICE,
    "look_at": Verb.LOOK_AT,
}
VOCABULARY: tuple[str, ...] = tuple(sorted({*_VERBS, "fetch"}))
"""All goal verbs that reactive planners know."""
_FACTS: Mapping[Verb, tuple[str, bool]] = {
    Verb.FIND: ("seen", True),
    Verb.NAVIGATE: ("near", True),
    Verb.PICK_UP: ("holding", True),
    Verb.OPEN: ("open", True),
    Verb.CLOSE: ("open", False),
    Verb.TURN_ON: ("on", True),
    Verb.TURN_OFF: ("on", False),
    Verb.SLICE: ("sliced", True),
    Verb.LOOK_AT: ("seen", True),
}
STATE_ACTIONS: Mapping[Verb, str] = {
    Verb.OPEN: "open",
    Verb.CLOSE: "close",
    Verb.TURN_ON: "toggle_on",
    Verb.TURN_OFF: "toggle_off",
    Verb.SLICE: "slice",
}
"""The action that changes the state a verb is about."""


def verb_of(goal: SubGoal) -> Verb | None:
    """Return the canonical verb of a sub-goal; None: no reactive planner knows it."""
    word = goal.goal.strip().lower()
    if word == "fetch":
        return Verb.DELIVER if goal.target else Verb.PICK_UP
    return _VERBS.get(word)


@dataclass(frozen=True)
class AgendaItem:
    """One thing to bring about, on instances."""

    goal: int
    """0-based index of the sub-goal it serves."""
    verb: Verb
    object_id: str
    target_id: str | None = None
    """`deliver` and `store` only."""
    duty: Duty = Duty.GOAL

    def facts(self) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
        """Return the facts of milo_core.predicates that make it true: name, ids, truth value."""
        if self.verb in (Verb.STORE, Verb.DELIVER):
            assert self.target_id is not None
            if self.verb is Verb.STORE:
                return (
                    ("inside", (self.object_id, self.target_id), True),
                    ("holding", (self.object_id,), False),
                )
            return (("holding", (self.object_id,), True), ("near", (self.target_id,), True))
        name, value = _FACTS[self.verb]
        return ((name, (self.object_id,), value),)

    def holds(self, world: WorldModel) -> bool:
        """Return whether it is true in a model."""
        return all(
            id_ in world.objects for id_ in (self.object_id, self.target_id) if id_ is not None
        ) and all(PREDICATES[name].holds(world, *ids) is value for name, ids, value in self.facts())

    def __str__(self) -> str:
        return " ".join(part for part in (self.verb, self.object_id, self.target_id) if part)


def unmet_items(agenda: Sequence[AgendaItem], world: WorldModel) -> list[AgendaItem]:
    """Return what of an agenda is not true in a model, in order."""
    return [item for item in agenda if not item.holds(world)]


@dataclass(frozen=True)
class AgendaStep:
    """One ground action: an action of the table on instance ids, and the sub-goal it serves."""

    action: str
    arguments: Mapping[str, str]
    """Role -> instance id."""
    goal: int

    @property
    def planned(self) -> PlannedStep:
        """The step as the validator takes it."""
        return PlannedStep(self.action, self.arguments)

    def accomplished(self, world: WorldModel) -> bool:
        """Return whether everything the step brings about is true already."""
        return ACTIONS[self.action].accomplished(world, self.arguments, "physical")

    def __str__(self) -> str:
        return str(self.planned)
