"""The task network of whole agendas: compound tasks and their methods.

    achieve_all     everything on the agenda, item by item, then what tidying is left
    achieve_<verb>  one item: find, navigate, pick_up, deliver, store, open, close, ...
    acquire, deposit, free_hand                 what goes through the hand
    reveal, approach, see                       getting at something
    open_up, close_up, switch_on_again, tidy    containers and what runs

Methods look at the state in which their sub-tasks will run, so that what is true is skipped.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from milo_core.predicates import PREDICATES, enclosing
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.agenda import AgendaItem, Duty, Verb
from milo_planner.htn_network import Expansion, Method, NotApplicableError, State, Task
from milo_planner.memory import Memory
from milo_planner.surfaces import can_keep, is_surface, metres, takes

_SPOTS = 6
"""How many places for something in the way are tried."""
_RANKS: Mapping[Verb, int] = {
    Verb.PICK_UP: 5,
    Verb.DELIVER: 5,
    Verb.NAVIGATE: 6,
    Verb.LOOK_AT: 7,
}
"""What ends with something in the hand, then what ends at a place, then what ends with a view,
comes after everything else."""
_OTHERS, _IN_HAND, _FREE_HAND = 4, 3, 1
_NEAR_CHORE, _CHORE = 0, 2


@dataclass(frozen=True)
class _Chore:
    """Something to put right that the agent changed on its way."""

    task: Task
    near: bool


@dataclass
class AgendaDomain:
    """Compound tasks about the items of one agenda; an item is known by its index.

    Args:
        agenda: everything to bring about and to keep.
        initial: the world before the plan.
        memory: where something in the way was refused a place it is not put again.
    """

    agenda: Sequence[AgendaItem]
    initial: WorldModel
    memory: Memory
    methods: Mapping[str, Sequence[Method]] = field(init=False)
    """Compound task -> methods, in the order in which they are tried."""
    _surfaces: list[ObjectBelief] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.methods = {
            "achieve_all": (Method("next item or chore", self._achieve_all),),
            "tidy": (Method("what is not needed any more", self._tidy),),
            _task_of(Verb.FIND): (_always("reveal and see", "reveal", "see"),),
            _task_of(Verb.LOOK_AT): (
                Method("go and look", self._go_and_look),
                _always("look from here", "reveal", "look"),
            ),
            _task_of(Verb.NAVIGATE): (_always("approach", "approach"),),
            _task_of(Verb.PICK_UP): (_always("acquire", "acquire"),),
            _task_of(Verb.DELIVER): (Method("acquire and carry", self._deliver),),
            _task_of(Verb.STORE): (Method("acquire and deposit", self._store),),
            _task_of(Verb.OPEN): (_always("open", "open_up"),),
            _task_of(Verb.CLOSE): (_always("close", "close_up"),),
            _task_of(Verb.TURN_ON): (Method("close first what must be closed", self._turn_on),),
            _task_of(Verb.TURN_OFF): (_always("approach and switch", "approach", "toggle_off"),),
            _task_of(Verb.SLICE): (Method("let go of it first", self._slice),),
            "acquire": (
                Method("held already", _when(_held)),
                Method("take it", self._take),
            ),
            "deposit": (Method("open if closed", self._deposit),),
            "free_hand": (
                Method("empty already", _when(_hand_empty)),
                Method("where the agenda wants it", self._release_to_target),
                Method("where it can stay", self._release_to_spot),
                Method("let go of it", self._let_go),
            ),
            "approach": (
                Method("near already", _when(_near)),
                Method("put it down first", self._put_down_and_approach),
                Method("go", self._go),
            ),
            "reveal": (
                Method("open to the hand", _when(_bare)),
                Method("open what it is in", self._open_around),
            ),
            "see": (
                Method("look, near it", self._look),
                Method("go", self._go),
            ),
            "open_up": (
                Method("open already", _when(_open)),
                Method("switch off first what must be off", self._open_up),
            ),
            "close_up": (
                Method("not open", _when(_not_open)),
                _always("close", "approach", "close"),
            ),
            "switch_on_again": (_always("switch on", "approach", "toggle_on"),),
        }

    # -- the agenda ----------------------------------------------------------------------------

    def _achieve_all(self, state: State, task: Task) -> Expansion:
        """Yield each item that may come next; nothing is left: yield the empty list."""
        unmet = [i for i, item in enumerate(self.agenda) if not item.holds(state.world)]
        for index in unmet:
            if index in task.done and self.agenda[index].verb is not Verb.CLOSE:
                raise NotApplicableError(f"'{self.agenda[index]}' would be undone again")
        chore = next(self._chores(state, unmet), None)
        ranked = sorted((self._rank(state, index, unmet), index) for index in unmet)
        if chore is not None:
            rank = _NEAR_CHORE if chore.near else _CHORE
            if not ranked or rank < ranked[0][0][0]:
                yield chore.task, Task("achieve_all", done=task.done)
                return
        if not ranked:
            yield ()
        for _, index in ranked:
            item = self.agenda[index]
            arguments = (item.object_id, item.target_id or "")
            yield (
                Task(_task_of(item.verb), arguments[: 1 + (item.target_id is not None)], index),
                Task("achieve_all", done=task.done | {index}),
            )

    def _rank(self, state: State, index: int, unmet: Sequence[int]) -> tuple[int, bool, float, int]:
        """Return how early an item should come: rank, whether others should precede, distance."""
        item = self.agenda[index]
        if item.duty is Duty.FREE_HAND:
            return _FREE_HAND, False, 0.0, index
        held = state.world.held_id == item.object_id
        rank = _IN_HAND if held and item.verb is Verb.STORE else _RANKS.get(item.verb, _OTHERS)
        place = item.target_id if held and item.target_id else item.object_id
        return rank, self._waits(state, index, unmet), _distance(state, place), index

    def _waits(self, state: State, index: int, unmet: Sequence[int]) -> bool:
        """Whether an item had better wait for others to be done with what it is about."""
        item, others = self.agenda[index], [i for i in unmet if i != index]
        if item.verb in (Verb.CLOSE, Verb.TURN_ON) and self._needed(state, item.object_id, others):
            return True
        for other in (self.agenda[i] for i in others):
            same = other.object_id == item.object_id
            if item.verb is Verb.STORE and other.verb is Verb.STORE:
                if other.target_id == item.object_id:
                    return True
            elif item.verb is Verb.TURN_ON and other.verb is Verb.OPEN and same:
                return True  # some things open only while they are off
            elif item.verb is Verb.SLICE and other.verb is Verb.STORE and same:
                return True  # it is gone when it is in pieces
        return False

    # -- tidying -------------------------------------------------------------------------------

    def _tidy(self, state: State, task: Task) -> Expansion:
        unmet = [i for i, item in enumerate(self.agenda) if not item.holds(state.world)]
        chore = next(self._chores(state, unmet), None)
        yield () if chore is None else (chore.task, task)

    def _chores(self, state: State, unmet: Sequence[int]) -> Iterator[_Chore]:
        """Yield what is to be put right and is not needed as it is any more, near things first."""
        found = [
            *self._closings(state, unmet),
            *(_Chore(task, _near(state, task)) for task in self._restarts(state)),
        ]
        yield from sorted(found, key=lambda chore: not chore.near)

    def _closings(self, state: State, unmet: Sequence[int]) -> Iterator[_Chore]:
        openers = {
            step.arguments["object"]: step.item for step in state.steps if step.action == "open"
        }
        tasks = {
            object_id: Task("close_up", (object_id,), item)
            for object_id, item in openers.items()
            if state.world.objects[object_id].is_open
            and self.initial.objects[object_id].is_open is not True
            and not self._wanted_open(state, object_id)
        }
        for index in unmet:
            item = self.agenda[index]
            if item.duty is Duty.CLOSE:
                tasks[item.object_id] = Task("close_up", (item.object_id,), index)
        # What is in another container is closed before that one is.
        outer = {container for i in tasks for container in _around(state.world, i)}
        for object_id, task in tasks.items():
            if object_id not in outer and not self._needed(state, object_id, unmet):
                yield _Chore(task, object_id in state.world.near)

    def _restarts(self, state: State) -> Iterator[Task]:
        """Yield what was switched off only in order to open it."""
        for step in state.steps:
            object_id = step.arguments["object"]
            belief = state.world.objects[object_id]
            if (
                step.action == "toggle_off"
                and belief.is_toggled is not True
                and not any(
                    item.object_id == object_id and item.verb in (Verb.TURN_ON, Verb.TURN_OFF)
                    for item in self.agenda
                )
                and not PREDICATES["door_open"].holds(state.world, object_id)
            ):
                yield Task("switch_on_again", (object_id,), step.item)

    def _needed(self, state: State, container: str, unmet: Sequence[int]) -> bool:
        """Whether an item that is not true yet needs a container open."""
        return any(container in self._needs_open(state, self.agenda[i]) for i in unmet)

    def _needs_open(self, state: State, item: AgendaItem) -> set[str]:
        found = _around(state.world, item.object_id)
        if item.target_id is not None:
            found |= _around(state.world, item.target_id)
            if item.verb is Verb.STORE:
                found.add(item.target_id)
        return found

    def _wanted_open(self, state: State, container: str) -> bool:
        """Whether a container stays open: an item says so, or the robot is to end inside it."""
        for item in self.agenda:
            if item.verb is Verb.OPEN and item.object_id == container:
                return True
            place = item.target_id if item.verb is Verb.DELIVER else item.object_id
            ends_there = item.verb in (Verb.NAVIGATE, Verb.DELIVER)
            if ends_there and place and container in _around(state.world, place):
                return True
        return False

    # -- items ---------------------------------------------------------------------------------

    def _go_and_look(self, _: State, task: Task) -> Expansion:
        yield _with(task, "reveal"), _with(task, "approach"), _with(task, "look")

    def _deliver(self, state: State, task: Task) -> Expansion:
        target = Task("approach", task.arguments[1:], task.item)
        yield (*_acquiring(state, task), target)

    def _store(self, state: State, task: Task) -> Expansion:
        yield (*_acquiring(state, task), _with(task, "deposit"))

    def _turn_on(self, state: State, task: Task) -> Expansion:
        shut = PREDICATES["door_open"].holds(state.world, task.arguments[0])
        closing = (_with(task, "close_up"),) if shut else ()
        yield (*closing, _with(task, "approach"), _with(task, "toggle_on"))

    def _slice(self, state: State, task: Task) -> Expansion:
        held = _held(state, task)
        freeing = (Task("free_hand", (), task.item),) if held else ()
        yield (
            *freeing,
            _with(task, "reveal"),
            _with(task, "approach"),
            _with(task, "slice"),
        )

    # -- the hand ------------------------------------------------------------------------------

    def _take(self, state: State, task: Task) -> Expansion:
        if not _held(state, task):
            yield (
                Task("free_hand", (), task.item),
                _with(task, "reveal"),
                _with(task, "approach"),
                _with(task, "pickup"),
            )

    def _deposit(self, state: State, task: Task) -> Expansion:
        target = Task("", task.arguments[1:], task.item)
        belief = state.world.objects[task.arguments[1]]
        # A container of unknown state may be closed; opening it tells.
        opening = belief.openable and belief.is_open is not True
        yield (
            _with(target, "reveal"),
            _with(target, "approach"),
            *((_with(target, "open_up"),) if opening else ()),
            _with(task, "place"),
        )

    def _release_to_target(self, state: State, task: Task) -> Expansion:
        for index, item in enumerate(self.agenda):
            if item.verb is Verb.STORE and item.object_id == state.world.held_id:
                assert item.target_id is not None
                where = Task("deposit", (item.object_id, item.target_id), index)
                yield where, Task("tidy", (), index)

    def _release_to_spot(self, state: State, task: Task) -> Expansion:
        held = state.world.held_id
        if held is not None:
            for spot in islice(self._spots(state, held), _SPOTS):
                yield (Task("deposit", (held, spot), task.item),)

    def _let_go(self, state: State, task: Task) -> Expansion:
        if state.world.held_id is not None:
            yield (Task("put_down", (state.world.held_id,), task.item),)

    def _spots(self, state: State, held: str) -> Iterator[str]:
        """Yield where something can stay: where it came from, near the robot, then the nearest."""
        world, memory = state.world, self.memory
        if self._surfaces is None:
            surfaces = [belief for belief in self.initial if is_surface(belief)]
            self._surfaces = sorted(surfaces, key=lambda b: metres(b.distance))
        origin = (*memory.origin.get(held, ()), *self.initial.objects[held].parent_receptacles)
        surfaces = [spot for spot in self._surfaces if takes(spot, world.objects[held])]
        surfaces.sort(key=lambda spot: spot.object_id not in world.near)
        candidates = [
            *(b for i in origin if (b := world.objects.get(i)) is not None and can_keep(b)),
            *surfaces,
        ]
        for object_id in dict.fromkeys(belief.object_id for belief in candidates):
            refused = (held, object_id) in memory.no_room or object_id in memory.unreachable
            if not refused and object_id != held:
                yield object_id

    # -- getting at something ------------------------------------------------------------------

    def _put_down_and_approach(self, state: State, task: Task) -> Expansion:
        if not _near(state, task) and _held(state, task):
            yield Task("free_hand", (), task.item), task

    def _go(self, state: State, task: Task) -> Expansion:
        if _near(state, task) and task.name == "approach":
            return
        located = task.arguments[0] in state.world.located
        # Under the published rules going somewhere doesn't count as having seen what is there.
        looking = task.name == "see" and state.physics == "published"
        yield (
            _with(task, "reveal"),
            *(() if located else (_with(task, "locate"),)),
            _with(task, "navigate"),
            *((_with(task, "look"),) if looking else ()),
        )

    def _look(self, state: State, task: Task) -> Expansion:
        if _near(state, task) or _held(state, task):
            yield (_with(task, "look"),)

    def _open_around(self, state: State, task: Task) -> Expansion:
        container = enclosing(state.world, task.arguments[0])
        if container is not None:
            yield Task("open_up", (container.object_id,), task.item), task

    def _open_up(self, state: State, task: Task) -> Expansion:
        if _open(state, task):
            return
        running = PREDICATES["running"].holds(state.world, task.arguments[0])
        yield (
            _with(task, "approach"),
            *((_with(task, "toggle_off"),) if running else ()),
            _with(task, "open"),
        )


def _task_of(verb: Verb) -> str:
    """Return the compound task that brings an item about; verbs are also names of actions."""
    return f"achieve_{verb}"


def _with(task: Task, name: str) -> Task:
    return Task(name, task.arguments, task.item)


def _acquiring(state: State, task: Task) -> Sequence[Task]:
    """Return the tasks after which an item's object is in the hand and its source closed again."""
    if _held(state, task):
        return ()
    return Task("acquire", task.arguments[:1], task.item), Task("tidy", (), task.item)


