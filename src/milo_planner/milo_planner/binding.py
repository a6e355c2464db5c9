"""Which instances a task's sub-goals are about, and which come next when those are refused.

A sub-goal is bound once and keeps its instances until one of them is refused or satisfies it no
longer by being gone; then the next nearest pair that was not refused is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from milo_core.predicates import enclosing
from milo_core.strict_goals import Allowed, allowed_instances, satisfying
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import Verb, verb_of
from milo_planner.memory import Memory
from milo_planner.surfaces import metres

Pair = tuple[str, str | None]
"""The object and, where the verb has one, the target."""
_TWO = (Verb.STORE, Verb.DELIVER)


@dataclass
class Binder:
    """Binds the sub-goals of one task.

    Args:
        goals: the sub-goals, each with a verb that agenda.verb_of knows.
        initial: the world when the task began.
        memory: what was refused so far.
    """

    goals: Sequence[SubGoal]
    initial: WorldModel
    memory: Memory
    _allowed: tuple[Allowed, ...] = field(init=False)
    _bound: dict[int, Pair] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._allowed = allowed_instances(self.goals, self.initial)

    def satisfied(self, goal: int, world: WorldModel) -> Pair | None:
        """Return the instances for which a sub-goal is true now; None: it is not true."""
        return satisfying(self.goals[goal], world, self._allowed[goal], self.memory.seen)

    def was_true(self, goal: int) -> bool:
        """Return whether a sub-goal was true with all others when the task began."""
        return bool(self._allowed[goal].taken)

    def has_instances(self, goal: int) -> bool:
        """Return whether any instance of the names is known."""
        allowed = self._allowed[goal]
        needs_target = verb_of(self.goals[goal]) in _TWO
        return bool(allowed.objects) and (bool(allowed.targets) or not needs_target)

    def bind(self, goal: int, world: WorldModel, kept: Sequence[str] = ()) -> Pair | None:
        """Return the instances that a sub-goal is bound to; None: every one was refused.

        Args:
            goal: its index.
            world: the newest belief.
            kept: objects that other sub-goals need where they are.
        """
        before = self._bound.get(goal)
        if before is not None and self._usable(before, world):
            return before
        pair = next(self._pairs(goal, world, kept), None)
        if pair is not None:
            self._bound[goal] = pair
            self.memory.remember_binding(goal, pair)
        return pair

    def candidates(self, goal: int, world: WorldModel, kept: Sequence[str] = ()) -> list[Pair]:
        """Return every pair that was not refused; the bound one comes first."""
        bound = self.bind(goal, world, kept)
        others = [pair for pair in self._pairs(goal, world, kept) if pair != bound]
        return others if bound is None else [bound, *others]

    def last_bound(self, goal: int) -> Pair | None:
        """Return the instances that a sub-goal was bound to last."""
        return self._bound.get(goal)

    def _usable(self, pair: Pair, world: WorldModel) -> bool:
        object_id, target_id = pair
        if not self._reachable(object_id, world):
            return False
        return target_id is None or (
            self._reachable(target_id, world) and pair not in self.memory.no_room
        )

    def _reachable(self, object_id: str, world: WorldModel) -> bool:
        refused = self.memory.unreachable
        if object_id in refused or object_id not in world.objects:
            return False
        container = enclosing(world, object_id)
        return container is None or container.object_id not in refused

    def _pairs(self, goal: int, world: WorldModel, kept: Sequence[str]) -> Iterator[Pair]:
        allowed, two = self._allowed[goal], verb_of(self.goals[goal]) in _TWO
        targets = _nearest_first(allowed.targets, world)
        for object_id in _nearest_first(allowed.objects, world):
            if object_id in kept:
                continue
            for target_id in targets if two else (None,):
                pair = (object_id, target_id)
                if pair in allowed.taken:
                    continue
                if target_id != object_id and self._usable(pair, world):
                    yield pair


def _nearest_first(ids: Sequence[str], world: WorldModel) -> list[str]:
    """Sort instances: what is in the hand, then the nearest, what is shut away last."""

    def key(object_id: str) -> tuple[bool, bool, float]:
        belief = world.objects[object_id]
        shut = enclosing(world, object_id) is not None
        return (object_id != world.held_id, shut, metres(belief.distance))

    return sorted((i for i in ids if i in world.objects), key=key)
