import random

import pytest

from milo_sim.scene import load_scene, scene_names
from milo_sim.world import ActionFailed, Settings, World


def snapshot(world):
    return repr((world.agent, world.held_id, world.objects))


def check_invariants(world):
    for object_id, state in world.objects.items():
        for parent in state.parent_receptacles or ():
            assert object_id in world.objects[parent].receptacle_object_ids
        for content in state.receptacle_object_ids or ():
            assert object_id in world.objects[content].parent_receptacles
        assert state.is_picked_up == (object_id == world.held_id)
        assert state.is_open == (state.openness != 0.0) or state.revision == 0


def random_actions(world, rng, count):
    """Run random legal and illegal actions; returns a log of what happened."""
    objects = world.scene.objects
    pickupable = [o.object_id for o in objects if o.has("pickupable")]
    receptacles = [o.object_id for o in objects if o.has("receptacle")]
    openable = [o.object_id for o in objects if o.has("openable")]
    log = []
    for _ in range(count):
        force = rng.random() < 0.7
        choices = [
            lambda: world.move(rng.choice(["ahead", "back", "left", "right"])),
            lambda: world.rotate(rng.choice([90.0, -90.0, 30.0])),
            lambda: world.look(rng.choice([30.0, -30.0])),
            lambda f=force: world.pickup(rng.choice(pickupable), f),
            lambda f=force: world.pickup(rng.choice(pickupable), f),
            lambda f=force: world.put(rng.choice(receptacles), f),
            lambda f=force: world.put(rng.choice(receptacles), f),
            lambda f=force: world.drop(f),
            lambda f=force: world.set_openness(rng.choice(openable), rng.choice([0, 1, 0.5]), f),
            lambda: visit(world, rng.choice(pickupable)),
        ]
        before = snapshot(world)
        message = None
        try:
            log.append(rng.choice(choices)())
        except ActionFailed as failure:
            message = failure.message
        if message is not None:
            assert snapshot(world) == before, message
            log.append(message)
        check_invariants(world)
    return log


def visit(world, object_id):
    poses = world.interactable_poses(object_id)
    if poses:
        pose = poses[len(poses) // 2]
        world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
    return len(poses)


@pytest.mark.parametrize("name", ["FloorPlan5", "FloorPlan202", "FloorPlan302", "FloorPlan402"])
def test_random_actions_keep_the_world_consistent(name):
    world = World(load_scene(name))
    random_actions(world, random.Random(name), 60)


def test_two_runs_are_identical():
    runs = []
    for _ in range(2):
        world = World(load_scene("FloorPlan1"))
        log = random_actions(world, random.Random(7), 40)
        runs.append((repr(log), snapshot(world), repr(world.visibility())))
    assert runs[0] == runs[1]


def test_reset_forgets_everything():
    world = World(load_scene("FloorPlan1"))
    start = snapshot(world)
    random_actions(world, random.Random(3), 25)
    assert snapshot(world) != start
    world.reset()
    assert snapshot(world) == start
    world.reset(Settings(grid_size=0.5))
    assert world.settings.grid_size == 0.5


def test_every_scene_starts_as_its_data_says():
    for name in scene_names():
        scene = load_scene(name)
        world = World(scene)
        assert list(world.objects) == [obj.object_id for obj in scene.objects]
        for obj in scene.objects:
            state = world.objects[obj.object_id]
            assert state.position == obj.position
            assert state.aabb_size == obj.aabb_size
            assert tuple(state.parent_receptacles or ()) == (obj.parent_receptacles or ())
            contents = state.receptacle_object_ids
            assert (None if contents is None else tuple(contents)) == obj.receptacle_object_ids
            assert state.revision == 0
        check_invariants(world)


def test_revision_grows_with_every_change():
    world = World(load_scene("FloorPlan1"))
    assert world.revision == 0
    world.set_openness("Fridge|-02.10|+00.00|+01.07", 1.0, force=True)
    first = world.revision
    assert first > 0
    world.pickup("Apple|-00.47|+01.15|+00.48", force=True)
    assert world.revision > first
    assert world.objects["Fridge|-02.10|+00.00|+01.07"].revision == 1


def test_distance_is_from_the_agent_to_the_pivot():
    world = World(load_scene("FloorPlan301"))
    # `distance` of the recorded event.
    assert world.distance_to("AlarmClock|-01.28|+01.24|-00.47") == pytest.approx(3.83687, abs=1e-4)