def _always(name: str, *subtasks: str) -> Method:
    """Return a method that always applies; its sub-tasks are about what the task is about."""

    def expand(_: State, task: Task) -> Expansion:
        yield [_with(task, subtask) for subtask in subtasks]

    return Method(name, expand)


def _when(test: Callable[[State, Task], bool]) -> Callable[[State, Task], Expansion]:
    """Return a way to expand a task into nothing where something is true."""

    def expand(state: State, task: Task) -> Expansion:
        if test(state, task):
            yield ()

    return expand


# -- conditions --------------------------------------------------------------------------------


def _held(state: State, task: Task) -> bool:
    return state.world.held_id == task.arguments[0]


def _hand_empty(state: State, _: Task) -> bool:
    return state.world.held_id is None


def _near(state: State, task: Task) -> bool:
    return task.arguments[0] in state.world.near


def _open(state: State, task: Task) -> bool:
    return state.world.objects[task.arguments[0]].is_open is True


def _not_open(state: State, task: Task) -> bool:
    return not _open(state, task)


def _bare(state: State, task: Task) -> bool:
    return enclosing(state.world, task.arguments[0]) is None


def _around(world: WorldModel, object_id: str) -> set[str]:
    """Return everything an object is in or on, also indirectly."""
    found: set[str] = set()
    waiting = [object_id]
    while waiting:
        belief = world.objects.get(waiting.pop())
        for parent in belief.parent_receptacles if belief is not None else ():
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


# -- places ------------------------------------------------------------------------------------


def _distance(state: State, object_id: str) -> float:
    """Return the metres between the robot, wherever the plan has taken it, and an object."""
    objects = state.world.objects
    here = state.world.robot_position
    for step in reversed(state.steps):
        if step.action == "navigate":
            here = objects[step.arguments["object"]].position
            break
    if here is None:
        return metres(objects[object_id].distance)
    return math.dist(here[:2], objects[object_id].position[:2])
