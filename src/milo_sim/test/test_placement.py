import numpy as np
import pytest

from milo_sim.geometry import euler_to_matrix
from milo_sim.placement import ALL_ORIENTATIONS, LIFT, UPRIGHT_ORIENTATIONS
from milo_sim.scene import load_scene
from milo_sim.world import ActionFailed, World

NO_ROOM = "No valid positions to place object found"
APPLE, BIN = "Apple|-00.47|+01.15|+00.48", "GarbageCan|-01.94|00.00|+02.03"
COUNTER, DRAWER = "CounterTop|-00.08|+01.15|00.00", "Drawer|-01.56|+00.66|-00.20"
KNIFE, SINK = "Knife|-01.70|+00.79|-00.22", "Sink|-01.90|+00.97|-01.50|SinkBasin"


@pytest.fixture
def kitchen():
    return World(load_scene("FloorPlan1"))


def find(world, object_type):
    return next(k for k, o in world.scene_objects.items() if o.object_type == object_type)


def outcome(world, receptacle):
    """Message of a forced put, None for success."""
    try:
        world.put(receptacle, force=True)
    except ActionFailed as failure:
        return failure.message
    return None


def refused(world, receptacle, message, **options):
    before = repr(world.objects), world.held_id
    with pytest.raises(ActionFailed) as failure:
        world.put(receptacle, **options)
    assert failure.value.message == message
    assert (repr(world.objects), world.held_id) == before
    return failure.value


def test_orientations_in_the_engine_order():
    def turn(yaw, x=0.0, z=0.0):
        return euler_to_matrix((0.0, yaw, 0.0)) @ euler_to_matrix((x, 0.0, z))

    expected = [turn(0), turn(90), turn(180), turn(270), turn(0, x=90), turn(0, x=180)]
    for got, want in zip(ALL_ORIENTATIONS, expected, strict=False):
        assert np.allclose(got, want)
    assert len(UPRIGHT_ORIENTATIONS) == 4
    assert len(ALL_ORIENTATIONS) == 28
    assert np.allclose(ALL_ORIENTATIONS[8], turn(0, z=90))
    assert np.allclose(ALL_ORIENTATIONS[12], turn(90, x=90))


def test_checks_in_the_engine_order(kitchen):
    assert refused(kitchen, "X", "Can't place an object if Agent isn't holding anything")
    kitchen.pickup(APPLE, force=True)
    failure = refused(
        kitchen, "X", "objectId: X is not the objectId on any object in the scene!", force=True
    )
    assert failure.exception_type == "ArgumentException"
    failure = refused(kitchen, BIN, "Target object not found within the specified visibility.")
    assert failure.exception_type == "NullReferenceException"
    refused(kitchen, KNIFE, "This target object is NOT a receptacle!", force=True)
    closed = "Target openable Receptacle is CLOSED, can't place if target is not open!"
    assert refused(kitchen, DRAWER, closed, force=True).exception_type is None


def test_type_restriction_applies_unless_forced():
    """By the engine's table an alarm clock may not stand on a bed; force puts it there."""
    world = World(load_scene("FloorPlan301"))
    clock, bed = find(world, "AlarmClock"), find(world, "Bed")
    world.pickup(clock, force=True)
    pose = world.interactable_poses(bed)[0]
    world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
    names = world.scene_objects
    refused(world, bed, f"{names[clock].name} cannot be placed in {names[bed].name}")
    assert outcome(world, bed) is None
    assert bed in world.objects[clock].parent_receptacles


def test_unforced_put_uses_points_near_and_in_view_only():
    world = World(load_scene("FloorPlan1"))
    world.pickup(APPLE, force=True)
    pose = world.interactable_poses(COUNTER, rotations=[90.0], standings=[True], horizons=[30.0])[0]
    world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
    world.put(COUNTER)
    assert world.visibility()[APPLE].visible
    x, _, z = np.subtract(world.objects[APPLE].position, world.camera_position)
    assert np.hypot(x, z) < 1.5


def test_put_in_a_bin_as_recorded(kitchen):
    """Real AI2-THOR 5.0.0 put this apple at (-1.96228, 0.09195, 2.12468), as it was turned."""
    kitchen.pickup(APPLE, force=True)
    kitchen.put(BIN, force=True)
    apple = kitchen.objects[APPLE]
    assert apple.position == pytest.approx((-1.96228, 0.09195, 2.12468), abs=0.003)
    assert apple.rotation[1] == pytest.approx(270.0, abs=0.01)
    assert set(apple.parent_receptacles) == {"Floor|+00.00|+00.00|+00.00", BIN}
    assert APPLE in kitchen.objects[BIN].receptacle_object_ids
    assert not apple.is_picked_up
    assert kitchen.held_id is None


def test_put_in_a_basin_as_recorded(kitchen):
    kitchen.pickup(KNIFE, force=True)
    kitchen.put(SINK, force=True)
    assert kitchen.objects[KNIFE].position == pytest.approx((-1.9081, 0.7942, -1.7603), abs=0.003)
    assert kitchen.objects[KNIFE].parent_receptacles == [SINK]


def test_contents_get_in_the_way(kitchen):
    """Filling a bin: every object finds another place, none overlap, until there is no room."""
    spots = []
    for object_id, obj in kitchen.scene_objects.items():
        if not obj.has("pickupable") or len(spots) >= 8:
            continue
        kitchen.pickup(object_id, force=True)
        if outcome(kitchen, BIN) is None:
            spots.append(kitchen.objects[object_id].position)
        else:
            kitchen.drop(force=True)
    assert len(set(spots)) == len(spots) >= 3


