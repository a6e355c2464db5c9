"""Makes the agenda of a task before every decision, and keeps book of its sub-goals."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from milo_core.error_codes import RunTaskError
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, Duty, Verb, verb_of
from milo_planner.binding import Binder, Pair
from milo_planner.memory import Memory
from milo_planner.recovery import RecoveryKind, RecoveryRecord
from milo_planner.surfaces import is_surface, metres, takes
from milo_planner.task_records import OutcomeStatus, SubGoalOutcome

_FROM_HERE = (Verb.NAVIGATE, Verb.LOOK_AT)
"""Are about where the robot stands, not about what it changes."""
_NEEDS_HAND = (Verb.PICK_UP, Verb.DELIVER, Verb.STORE)


@dataclass
class AgendaMaker:
    """Turns sub-goals and memory into an agenda.

    Args:
        goals: the sub-goals, each with a verb that agenda.verb_of knows.
        initial: the world when the task began.
        memory: of the task.
        on_recovery: takes what is given up or put back.
    """

    goals: Sequence[SubGoal]
    initial: WorldModel
    memory: Memory
    on_recovery: Callable[[RecoveryRecord], None]
    _abandoned: dict[int, tuple[int, str]] = field(default_factory=dict, init=False)
    _achieved: dict[int, Pair] = field(default_factory=dict, init=False)
    _attempted: set[int] = field(default_factory=set, init=False)
    _putting_back: set[str] = field(default_factory=set, init=False)
    _world: WorldModel = field(init=False)
    _kept: tuple[str, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self._binder = Binder(self.goals, self.initial, self.memory)
        self._world = self.initial

    def agenda(self, live: WorldModel) -> list[AgendaItem]:
        """Return what is to be brought about and kept: duties of the hand, goals, closings.

        A sub-goal for which every instance was refused is given up here.
        """
        self._world = live
        self._achieved = {
            index: pair
            for index in range(len(self.goals))
            if index not in self._abandoned
            and (pair := self._binder.satisfied(index, live)) is not None
        }
        self._kept = tuple(
            pair[0] for index, pair in self._achieved.items() if self._verb(index) in _NEEDS_HAND
        )
        goals = [item for i in range(len(self.goals)) if (item := self._item(i)) is not None]
        return [*self._free_hand(goals), *goals, *self._closings(goals)]

    def candidates(self, goal: int) -> list[Pair]:
        """Return the instances that may still serve a sub-goal; the bound ones come first."""
        if goal in self._achieved:
            return [self._achieved[goal]]
        return self._binder.candidates(goal, self._world, self._kept)

    def attempted(self, goal: int) -> None:
        """Note that a step was taken for a sub-goal."""
        self._attempted.add(goal)

    def refuse(self, item: AgendaItem, reason: str) -> None:
        """Give up on an item for which no step is known.

        Another instance is tried for a goal, another spot for what is in the way; what can't be
        closed again stays open.
        """
        if item.target_id is not None:
            self.memory.no_room.add((item.object_id, item.target_id))
        else:
            self.memory.unreachable.add(item.object_id)
        closing = item.duty is Duty.CLOSE
        kind = RecoveryKind.GIVE_UP if closing else RecoveryKind.OTHER_INSTANCE
        self.on_recovery(
            RecoveryRecord(item.goal, kind, reason, "", item.object_id, item.target_id or "", 0)
        )

    def verdict(self) -> tuple[int, str]:
        """Return code and message of the first sub-goal that was given up; 0: none was."""
        return next((self._abandoned[i] for i in sorted(self._abandoned)), (0, ""))

    def outcomes(self) -> list[SubGoalOutcome]:
        """Return how each sub-goal was left."""
        return [self._outcome(index) for index in range(len(self.goals))]

    def _outcome(self, index: int) -> SubGoalOutcome:
        pair = self._achieved.get(index) or self._binder.last_bound(index) or ("", None)
        code, message = self._abandoned.get(index, (0, ""))
        if index in self._abandoned:
            status = OutcomeStatus.ABANDONED
        elif self._is_idle(index):
            status = OutcomeStatus.HELD_ALREADY
        elif index not in self._achieved:
            status = OutcomeStatus.PENDING
        elif index in self._attempted:
            status = OutcomeStatus.ACHIEVED
        else:
            status = OutcomeStatus.HELD_ALREADY
        return SubGoalOutcome(
            status,
            pair[0],
            pair[1] or "",
            code,
            message,
            tuple(self.memory.tried.get(index, ())),
            self.memory.poses.get(index, 0),
        )

    def _verb(self, index: int) -> Verb:
        verb = verb_of(self.goals[index])
        assert verb is not None  # checked before the task began
        return verb

    def _item(self, index: int) -> AgendaItem | None:
        if index in self._abandoned:
            return None
        verb, pair = self._verb(index), self._achieved.get(index)
        if pair is not None and verb in _FROM_HERE:
            return None  # as long as the robot stays, nothing more has to be true
        if pair is None:
            pair = self._binder.bind(index, self._world, self._kept)
        if pair is None:
            if not self._is_idle(index):
                self._abandon(index)
            return None
        # A task that names a target although the verb has none is about the object alone.
        target = pair[1] if verb in (Verb.STORE, Verb.DELIVER) else None
        return AgendaItem(index, verb, pair[0], target)

    def _is_idle(self, index: int) -> bool:
        """Whether a sub-goal was true before and there is no other instance to do it with."""
        return self._binder.was_true(index) and not self.memory.tried.get(index)

    # -- giving up ---------------------------------------------------------------------------

    def _abandon(self, index: int) -> None:
        code, message = self._reason(index)
        self._abandoned[index] = (int(code), message)
        self.on_recovery(RecoveryRecord(index, RecoveryKind.GIVE_UP, message, error_code=int(code)))

    def _reason(self, index: int) -> tuple[RunTaskError, str]:
        goal, memory = self.goals[index], self.memory
        if not self._binder.has_instances(index):
            text = f"No instance that '{goal}' is about is known."
            return RunTaskError.NO_INSTANCE, text
        tried = memory.tried.get(index, [])
        evidence = f"{len(tried)} instances and {memory.poses.get(index, 0)} poses were tried"
        refusals = [r for r in memory.refusals if r.object_id in tried or r.receptacle_id in tried]
        last = f"; last: {refusals[-1].message}" if refusals else ""
        if any(pair[0] in tried for pair in memory.no_room):
            text = f"There is no room for '{goal}': {evidence}{last}"
            return RunTaskError.NO_ROOM, text
        text = f"Nothing that '{goal}' is about can be reached: {evidence}{last}"
        return RunTaskError.UNREACHABLE, text

    # -- duties ------------------------------------------------------------------------------

    def _free_hand(self, goals: Sequence[AgendaItem]) -> list[AgendaItem]:
        held = self._world.held_id
        if held is None or held not in self._world.objects:
            return []
        if any(item.object_id == held and item.verb in _NEEDS_HAND for item in goals):
            return []
        needed = any(item.verb in _NEEDS_HAND and item.goal not in self._achieved for item in goals)
        if held not in self.memory.origin and not needed:
            return []  # it was in the hand before the task, and nothing asks for the hand
        spot = next(self._spots(held), None)
        if spot is None:
            return []
        goal = next(
            (i for i, tried in self.memory.tried.items() if held in tried),
            next((item.goal for item in goals), 0),
        )
        if held not in self._putting_back:
            self._putting_back.add(held)
            text = f"{held} goes to {spot}, because nothing asks for it any more."
            kind = RecoveryKind.PUT_BACK
            self.on_recovery(RecoveryRecord(goal, kind, text, "", held, spot))
        return [AgendaItem(goal, Verb.STORE, held, spot, Duty.FREE_HAND)]

    def _spots(self, held: str) -> Iterator[str]:
        """Yield where an object can be left: where it came from, then on the nearest surface."""
        world, memory = self._world, self.memory
        origin = [p for p in memory.origin.get(held, ()) if p in world.objects]
        thing = world.objects[held]
        surfaces = sorted(
            (o for o in world if is_surface(o) and takes(o, thing)),
            key=lambda o: metres(o.distance),
        )
        for spot in [*origin, *(o.object_id for o in surfaces)]:
            if spot not in memory.unreachable and (held, spot) not in memory.no_room:
                yield spot

    def _closings(self, goals: Sequence[AgendaItem]) -> list[AgendaItem]:
        memory, world = self.memory, self._world
        wanted = {item.object_id for item in goals if item.verb is Verb.OPEN}
        items: list[AgendaItem] = []
        for object_id, goal in list(memory.opened.items()):
            belief = world.objects.get(object_id)
            if belief is None or belief.is_open is False:
                del memory.opened[object_id]
            elif object_id not in wanted and object_id not in memory.unreachable:
                items.append(AgendaItem(goal, Verb.CLOSE, object_id, None, Duty.CLOSE))
        return items
