"""Hierarchical task networks: tasks, methods, and the search for a decomposition.

A compound task is replaced by the sub-tasks of one of its methods until only actions of
milo_core.actions are left. Total-order forward decomposition as in SHOP (Nau et al., IJCAI 1999):
every action is checked and applied as soon as it is reached, so that methods see the state in
which their sub-tasks will run. Where a task fails the latest choice with an alternative is made
differently.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from milo_core.actions import ACTIONS, Action, Effect, Physics
from milo_core.world_model import ObjectBelief, WorldModel

EXPANSION_LIMIT = 4000
"""Tasks that one search looks at before it gives up; plans of ten goals take some hundreds."""
DEPTH_LIMIT = 200
"""How deep tasks may be nested; a task list that is worked off item by item nests once an item."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something to do: an action of the table, or a compound task that methods decompose."""

    name: str
    arguments: tuple[str, ...] = ()
    """Names or instance ids; those of an action are in the order of its roles."""
    item: int = 0
    """Index of what it serves."""
    done: frozenset[int] = frozenset()
    """Indices of what was worked off before."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a plan."""

    action: str
    arguments: Mapping[str, str]
    """Role -> name or instance id."""
    item: int
    """Index of what it serves."""


class NotApplicableError(Exception):
    """Raised by a method that can't be used in a state; says why."""


class NoDecompositionError(Exception):
    """A task that no combination of methods brings about.

    The message is a clause without a full stop.
    """

    def __init__(self, message: str, item: int) -> None:
        super().__init__(message)
        self.item = item
        """Index of what the search failed at."""


class SearchLimitError(NoDecompositionError):
    """A search that was ended before it had tried everything."""


class _Undo(NamedTuple):
    held_id: str | None
    near: set[str]
    located: set[str]
    beliefs: list[tuple[str, ObjectBelief]]