def test_object_stands_just_above_the_surface(kitchen):
    kitchen.pickup(APPLE, force=True)
    kitchen.put(COUNTER, force=True)
    state, surface = kitchen.objects[APPLE], kitchen.triggers()[COUNTER].bottom
    bottom = state.aabb_center[1] - state.aabb_size[1] / 2
    assert bottom - surface == pytest.approx(LIFT, abs=1e-4)
    kitchen.pickup(APPLE, force=True)
    kitchen.put(COUNTER, force=True, place_stationary=False)
    bottom = state.aabb_center[1] - state.aabb_size[1] / 2
    assert bottom == pytest.approx(surface, abs=1e-4)


def test_too_large_for_the_drawer():
    """From their boxes: a book of 0.43 x 0.33 m, drawers of at most 0.29 x 0.23 m."""
    world = World(load_scene("FloorPlan301"))
    book = find(world, "Book")
    world.pickup(book, force=True)
    for object_id in list(world.objects):
        if object_id.startswith("Drawer|"):
            world.set_openness(object_id, 1.0, force=True)
            refused(world, object_id, NO_ROOM, force=True)
    assert world.held_id == book


def test_upright_types_are_not_laid_down():
    """The alarm clock is taller than one drawer and must stand; the others take it."""
    world = World(load_scene("FloorPlan302"))
    clock = find(world, "AlarmClock")
    outcomes = {}
    for object_id in [k for k in world.objects if k.startswith("Drawer|")]:
        world.reset()
        world.set_openness(object_id, 1.0, force=True)
        world.pickup(clock, force=True)
        outcomes[object_id] = outcome(world, object_id)
        if outcomes[object_id] is None:
            up = euler_to_matrix(world.objects[clock].rotation)[1, 1]
            assert up == pytest.approx(1.0, abs=1e-3)
    assert set(outcomes.values()) == {None, NO_ROOM}
    assert outcomes["Drawer|+00.42|+00.53|-01.55"] == NO_ROOM


def test_flat_things_go_into_flat_drawers_on_edge_or_flat(kitchen):
    kitchen.set_openness(DRAWER, 1.0, force=True)
    card = find(kitchen, "CreditCard")
    kitchen.pickup(card, force=True)
    kitchen.put(DRAWER, force=True)
    inside = kitchen.triggers()[DRAWER].box.to_local(kitchen.objects[card].oobb)
    assert (np.abs(inside) < kitchen.triggers()[DRAWER].box.half).all()


def test_holders_take_one_of_their_kind(kitchen):
    burners = [k for k in kitchen.objects if k.startswith("StoveBurner|")]
    free = next(b for b in burners if not kitchen.objects[b].receptacle_object_ids)
    names = kitchen.scene_objects
    kitchen.pickup(APPLE, force=True)
    refused(
        kitchen,
        free,
        f"{names[APPLE].name} is not a valid Object Type to be placed in {names[free].name}",
        force=True,
    )
    kitchen.drop(force=True)
    kettle = find(kitchen, "Kettle")
    kitchen.pickup(kettle, force=True)
    kitchen.put(free, force=True)
    assert free in kitchen.objects[kettle].parent_receptacles
    gap = np.subtract(kitchen.objects[kettle].position, kitchen.objects[free].position)
    assert np.abs(gap[[0, 2]]).max() < 1e-6
    kitchen.pickup(find(kitchen, "Pot"), force=True)
    refused(kitchen, free, f"{names[free].name} is full right now", force=True)


def test_towel_goes_back_to_where_it_hung():
    world = World(load_scene("FloorPlan401"))
    towel, holder = find(world, "Towel"), find(world, "TowelHolder")
    start = world.objects[towel].position
    world.pickup(towel, force=True)
    world.put(holder, force=True)
    assert world.objects[towel].position == pytest.approx(start, abs=0.005)


def test_nothing_goes_into_itself(kitchen):
    bowl = find(kitchen, "Bowl")
    kitchen.pickup(bowl, force=True)
    refused(kitchen, bowl, NO_ROOM, force=True)


def test_floor_takes_things_where_the_agent_could_stand(kitchen):
    kitchen.pickup(APPLE, force=True)
    kitchen.put("Floor|+00.00|+00.00|+00.00", force=True)
    x, y, z = kitchen.objects[APPLE].position
    assert y < 0.1
    assert min(np.hypot(*(kitchen.scene.reachable - [x, z]).T)) < 0.18


def test_l_shaped_counter_has_a_gap():
    """Points of a counter's box over free floor are no part of the counter."""
    for name in ("FloorPlan2", "FloorPlan7", "FloorPlan18"):
        world = World(load_scene(name))
        thing = find(world, "Apple")
        for counter in [k for k in world.objects if k.startswith("CounterTop|")]:
            world.reset()
            world.pickup(thing, force=True)
            if outcome(world, counter) is not None:
                continue
            x, _, z = world.objects[thing].position
            assert min(np.hypot(*(world.scene.reachable - [x, z]).T)) > 0.14


def test_contents_come_along(kitchen):
    """What lies on a plate goes with it through the hand to the counter."""
    plate = find(kitchen, "Plate")
    kitchen.pickup(APPLE, force=True)
    assert outcome(kitchen, plate) is None
    offset = np.subtract(kitchen.objects[APPLE].position, kitchen.objects[plate].position)
    kitchen.pickup(plate, force=True)
    assert kitchen.objects[APPLE].parent_receptacles == [plate]
    kitchen.put(COUNTER, force=True)
    assert plate in kitchen.objects[APPLE].parent_receptacles
    after = np.subtract(kitchen.objects[APPLE].position, kitchen.objects[plate].position)
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(offset), abs=1e-6)
