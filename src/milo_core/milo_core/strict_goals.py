"""The strict rule: goals that the agent itself brought about, or saw.

Differences to the published predicate (milo_core.goals):

* A sub-goal may be satisfied by any instance of the named types. Only where the whole task would
  then be true right after the reset, the instances that make it true there do not count: the knife
  in its drawer has to go into another one.
* To find an object means to have perceived it in a frame taken after an action of the agent; where
  that is all a task asks for, in its last frame, so that passing by is not finding.
* A sub-goal that was true at the reset must still be true; at least one sub-goal must have become
  true since, after an action of the agent.
* A task that stores something ends with an empty hand.
* Every verb has a predicate; `deliver` needs the object in the hand near its destination.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from milo_core.goals import FIND_VERBS, PICK_VERBS, STORE_VERBS, Verdict
from milo_core.object_types import UnknownObjectTypeError, to_object_type
from milo_core.snapshot import Snapshot, SnapshotObject
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel

NAVIGATE_VERBS = frozenset({"navigate_to", "follow", "return_to"})
REACH = 1.5
"""Metres: AI2-THOR's visibilityDistance, within which the arm reaches."""


ObjectFacts = SnapshotObject | ObjectBelief
WorldFacts = Snapshot | WorldModel
"""The rule judges the simulator's truth, and agents use it on what they believe."""


@dataclass(frozen=True)
class Allowed:
    """The instances that may satisfy a sub-goal, nearest to the robot first."""

    objects: tuple[str, ...]
    """Of the name that the verb is about: the object, else the target."""
    targets: tuple[str, ...]
    taken: frozenset[tuple[str, str | None]] = frozenset()
    """(object, target) that do not count because the task would be true without any doing."""


@dataclass(frozen=True)
class Evidence:
    """What happened in an episode."""

    initial: WorldFacts
    """Right after the reset."""
    final: WorldFacts
    seen: frozenset[str]
    """Ids of what was in the picture of some frame after an action of the agent."""
    in_sight: frozenset[str]
    """Ids of what was in the last of these pictures."""
    acted: bool
    """The agent has acted since the reset."""


@dataclass(frozen=True)
class StrictJudgement:
    """What the strict rule says of a task."""

    verdicts: tuple[Verdict, ...]
    held_at_reset: tuple[bool, ...]
    """Per sub-goal: whether it was true right after the reset."""
    satisfied: bool
    reason: str
    """Why it is not satisfied, one sentence; empty: it is."""


def instances_of(name: str | None, world: WorldFacts) -> tuple[str, ...]:
    """Return the ids that a name may mean, nearest first; unknown distances come last."""
    if not name:
        return ()
    if name in world.objects:
        return (name,)
    try:
        wanted = to_object_type(name)
    except UnknownObjectTypeError:
        return ()
    objects: Iterable[ObjectFacts] = world.objects.values()
    same = [o for o in objects if o.object_type == wanted]
    same.sort(key=lambda o: math.inf if math.isnan(o.distance) else o.distance)
    return tuple(o.object_id for o in same)


def allowed_instances(goals: Sequence[SubGoal], initial: WorldFacts) -> tuple[Allowed, ...]:
    """Return which instances may satisfy each sub-goal, given the world right after the reset."""
    wide = tuple(
        Allowed(
            instances_of(goal.object or goal.target, initial), instances_of(goal.target, initial)
        )
        for goal in goals
    )
    if not goals or not all(
        holds(goal, initial, allowed) for goal, allowed in zip(goals, wide, strict=True)
    ):
        return wide
    return tuple(
        Allowed(a.objects, a.targets, frozenset(_satisfying_pairs(goal, initial, a)))
        for goal, a in zip(goals, wide, strict=True)
    )


def satisfying(
    goal: SubGoal, world: WorldFacts, allowed: Allowed, seen: Iterable[str] = ()
) -> tuple[str, str | None] | None:
    """Return the object and target that make a sub-goal true now; None: it is not true.

    Whether an object was found depends on what was seen so far, everything else on the world.
    """
    return next(_satisfying_pairs(goal, world, allowed, seen), None)


def _satisfying_pairs(
    goal: SubGoal, world: WorldFacts, allowed: Allowed, seen: Iterable[str] = ()
) -> Iterator[tuple[str, str | None]]:
    verb = goal.goal.strip().lower()
    known = set(seen)
    check = _CHECKS.get(verb)
    for object_id in allowed.objects:
        obj = world.objects.get(object_id)
        pairs: list[tuple[str, str | None]] = []
        if verb in FIND_VERBS:
            pairs = [(object_id, None)] if object_id in known else []
        elif check is not None and obj is not None:
            pairs = [(object_id, target or None) for target in check(obj, world, allowed.targets)]
        yield from (pair for pair in pairs if pair not in allowed.taken)


