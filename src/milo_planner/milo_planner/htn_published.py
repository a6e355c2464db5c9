"""The task network of single sub-goals under the published rules of MILO Benchmark v1.x.

Compound tasks and their methods are those of the origin's network; its vocabulary is completed
with the verbs that only the other planners had. Tasks are about names, which stand for the nearest
instance.
"""

from collections.abc import Mapping, Sequence

from milo_core.tasks import SubGoal
from milo_planner.agenda import VOCABULARY, Verb, verb_of
from milo_planner.htn_network import Expansion, Method, State, Task
from milo_planner.planning import PlanningError, UnsupportedGoalError

_LOOSE = frozenset({"place", "pick_and_place"})
"""Verbs that don't insist on the inside of a container."""


def published_root(sub_goal: SubGoal) -> Task:
    """Return the compound task that brings about a sub-goal.

    Raises:
        UnsupportedGoalError: the verb is not in the vocabulary.
        PlanningError: the verb needs a name that is not given.
    """
    verb = verb_of(sub_goal)
    if verb is None:
        raise UnsupportedGoalError(
            f"The task network has no task for the goal '{sub_goal.goal}'; use one of "
            f"{', '.join(VOCABULARY)}."
        )
    if verb is Verb.PICK_UP:
        return Task("acquire_object", (_required(sub_goal, "object"),))
    if verb is Verb.DELIVER:
        names = (_required(sub_goal, "object"), _required(sub_goal, "target"))
        return Task("deliver_object", names)
    if verb is Verb.STORE:
        names = (_required(sub_goal, "object"), _required(sub_goal, "target"))
        loose = sub_goal.goal.strip().lower() in _LOOSE
        return Task("place_object" if loose else "store_object", names)
    name = sub_goal.object or sub_goal.target
    if not name:
        raise PlanningError(f"The goal '{sub_goal.goal}' needs an object or a target; name one.")
    return Task(_TASKS[verb], (name,))


def _required(sub_goal: SubGoal, role: str) -> str:
    name: str | None = getattr(sub_goal, role)
    if not name:
        raise PlanningError(f"The goal '{sub_goal.goal}' needs its {role}; name one.")
    return name


_TASKS: Mapping[Verb, str] = {
    Verb.FIND: "locate_object",
    Verb.NAVIGATE: "locate_object",
    Verb.OPEN: "open_object",
    Verb.CLOSE: "close_object",
    Verb.TURN_ON: "turn_on_object",
    Verb.TURN_OFF: "turn_off_object",
    Verb.SLICE: "slice_object",
    Verb.LOOK_AT: "look_at_object",
}


def _go_there(_: State, task: Task) -> Expansion:
    yield Task("locate", task.arguments), Task("navigate", task.arguments)


def _go_and(action: str) -> Sequence[Method]:
    def expand(_: State, task: Task) -> Expansion:
        yield Task("locate_object", task.arguments), Task(action, task.arguments)

    return (Method(f"go there and {action}", expand),)


def _acquire_then(task_name: str) -> Sequence[Method]:
    def expand(_: State, task: Task) -> Expansion:
        yield Task("acquire_object", task.arguments[:1]), Task(task_name, task.arguments)

    return (Method("take it first", expand),)


def _carry(_: State, task: Task) -> Expansion:
    name, target = task.arguments
    yield Task("acquire_object", (name,)), Task("locate_object", (target,))


def _needs_opening(state: State, task: Task, into_container: bool) -> bool:
    """Whether the receptacle is opened before placing.

    One of unknown state is opened when something is stored *in* it.
    """
    receptacle = state.belief(task.arguments[1])
    if receptacle is None or not receptacle.openable or receptacle.is_open is True:
        return False
    return into_container or receptacle.is_open is False


def _deposit(into_container: bool) -> Sequence[Method]:
    def as_it_is(state: State, task: Task) -> Expansion:
        if not _needs_opening(state, task, into_container):
            yield Task("locate_object", task.arguments[1:]), Task("place", task.arguments)

    def opening_it(state: State, task: Task) -> Expansion:
        if _needs_opening(state, task, into_container):
            target = task.arguments[1:]
            yield (
                Task("locate_object", target),
                Task("open", target),
                Task("place", task.arguments),
                Task("close", target),
            )

    return (Method("as it is", as_it_is), Method("open it, close it again", opening_it))


PUBLISHED_METHODS: Mapping[str, Sequence[Method]] = {
    "locate_object": (Method("find out where it is, go there", _go_there),),
    "acquire_object": _go_and("pickup"),
    "deliver_object": (Method("take it there", _carry),),
    "store_object": _acquire_then("deposit_in"),
    "place_object": _acquire_then("deposit_on"),
    "deposit_in": _deposit(into_container=True),
    "deposit_on": _deposit(into_container=False),
    "open_object": _go_and("open"),
    "close_object": _go_and("close"),
    "turn_on_object": _go_and("toggle_on"),
    "turn_off_object": _go_and("toggle_off"),
    "slice_object": _go_and("slice"),
    "look_at_object": _go_and("look"),
}
"""Compound task -> methods, in the order in which they are tried."""
