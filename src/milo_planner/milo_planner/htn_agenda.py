"""Planning for a whole agenda with the task network: checks, search, and whom to blame."""

from collections.abc import Iterator, Mapping, Sequence

from milo_core.actions import ACTIONS, Physics
from milo_core.predicates import PREDICATES
from milo_core.world_model import WorldModel
from milo_planner.agenda import STATE_ACTIONS, AgendaItem, AgendaStep, Verb
from milo_planner.htn_methods import AgendaDomain
from milo_planner.htn_network import Network, NoDecompositionError, State, Task
from milo_planner.memory import Memory
from milo_planner.policy import NoAgendaPlanError

_IN_HAND = (Verb.PICK_UP, Verb.DELIVER)


def plan_items(
    agenda: Sequence[AgendaItem], world: WorldModel, memory: Memory, physics: Physics
) -> list[AgendaStep]:
    """Return ground steps that bring about every item.

    What the plan opens is closed at its end, what it switches off in order to open it is on again,
    unless an item wants it otherwise.

    Raises:
        NoAgendaPlanError: see HtnPlanner.plan_agenda.
    """
    for item in agenda:
        problem = _impossible(item, world)
        if problem:
            raise NoAgendaPlanError(f"No plan brings about '{item}': {problem}.", item)
    _check_consistent(agenda, world)
    try:
        return _decompose(agenda, world, memory, physics)
    except NoDecompositionError as error:
        raise _blame(agenda, world, memory, physics, error) from error


def _decompose(
    agenda: Sequence[AgendaItem], world: WorldModel, memory: Memory, physics: Physics
) -> list[AgendaStep]:
    domain = AgendaDomain(agenda, world, memory)
    steps = Network(domain.methods).solve(Task("achieve_all"), State(world, physics))
    return [AgendaStep(step.action, step.arguments, agenda[step.item].goal) for step in steps]


def _blame(
    agenda: Sequence[AgendaItem],
    world: WorldModel,
    memory: Memory,
    physics: Physics,
    error: NoDecompositionError,
) -> NoAgendaPlanError:
    """Find the item that can't be brought about, and say why."""
    if len(agenda) > 1:
        for item in agenda:
            try:
                _decompose([item], world, memory, physics)
            except NoDecompositionError as reason:
                text = f"No plan brings about '{item}': {reason}."
                return NoAgendaPlanError(text, item)
    item = agenda[error.item]
    together = " together with the rest" if len(agenda) > 1 else ""
    return NoAgendaPlanError(f"No plan brings about '{item}'{together}: {error}.", item)


# -- what needs no search ----------------------------------------------------------------------


def _impossible(item: AgendaItem, world: WorldModel) -> str:
    """Return why nothing in the world can bring an item about; empty: something may."""
    for object_id in (item.object_id, item.target_id):
        if object_id is not None and object_id not in world.objects:
            return f"no instance is known of '{object_id}'"
    if item.holds(world):
        return ""
    if item.object_id == item.target_id:
        return f"{item.object_id} can't be its own target"
    arguments = {"object": item.object_id, "receptacle": item.target_id or ""}
    for action in _actions(item, world):
        for condition in ACTIONS[action].conditions("physical"):
            if condition.affordance and not condition.holds(world, arguments):
                return f"{condition.sentence.format_map(arguments)} ({condition.name})"
    return ""


def _actions(item: AgendaItem, world: WorldModel) -> Iterator[str]:
    """Yield the actions without which an item can't be brought about."""
    if item.verb in STATE_ACTIONS:
        yield STATE_ACTIONS[item.verb]
    if item.verb in (*_IN_HAND, Verb.STORE) and world.held_id != item.object_id:
        yield "pickup"
    if item.verb is Verb.STORE:
        yield "place"


def _check_consistent(agenda: Sequence[AgendaItem], world: WorldModel) -> None:
    """Find two items that can't both be true.

    Raises:
        NoAgendaPlanError: names the later one.
    """
    owners: dict[tuple[str, ...], tuple[object, AgendaItem]] = {}
    for item in agenda:
        for key, value in _claims(item, world).items():
            before, owner = owners.setdefault(key, (value, item))
            if before != value and not (item.holds(world) and owner.holds(world)):
                text = f"'{item}' can't be true together with '{owner}'; drop one of them."
                raise NoAgendaPlanError(text, item)


def _claims(item: AgendaItem, world: WorldModel) -> Mapping[tuple[str, ...], object]:
    """Return what an item lays claim to; another one that claims another value contradicts it."""
    claims: dict[tuple[str, ...], object] = {
        (name, *ids): value for name, ids, value in item.facts()
    }
    if item.verb in _IN_HAND:
        claims["the hand",] = item.object_id
    if item.verb is Verb.STORE:
        claims["the place of", item.object_id] = item.target_id
    if item.verb in (Verb.NAVIGATE, Verb.DELIVER):
        claims["the robot's place",] = item.target_id or item.object_id
    if item.verb is Verb.TURN_ON and PREDICATES["must_be_closed"].holds(world, item.object_id):
        claims["open", item.object_id] = False
    return claims
