"""Worlds that only the table of actions moves, for trees to be ticked against."""

import time
from dataclasses import dataclass, field

from milo_core.actions import ACTIONS
from milo_core.predicates import enclosing
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.agenda import AgendaItem, Duty, Verb
from milo_planner.memory import Memory
from milo_planner.policy import PolicyContext
from milo_planner.registry import make_planner

REACH = 1.5
STEP_LIMIT = 150


def thing(object_id, **facts):
    facts = {"position": (0.0, 0.0, 0.0), "distance": 1.0, **facts}
    position = facts.pop("position")
    return ObjectBelief(
        object_id, object_id.split("|")[0], position, position, (0.1, 0.1, 0.1), **facts
    )


def container(object_id, **facts):
    return thing(object_id, receptacle=True, openable=True, is_open=False, **facts)


def small_kitchen():
    things = [
        thing("CounterTop|1", receptacle=True),
        thing("DiningTable|1", receptacle=True, position=(5.0, 0.0, 0.0), distance=5.0),
        container("Fridge|1", position=(9.0, 0.0, 0.0)),
        container("Microwave|1", toggleable=True, is_toggled=True, position=(0.0, 9.0, 0.0)),
        container("Cabinet|1", position=(9.0, 9.0, 0.0)),
        thing("Mug|1", pickupable=True, parent_receptacles=("CounterTop|1",)),
        thing("Apple|1", pickupable=True, sliceable=True, is_sliced=False,
              parent_receptacles=("Fridge|1",), position=(9.0, 0.0, 0.0)),
        thing("Apple|2", pickupable=True, sliceable=True, is_sliced=False,
              parent_receptacles=("DiningTable|1",), position=(5.0, 0.0, 0.0)),
        thing("Egg|1", pickupable=True, parent_receptacles=("Microwave|1",),
              position=(0.0, 9.0, 0.0)),
        thing("Sofa|1", position=(3.0, 3.0, 0.0)),
    ]  # fmt: skip
    return WorldModel(objects={t.object_id: t for t in things})


@dataclass
class Play:
    """Decides and acts on a world; what is in reach from a pose depends on `sight`."""

    live: WorldModel
    goals: list[AgendaItem]
    sight: str = "bare"
    candidates: dict[int, list[tuple[str, str | None]]] = field(default_factory=dict)
    spot: str = "CounterTop|1"
    memory: Memory = field(default_factory=Memory)
    steps: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def __post_init__(self):
        self.live = self.live.copy()
        self.here, self.shelves = None, set()
        for belief in self.live:
            belief.visible = False
        goals = tuple(SubGoal(i.verb, i.object_id, i.target_id) for i in self.goals)
        context = PolicyContext(
            goals, self.memory, "physical", lambda goal: self.candidates.get(goal, [])
        )
        self.policy = make_planner("behavior_tree").policy(context)

    def agenda(self):
        held, items = self.live.held_id, list(self.goals)
        wanted = (Verb.PICK_UP, Verb.DELIVER, Verb.STORE)
        if held and not any(i.object_id == held and i.verb in wanted for i in self.goals):
            items.insert(0, AgendaItem(0, Verb.STORE, held, self.spot, Duty.FREE_HAND))
        opened = {i.object_id for i in self.goals if i.verb is Verb.OPEN}
        for object_id, goal in list(self.memory.opened.items()):
            if not self.live.objects[object_id].is_open:
                del self.memory.opened[object_id]
            elif object_id not in opened and object_id not in self.memory.unreachable:
                items.append(AgendaItem(goal, Verb.CLOSE, object_id, None, Duty.CLOSE))
        return items

    def decide(self):
        agenda, belief = self.agenda(), self.memory.belief(self.live)
        begun = time.perf_counter()
        decision = self.policy.decide(agenda, belief)
        self.times.append(time.perf_counter() - begun)
        return decision

    def act(self, step):
        action, belief = ACTIONS[step.action], self.memory.belief(self.live)
        assert action.unmet(belief, step.arguments, "physical") == [], step
        assert not action.accomplished(belief, step.arguments), step
        object_id = step.arguments["object"]
        if step.action == "navigate":
            self.memory.standing_at = object_id
            self.here = self.live.objects[object_id].position
            self.shelves = {object_id, *self.live.objects[object_id].parent_receptacles}
        if step.action == "open":
            self.memory.opened[object_id] = step.goal
        action.apply(self.live, step.arguments, "physical")
        if step.action == "place":
            target = self.live.objects[step.arguments["receptacle"]]
            self.live.objects[object_id].position = target.position
        self._look()
        if step.action in ("navigate", "look"):
            self.memory.seen.add(object_id)
        self.memory.observe(self.live)
        self.steps.append(str(step))

    def _look(self):
        base = self.live.objects.get(self.memory.standing_at)
        for belief in self.live:
            seen = belief is base
            if self.sight == "shelf":
                seen |= bool(self.shelves & {belief.object_id, *belief.parent_receptacles})
            if self.sight == "room" and self.here is not None:
                offsets = zip(belief.position, self.here, strict=True)
                seen |= sum((a - b) ** 2 for a, b in offsets) <= REACH**2
            shut = enclosing(self.live, belief.object_id) is not None
            belief.visible = seen and not shut

    def run(self, disturb=None):
        """Act until the policy wants nothing; returns its last decision."""
        for number in range(STEP_LIMIT):
            if disturb is not None:
                disturb(self, number)
            decision = self.decide()
            if decision.step is None:
                return decision
            self.act(decision.step)
        raise AssertionError(f"no end after {STEP_LIMIT} steps: {self.steps[-12:]}")

    def finish(self, disturb=None):
        decision = self.run(disturb)
        assert not decision.stuck, (decision.stuck, self.steps)
        belief = self.memory.belief(self.live)
        assert [str(i) for i in self.agenda() if not i.holds(belief)] == [], self.steps
        return self.steps


def item(verb, object_id, target_id=None, goal=0):
    return AgendaItem(goal, verb, object_id, target_id)


def hold(world, object_id):
    world.held_id = object_id
    world.objects[object_id].parent_receptacles = ()


def put(play, object_id, receptacle_id):
    """Another hand moves an object."""
    belief = play.live.objects[object_id]
    for old in belief.parent_receptacles:
        parent = play.live.objects[old]
        parent.receptacle_object_ids = tuple(
            c for c in parent.receptacle_object_ids if c != object_id
        )
    belief.parent_receptacles = (receptacle_id,)
    belief.position = play.live.objects[receptacle_id].position
    if play.live.held_id == object_id:
        play.live.held_id, belief.is_picked_up = None, False
    if play.memory.standing_at == object_id:
        play.memory.standing_at = None
    play._look()


def take(play, object_id):
    """Another hand puts an object into the robot's."""
    put(play, object_id, play.spot)
    hold(play.live, object_id)
