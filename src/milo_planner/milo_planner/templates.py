"""The rule-based planner's templates on instances: one per verb, with guards for what is true."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from milo_core.actions import ACTIONS, Physics
from milo_core.predicates import PREDICATES, enclosing
from milo_core.world_model import WorldModel
from milo_planner.agenda import (
    STATE_ACTIONS,
    AgendaItem,
    AgendaStep,
    Duty,
    Verb,
    unmet_items,
)
from milo_planner.policy import NoAgendaPlanError

_IN_HAND = (Verb.PICK_UP, Verb.DELIVER)


def in_order(agenda: Sequence[AgendaItem], world: WorldModel) -> list[AgendaItem]:
    """Return the items in the order in which to bring them about.

    First the closing of what the robot stands at and needs no more, then what is in the hand
    already, last what ends in the hand, other closings at the very end; the rest as given.
    """
    needed = _still_needed(agenda, world)

    def rank(item: AgendaItem) -> int:
        if item.duty is Duty.CLOSE:
            return -1 if item.object_id in world.near and item.object_id not in needed else 4
        if item.verb in _IN_HAND:
            return 3
        if item.duty is Duty.FREE_HAND or item.object_id == world.held_id:
            return 0
        return 1

    return sorted(agenda, key=rank)


def _still_needed(agenda: Sequence[AgendaItem], world: WorldModel) -> set[str]:
    """Return the receptacles that unmet items take something out of or put something into."""
    unmet = [i for i in agenda if i.duty is not Duty.CLOSE and not i.holds(world)]
    named = {i for item in unmet for i in (item.object_id, item.target_id) if i is not None}
    around = {parent for i in named for parent in world.objects[i].parent_receptacles}
    return around | {item.target_id for item in unmet if item.target_id is not None}


def expand(
    agenda: Sequence[AgendaItem], world: WorldModel, physics: Physics = "physical"
) -> list[AgendaStep]:
    """Return the steps that bring about an agenda and close what they open.

    Raises:
        NoAgendaPlanError: a guard can't be met.
    """
    script = _Script(world.copy(), physics, agenda)
    for item in in_order(agenda, world):
        if not item.holds(script.state):
            script.bring_about(item)
    undone = unmet_items(agenda, script.state)
    if undone:
        raise NoAgendaPlanError(f"What comes after '{undone[0]}' undoes it.", undone[0])
    return script.steps


@dataclass
class _Script:
    """Steps so far and the world after them."""

    state: WorldModel
    physics: Physics
    agenda: Sequence[AgendaItem]
    steps: list[AgendaStep] = field(default_factory=list)
    _item: AgendaItem | None = None

    def bring_about(self, item: AgendaItem) -> None:
        self._item = item
        match item.verb:
            case Verb.FIND:
                opened = self._reveal(item.object_id)
                self._do("navigate", object=item.object_id)
                self._close(opened)
            case Verb.NAVIGATE | Verb.LOOK_AT:
                # To close what is around it the robot might have to leave again.
                self._reveal(item.object_id)
                self._do("navigate", object=item.object_id)
            case Verb.PICK_UP:
                self._acquire(item.object_id)
            case Verb.DELIVER | Verb.STORE:
                self._deliver(item)
            case _:
                self._change(item)

    def _do(self, action: str, **arguments: str) -> None:
        assert self._item is not None
        unmet = ACTIONS[action].unmet(self.state, arguments, self.physics)
        if unmet:
            reason = unmet[0].sentence.format_map(arguments)
            raise NoAgendaPlanError(f"For '{self._item}', {reason} ({unmet[0].name}).", self._item)
        ACTIONS[action].apply(self.state, arguments, self.physics)
        self.steps.append(AgendaStep(action, arguments, self._item.goal))

    def _approach(self, object_id: str) -> None:
        if object_id not in self.state.near:
            self._do("navigate", object=object_id)

    def _open(self, object_id: str) -> None:
        self._approach(object_id)
        if PREDICATES["running"].holds(self.state, object_id):
            self._do("toggle_off", object=object_id)
        self._do("open", object=object_id)

    def _reveal(self, object_id: str) -> str | None:
        """Open the closed container around an object; return it."""
        container = enclosing(self.state, object_id)
        if container is None:
            return None
        self._open(container.object_id)
        return container.object_id

    def _close(self, object_id: str | None) -> None:
        if object_id is not None and self.state.objects[object_id].is_open:
            self._approach(object_id)
            self._do("close", object=object_id)

    def _acquire(self, object_id: str) -> None:
        if self.state.held_id == object_id:
            return
        if self.state.held_id is not None:
            self._free_hand(self.state.held_id)
        opened = self._reveal(object_id)
        self._approach(object_id)
        self._do("pickup", object=object_id)
        self._close(opened)

    def _free_hand(self, held: str) -> None:
        """Put what is in the hand where the agenda wants it, else where it can stay."""
        item, current = self._item, self._item
        wanted = next(
            (i for i in self.agenda if i.object_id == held and i.verb is Verb.STORE), None
        )
        if wanted is None:
            raise NoAgendaPlanError(
                f"For '{item}', the hand must be empty (hand_empty), and nothing says where "
                f"{held} goes.",
                item,
            )
        self._item = wanted
        self._deliver(wanted)
        self._item = current

    def _deliver(self, item: AgendaItem) -> None:
        assert item.target_id is not None
        self._acquire(item.object_id)
        around = self._reveal(item.target_id)
        closed = self.state.objects[item.target_id].is_open is False
        if item.verb is Verb.DELIVER:
            self._approach(item.target_id)
            self._close(around)
            return
        if closed:
            self._open(item.target_id)
        self._approach(item.target_id)
        self._do("place", object=item.object_id, receptacle=item.target_id)
        if closed:
            self._close(item.target_id)
        self._close(around)

    def _change(self, item: AgendaItem) -> None:
        object_id = item.object_id
        container = self._reveal(object_id)
        if item.verb is Verb.OPEN:
            self._open(object_id)
        else:
            self._approach(object_id)
            if item.verb is Verb.TURN_ON and PREDICATES["door_open"].holds(self.state, object_id):
                self._do("close", object=object_id)
            if item.verb is Verb.SLICE and self.state.held_id == object_id:
                self._free_hand(object_id)
            self._do(STATE_ACTIONS[item.verb], object=object_id)
        self._close(container)