def holds(goal: SubGoal, world: WorldFacts, allowed: Allowed, seen: Iterable[str] = ()) -> bool:
    """Return whether a sub-goal is true now; see `satisfying`."""
    return satisfying(goal, world, allowed, seen) is not None


def evaluate_strict(goals: Sequence[SubGoal], evidence: Evidence) -> StrictJudgement:
    """Judge a task by the strict rule."""
    allowed = allowed_instances(goals, evidence.initial)
    before = tuple(
        holds(goal, evidence.initial, bound) for goal, bound in zip(goals, allowed, strict=True)
    )
    seen = evidence.in_sight if len(goals) == 1 else evidence.seen
    if not evidence.acted:
        seen = frozenset()
    verdicts = tuple(
        _verdict(goal, evidence.final, bound, seen, held)
        for goal, bound, held in zip(goals, allowed, before, strict=True)
    )
    reason = _failure(goals, verdicts, before, evidence)
    return StrictJudgement(verdicts, before, not reason, reason)


def _verdict(
    goal: SubGoal, final: WorldFacts, allowed: Allowed, seen: frozenset[str], held: bool
) -> Verdict:
    found = satisfying(goal, final, allowed, seen)
    words = f"'{goal}'"
    if found is None:
        reason = f"{words} is no longer true" if held else f"{words} is not true of any instance"
        first = allowed.objects[0] if allowed.objects else None
        return Verdict(goal, False, first, None, reason)
    reason = f"{words} was true at the reset and still is" if held else f"{words} was achieved"
    return Verdict(goal, True, found[0], found[1], reason)


def _failure(
    goals: Sequence[SubGoal],
    verdicts: Sequence[Verdict],
    before: Sequence[bool],
    evidence: Evidence,
) -> str:
    unmet = [verdict.reason for verdict in verdicts if not verdict.satisfied]
    if unmet:
        return f"{'; '.join(unmet)}."
    if not evidence.acted:
        return "The agent has not acted."
    if all(before):
        return "Everything was true at the reset, so the agent brought nothing about."
    stores = any(goal.goal.strip().lower() in STORE_VERBS for goal in goals)
    if stores and evidence.final.held_id is not None:
        return f"The hand still holds {evidence.final.held_id}."
    return ""


_Check = Callable[[ObjectFacts, WorldFacts, tuple[str, ...]], Sequence[str]]
"""Returns the targets that make it true; "" stands for: true, and there is none to name."""
_YES = ("",)


def _state(wanted: Callable[[ObjectFacts], bool]) -> _Check:
    return lambda obj, _world, _targets: _YES if wanted(obj) else ()


def _held(obj: ObjectFacts, world: WorldFacts, _: tuple[str, ...]) -> Sequence[str]:
    return _YES if world.held_id == obj.object_id else ()


def _delivered(obj: ObjectFacts, world: WorldFacts, targets: tuple[str, ...]) -> Sequence[str]:
    if world.held_id != obj.object_id:
        return ()
    return [t for t in targets if _reached(world.objects.get(t))]


def _fetched(obj: ObjectFacts, world: WorldFacts, targets: tuple[str, ...]) -> Sequence[str]:
    return _delivered(obj, world, targets) if targets else _held(obj, world, targets)


def _stored(obj: ObjectFacts, world: WorldFacts, targets: tuple[str, ...]) -> Sequence[str]:
    if obj.is_picked_up or world.held_id == obj.object_id:
        return ()
    return [t for t in targets if t in obj.parent_receptacles]


def _reached(obj: ObjectFacts | None) -> bool:
    return obj is not None and (obj.visible is True or obj.distance <= REACH)


_CHECKS: dict[str, _Check] = {
    **dict.fromkeys(PICK_VERBS, _held),
    "fetch": _fetched,
    "deliver": _delivered,
    **dict.fromkeys(STORE_VERBS, _stored),
    **dict.fromkeys(NAVIGATE_VERBS, _state(_reached)),
    "open": _state(lambda obj: obj.openable and obj.is_open is True),
    "close": _state(lambda obj: obj.openable and obj.is_open is False),
    "turn_on": _state(lambda obj: obj.is_toggled is True),
    "turn_off": _state(lambda obj: obj.toggleable and obj.is_toggled is False),
    "slice": _state(lambda obj: obj.is_sliced is True),
    "look_at": _state(lambda obj: obj.visible is True),
}