class State:
    """A world model under planning, with the steps that led to it and the way back.

    Nothing is copied but the beliefs that a step changes, so the given model stays as it is and a
    step is taken back in the time that it took.

    Args:
        world: the model to begin with.
        physics: the rules of milo_core.actions that hold.
    """

    def __init__(self, world: WorldModel, physics: Physics) -> None:
        self.initial = world
        self.world = replace(world, objects=dict(world.objects))
        self.physics: Physics = physics
        self.steps: list[Step] = []
        self._undo: list[_Undo] = []
        self._nearest: dict[str, str | None] = {}

    def resolve(self, name: str) -> str | None:
        """Return the instance that a name stands for, the nearest; None: none is known."""
        if name in self.world.objects:
            return name
        if name not in self._nearest:
            instance = self.world.nearest(name)
            self._nearest[name] = None if instance is None else instance.object_id
        return self._nearest[name]

    def belief(self, name: str) -> ObjectBelief | None:
        """Return what is believed of the instance that a name stands for."""
        object_id = self.resolve(name)
        return None if object_id is None else self.world.objects[object_id]

    def perform(self, task: Task) -> str:
        """Check and apply an action; return what speaks against it, empty: it is done."""
        action = ACTIONS[task.name]
        named = dict(zip((role.name for role in action.roles), task.arguments, strict=True))
        bound: dict[str, str] = {}
        for role, name in named.items():
            object_id = self.resolve(name)
            if object_id is None:
                return f"no instance is known of '{name}'"
            bound[role] = object_id
        unmet = action.unmet(self.world, bound, self.physics)
        if unmet:
            return f"{unmet[0].sentence.format_map(named)} ({unmet[0].name})"
        self._apply(action, bound)
        self.steps.append(Step(task.name, named, task.item))
        return ""

    def undo(self, steps: int) -> None:
        """Take steps back until so many are left."""
        while len(self.steps) > steps:
            self.steps.pop()
            before = self._undo.pop()
            self.world.held_id = before.held_id
            self.world.near, self.world.located = before.near, before.located
            for object_id, belief in reversed(before.beliefs):
                self.world.objects[object_id] = belief

    def _apply(self, action: Action, bound: Mapping[str, str]) -> None:
        """Apply the effects as Action.apply does, to copies of the beliefs they change."""
        world = self.world
        undo = _Undo(world.held_id, world.near, world.located, [])
        self._undo.append(undo)
        for effect in action.changes(self.physics):
            if effect.literal.predicate == "near":
                world.near = set(world.near)
            elif effect.literal.predicate == "located":
                world.located = set(world.located)
            for binding in self._bindings(effect, bound):
                for object_id in {binding[name] for name in effect.literal.arguments}:
                    belief = world.objects.get(object_id)
                    if belief is not None:
                        undo.beliefs.append((object_id, belief))
                        world.objects[object_id] = copy(belief)
                effect.literal.apply(world, binding)

    def _bindings(self, effect: Effect, bound: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        if not effect.for_each:
            yield bound
            return
        for object_id in self._concerned(effect, bound):
            binding = {**bound, effect.for_each: object_id}
            if not effect.literal.holds(self.world, binding):
                yield binding

    def _concerned(self, effect: Effect, bound: Mapping[str, str]) -> tuple[str, ...]:
        """Return the instances for which an effect on every instance can change something."""
        literal = effect.literal
        if not literal.positive and literal.arguments == (effect.for_each,):
            if literal.predicate == "near":
                return tuple(i for i in self.world.near if i in self.world.objects)
        elif not literal.positive and literal.predicate == "inside":
            inner, outer = literal.arguments
            if outer == effect.for_each:
                parents = self.world.objects[bound[inner]].parent_receptacles
                return tuple(i for i in parents if i in self.world.objects)
        return tuple(self.world.objects)


Expansion = Iterable[Sequence[Task]]
"""The ways to decompose a task, best first; asked for one by one, always in the same state."""


@dataclass(frozen=True)
class Method:
    """A way to decompose a compound task."""

    name: str
    expand: Callable[[State, Task], Expansion]
    """Gives no expansion, or raises NotApplicableError, where the method can't be used."""


class _Node(NamedTuple):
    """A task still to do, and those after it."""

    task: Task
    depth: int
    rest: "_Node | None"


class _Choice(NamedTuple):
    expansions: Iterator[Sequence[Task]]
    depth: int
    rest: _Node | None
    steps: int


@dataclass
class Network:
    """Methods by the name of the compound task that they decompose, tried in order."""

    methods: Mapping[str, Sequence[Method]]
    expansion_limit: int = EXPANSION_LIMIT
    depth_limit: int = DEPTH_LIMIT
    _furthest: tuple[int, str, int] = field(default=(-1, "", 0), init=False)

    def solve(self, root: Task, state: State) -> list[Step]:
        """Decompose a task; the state is then the one after the plan.

        Raises:
            NoDecompositionError: every combination of methods fails, and why the one that got
                furthest did.
            SearchLimitError: none was found within the limits.
        """
        self._furthest = (-1, "", root.item)
        choices: list[_Choice] = []
        node: _Node | None = _Node(root, 0, None)
        looked_at = 0
        while node is not None:
            looked_at += 1
            if looked_at > self.expansion_limit:
                raise SearchLimitError(
                    f"no plan was found among the first {self.expansion_limit} tasks looked at",
                    self._furthest[2],
                )
            node = self._decompose(node, choices, state)
        return list(state.steps)

    def _decompose(self, node: _Node, choices: list[_Choice], state: State) -> _Node | None:
        """Do or replace the first task; return what is to be done then, None: nothing."""
        task = node.task
        if task.name in ACTIONS:
            problem = state.perform(task)
            if not problem:
                return node.rest
            self._note(state, task, problem)
        elif node.depth >= self.depth_limit:
            text = f"{task} is nested more than {self.depth_limit} tasks deep"
            self._note(state, task, text)
        else:
            expansions = self._expansions(task, state)
            choices.append(_Choice(expansions, node.depth + 1, node.rest, len(state.steps)))
        return self._next(choices, state)

    def _next(self, choices: list[_Choice], state: State) -> _Node | None:
        """Go back to the latest choice that has an alternative and take it."""
        while choices:
            choice = choices[-1]
            state.undo(choice.steps)
            subtasks = next(choice.expansions, None)
            if subtasks is None:
                choices.pop()
                continue
            node = choice.rest
            for task in reversed(subtasks):
                node = _Node(task, choice.depth, node)
            return node
        raise NoDecompositionError(self._furthest[1], self._furthest[2])

    def _expansions(self, task: Task, state: State) -> Iterator[Sequence[Task]]:
        applicable = False
        for method in self.methods[task.name]:
            try:
                for subtasks in method.expand(state, task):
                    applicable = True
                    yield subtasks
            except NotApplicableError as reason:
                applicable = True
                self._note(state, task, str(reason))
        if not applicable:
            self._note(state, task, f"no method of {task} applies")

    def _note(self, state: State, task: Task, problem: str) -> None:
        if len(state.steps) > self._furthest[0]:
            self._furthest = (len(state.steps), problem, task.item)
