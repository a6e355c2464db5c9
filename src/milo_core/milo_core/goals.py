"""Goal predicates: is a sub-goal true in a snapshot?

The rule `milo` is the predicate of MILO Benchmark v1.x: names resolve to the instance nearest to
the agent at scoring time, a verb without a predicate is unverifiable (None), never false. The rule
`extended` is `milo` with predicates for verbs that the published benchmark can't verify: turn_on,
turn_off, slice and look_at.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from milo_core.errors import MiloError
from milo_core.object_types import UnknownObjectTypeError, to_object_type
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.tasks import SubGoal

RULES: tuple[str, ...] = ("milo", "extended")
FIND_VERBS = frozenset({"find", "search_for", "locate", "inspect", "count"})
PICK_VERBS = frozenset({"pick_up", "fetch", "deliver"})
STATE_VERBS = frozenset({"turn_on", "turn_off", "slice", "look_at"})
"""Verbs of the rule `extended` alone."""
STORE_VERBS = frozenset({"store", "put_away", "place", "pick_and_place"})


class UnknownRuleError(MiloError):
    """A scoring rule that doesn't exist."""


@dataclass(frozen=True)
class Verdict:
    """What a predicate says of one sub-goal."""

    sub_goal: SubGoal
    satisfied: bool | None
    """None: the verb has no predicate."""
    object_id: str | None
    """The instance the predicate looked at; None: no instance of the type."""
    target_id: str | None
    reason: str
    """One sentence."""


def resolve(name: str | None, snapshot: Snapshot) -> SnapshotObject | None:
    """Return the instance that a name means: an id's own object, else the nearest of the type."""
    if not name:
        return None
    if "|" in name:
        return snapshot.objects.get(name)
    try:
        return snapshot.nearest(to_object_type(name))
    except UnknownObjectTypeError:
        return None


def _picked_up(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return obj.is_picked_up, f"{obj.object_id} is {'' if obj.is_picked_up else 'not '}in the hand"


def _stored(obj: SnapshotObject, target: SnapshotObject | None) -> tuple[bool, str]:
    assert target is not None  # resolved before
    if obj.is_picked_up:
        return False, f"{obj.object_id} is still in the hand"
    inside = target.object_id in obj.parent_receptacles
    return inside, f"{obj.object_id} is {'' if inside else 'not '}in or on {target.object_id}"


def _opened(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return obj.is_open, f"{obj.object_id} is {'open' if obj.is_open else 'closed'}"


def _closed(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return not obj.is_open, f"{obj.object_id} is {'open' if obj.is_open else 'closed'}"


def _exists(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return True, f"{obj.object_id} exists"


def _turned_on(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return obj.is_toggled, f"{obj.object_id} is switched {'on' if obj.is_toggled else 'off'}"


def _turned_off(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    # The engine reports isToggled=false for what has no switch; that is not "off".
    off = obj.toggleable and not obj.is_toggled
    state = "on" if obj.is_toggled else "off" if obj.toggleable else "nothing: it has no switch"
    return off, f"{obj.object_id} is switched {state}"


def _sliced(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return obj.is_sliced, f"{obj.object_id} is {'in pieces' if obj.is_sliced else 'whole'}"


def _looked_at(obj: SnapshotObject, _: SnapshotObject | None) -> tuple[bool, str]:
    return obj.visible, f"{obj.object_id} is {'' if obj.visible else 'not '}visible"


_Predicate = Callable[[SnapshotObject, SnapshotObject | None], tuple[bool, str]]
_PREDICATES: dict[str, _Predicate] = {
    **dict.fromkeys(PICK_VERBS, _picked_up),
    **dict.fromkeys(STORE_VERBS, _stored),
    **dict.fromkeys(FIND_VERBS, _exists),
    "open": _opened,
    "close": _closed,
}
_EXTENDED_PREDICATES: dict[str, _Predicate] = {
    **_PREDICATES,
    "turn_on": _turned_on,
    "turn_off": _turned_off,
    "slice": _sliced,
    "look_at": _looked_at,
}
_EITHER_NAME = FIND_VERBS | STATE_VERBS | {"open", "close"}


def evaluate(sub_goal: SubGoal, snapshot: Snapshot, rule: str = "milo") -> Verdict:
    """Judge one sub-goal on one snapshot.

    Raises:
        UnknownRuleError: the rule doesn't exist.
    """
    if rule not in RULES:
        raise UnknownRuleError(f"There is no scoring rule '{rule}'; use {', '.join(RULES)}.")
    verb = sub_goal.goal.strip().lower()
    predicate = (_PREDICATES if rule == "milo" else _EXTENDED_PREDICATES).get(verb)
    obj = resolve(sub_goal.object, snapshot)
    target = resolve(sub_goal.target, snapshot)
    object_id = obj.object_id if obj else None
    target_id = target.object_id if target else None
    if predicate is None:
        reason = f"the verb '{verb}' has no predicate"
        return Verdict(sub_goal, None, object_id, target_id, reason)
    referent = obj
    if verb in _EITHER_NAME and not sub_goal.object:
        referent = target
    if referent is None:
        name = sub_goal.object or sub_goal.target
        reason = f"no instance of '{name}' is in the scene"
        return Verdict(sub_goal, False, object_id, target_id, reason)
    if verb in STORE_VERBS and target is None:
        reason = f"no instance of '{sub_goal.target}' is in the scene"
        return Verdict(sub_goal, False, object_id, None, reason)
    satisfied, reason = predicate(referent, target)
    return Verdict(sub_goal, satisfied, object_id, target_id, reason)


def evaluate_all(
    sub_goals: Iterable[SubGoal], snapshot: Snapshot, rule: str = "milo"
) -> tuple[Verdict, ...]:
    """Judge all sub-goals on one snapshot, in order."""
    return tuple(evaluate(goal, snapshot, rule) for goal in sub_goals)


def all_satisfied(verdicts: Iterable[Verdict]) -> bool:
    """Return whether there is a verdict and every one is true; unverifiable counts as false."""
    values = [v.satisfied for v in verdicts]
    return bool(values) and all(value is True for value in values)
