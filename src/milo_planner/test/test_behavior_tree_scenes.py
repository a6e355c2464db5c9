"""The behaviour-tree planner on random agendas in packaged scenes."""

import random
import sys
from pathlib import Path

import pytest

from milo_core.predicates import enclosing
from milo_planner.agenda import AgendaItem, Verb

# pytest's importlib mode leaves the path alone.
sys.path.insert(0, str(Path(__file__).parent))

from packaged_scenes import packaged
from tree_play import Play, put, take

SEEDS = 12
SCENES = ["FloorPlan1", "FloorPlan28", "FloorPlan201", "FloorPlan301"]


def random_agenda(world, rng):
    """Return goals that don't exclude each other."""
    objects = sorted(o.object_id for o in world if o.pickupable)
    spots = sorted(o.object_id for o in world if o.receptacle and not o.pickupable)
    openable = sorted(o.object_id for o in world if o.openable)
    switches = sorted(o.object_id for o in world if o.toggleable)
    fruit = sorted(o.object_id for o in world if o.sliceable)
    free = sorted(o.object_id for o in world if not enclosing(world, o.object_id))
    rng.shuffle(objects)
    goals, stateful = [], set()

    def add(verb, object_id, target_id=None):
        goals.append(AgendaItem(len(goals), verb, object_id, target_id))

    for _ in range(rng.randint(1, 3)):
        verb = rng.choice([*[Verb.STORE] * 4, *Verb])
        if verb is Verb.STORE:
            add(verb, objects.pop(), rng.choice(spots))
        elif verb in (Verb.OPEN, Verb.CLOSE, Verb.TURN_ON, Verb.TURN_OFF):
            names = openable if verb in (Verb.OPEN, Verb.CLOSE) else switches
            name = rng.choice(names)
            if name not in stateful:
                stateful.add(name)
                add(verb, name)
        elif verb is Verb.SLICE and fruit:
            add(verb, rng.choice(fruit))
        elif verb in (Verb.FIND, Verb.LOOK_AT):
            add(verb, rng.choice(sorted(world.objects)))
    last = rng.choice([None, Verb.PICK_UP, Verb.DELIVER, Verb.NAVIGATE])
    if last is Verb.NAVIGATE:
        moved = {goal.object_id for goal in goals}
        add(last, rng.choice([name for name in free if name not in moved]))
    elif last is not None:
        others = [s for s in spots if s in free]
        add(last, objects.pop(), rng.choice(others) if last is Verb.DELIVER else None)
    rng.shuffle(goals)
    return goals


def hide_some(play, rng):
    """Shut some objects in, and have what can be switched on run."""
    shut = [o.object_id for o in play.live if o.openable and o.receptacle and not o.is_open]
    for name in rng.sample([o.object_id for o in play.live if o.pickupable], 6):
        put(play, name, rng.choice(shut))
    for belief in play.live:
        if belief.toggleable and rng.random() < 0.5:
            belief.is_toggled = True


def random_play(scene, sight, seed):
    world, rng = packaged(scene), random.Random(f"{scene} {seed}")
    play = Play(world, [], sight)
    play.spot = next(o.object_id for o in world if o.receptacle and not o.openable)
    hide_some(play, rng)
    while not play.goals:
        play.goals += random_agenda(play.live, rng)
    if rng.random() < 0.3:
        take(play, rng.choice([o.object_id for o in play.live if o.pickupable]))
    return play, rng


@pytest.mark.parametrize("sight", ["bare", "shelf", "room"])
@pytest.mark.parametrize("scene", SCENES)
def test_random_agendas_end_with_everything_true_and_closed(scene, sight):
    for seed in range(SEEDS):
        play, _ = random_play(scene, sight, seed)
        was_open = {o.object_id for o in play.live if o.is_open}
        steps = play.finish()
        goals = {goal.object_id for goal in play.goals if goal.verb in (Verb.OPEN, Verb.CLOSE)}
        assert {o.object_id for o in play.live if o.is_open} - was_open <= goals
        assert len(steps) <= 12 * (len(play.goals) + 1), steps


@pytest.mark.parametrize("scene", SCENES)
def test_random_disturbances_are_noticed(scene):
    for seed in range(SEEDS):
        play, rng = random_play(scene, "shelf", seed)
        moments = set(rng.sample(range(20), 5))

        def disturb(play, number, rng=rng, moments=moments):
            if number not in moments:
                return
            goal = rng.choice(play.goals)
            held, objects = play.live.held_id, play.live.objects
            containers = [o.object_id for o in play.live if o.openable and o.receptacle]
            match rng.randrange(4):
                case 0 if held:
                    put(play, held, play.spot)
                case 1 if objects[goal.object_id].pickupable and goal.verb is Verb.STORE:
                    put(play, goal.object_id, rng.choice(containers))
                case 2:
                    for name in containers:
                        objects[name].is_open = False
                case 3 if objects[goal.object_id].openable:
                    objects[goal.object_id].is_open = not objects[goal.object_id].is_open
            play._look()

        play.finish(disturb)


def test_a_decision_takes_little_time():
    crowded = packaged("FloorPlan1").copy()
    for belief in list(crowded.copy())[: 100 - len(crowded.objects)]:
        belief.object_id += "|twin"
        crowded.objects[belief.object_id] = belief
    assert len(crowded.objects) == 100
    times = []
    for seed in range(10):
        goals = random_agenda(crowded, random.Random(seed))
        play = Play(crowded, goals, "room", spot="CounterTop|1")
        play.finish()
        times += play.times
    assert sorted(times)[len(times) // 2] < 0.02
