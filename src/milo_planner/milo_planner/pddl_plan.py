"""What is done with an engine's plan: useless steps go, the others get the sub-goal they serve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from milo_planner.agenda import AgendaItem
from milo_planner.pddl_task import (
    Atom,
    Condition,
    Every,
    Fact,
    GroundAction,
    GroundTask,
    atoms_of,
    facts_of,
)


def holds(condition: Condition, true: set[Fact]) -> bool:
    """Return whether a condition is true where these facts are, and no others."""
    if isinstance(condition, Atom):
        return (condition.fact in true) is condition.value
    parts = (holds(part, true) for part in condition.parts)
    return all(parts) if isinstance(condition, Every) else any(parts)


def without_useless(steps: Sequence[GroundAction], task: GroundTask) -> list[GroundAction]:
    """Return a plan from which no step can be left out together with those that build on it.

    Greedy action elimination (Nakhost and Mueller, ICAPS 2010): the costliest saving first, until
    there is none.
    """
    best = list(steps)
    while True:
        shorter = [
            kept for index in range(len(best)) if (kept := _without(best, index, task)) is not None
        ]
        if not shorter:
            return best
        best = min(shorter, key=lambda plan: sum(step.cost for step in plan))


def just_in_time(steps: Sequence[GroundAction]) -> list[GroundAction]:
    """Return a plan in which what moves nothing comes right before what needs it."""
    ordered: list[GroundAction] = []
    for step in reversed(steps):
        place = 0
        if step.action.skill is None:
            place = next(
                (
                    index
                    for index, other in enumerate(ordered)
                    if not step.changes.keys().isdisjoint(facts_of(other.condition))
                ),
                len(ordered),
            )
        ordered.insert(place, step)
    return ordered


def _without(
    steps: Sequence[GroundAction], index: int, task: GroundTask
) -> list[GroundAction] | None:
    """Leave out a step and all that are not possible without it; None: that is no plan."""
    true, kept = set(task.initial), list[GroundAction]()
    for number, step in enumerate(steps):
        if number != index and holds(step.condition, true):
            _apply(step, true)
            kept.append(step)
    return kept if all(holds(goal, true) for goal in task.goals) else None


def _apply(step: GroundAction, true: set[Fact]) -> None:
    for fact, value in step.changes.items():
        (true.add if value else true.discard)(fact)


@dataclass
class Purposes:
    """Finds out which items of an agenda the steps of a plan serve.

    Args:
        steps: the plan.
        agenda: what it brings about.
    """

    steps: Sequence[GroundAction]
    agenda: Sequence[AgendaItem]

    def goals(self) -> list[int]:
        """Return the index of the sub-goal for each step."""
        return [
            self.agenda[self._item(index, frozenset())].goal for index in range(len(self.steps))
        ]

    def _item(self, index: int, asked: frozenset[int]) -> int:
        """Return the item that a step serves: by itself, through a later step, or by undoing.

        What restores something serves what the step served that changed it.
        """
        direct = self._direct(index)
        if direct is not None:
            return direct
        asked |= {index}
        for other in (self._undone(index), self._consumer(index)):
            if other is not None and other not in asked:
                return self._item(other, asked)
        return self._item(index - 1, asked) if index and index - 1 not in asked else 0

    def _direct(self, index: int) -> int | None:
        """Return the item one of whose facts the step is the last to make true."""
        later = {fact for step in self.steps[index + 1 :] for fact in step.changes}
        final = {f: v for f, v in self.steps[index].changes.items() if f not in later}
        for number, item in enumerate(self.agenda):
            for name, ids, value in item.facts():
                if final.get((name, *ids)) is value:
                    return number
        return None

    def _undone(self, index: int) -> int | None:
        """Return the earlier step whose change this one takes back, if no later one needs it."""
        if self._consumer(index) is not None:
            return None
        mine = self.steps[index].changes
        for other in range(index - 1, -1, -1):
            changes = self.steps[other].changes
            if any(fact in changes and changes[fact] is not mine[fact] for fact in mine):
                return other if _same_object(self.steps[index], self.steps[other]) else None
        return None

    def _consumer(self, index: int) -> int | None:
        """Return the next step that needs something this one makes true."""
        offered: Mapping[Fact, bool] = dict(self.steps[index].changes)
        for other in range(index + 1, len(self.steps)):
            step = self.steps[other]
            if any(offered.get(a.fact) is a.value for a in atoms_of(step.condition)):
                return other
            offered = {f: v for f, v in offered.items() if f not in step.changes}
        return None


def _same_object(first: GroundAction, second: GroundAction) -> bool:
    return not set(first.arguments.values()).isdisjoint(second.arguments.values())
