import numpy as np
import pytest

from milo_sim.opening import front
from milo_sim.scene import load_scene
from milo_sim.world import ActionFailed, World

DRAWER = "Drawer|-01.56|+00.66|-00.20"
FRIDGE = "Fridge|-02.10|+00.00|+01.07"


@pytest.fixture
def world():
    return World(load_scene("FloorPlan1"))


def test_drawer_slides_as_recorded(world):
    """AI2-THOR moved it by (0.318, 0, 0) and kept the size of its box."""
    state = world.objects[DRAWER]
    start, size = state.position, state.aabb_size
    world.set_openness(DRAWER, 1.0, force=True)
    assert np.subtract(state.position, start) == pytest.approx([0.318, 0, 0], abs=0.015)
    assert state.aabb_size == size
    assert (state.is_open, state.openness) == (True, 1.0)


@pytest.mark.parametrize("object_id", [DRAWER, FRIDGE, "Cabinet|-01.85|+02.02|+00.38"])
def test_closing_restores_exactly(world, object_id):
    state = world.objects[object_id]
    start = (state.position, state.rotation, state.aabb_center, state.aabb_size)
    for openness in (0.3, 1.0, 0.7):
        world.set_openness(object_id, openness, force=True)
        assert (state.position, state.aabb_center, state.aabb_size) != start[:1] + start[2:]
    world.set_openness(object_id, 0.0, force=True)
    assert (state.position, state.rotation, state.aabb_center, state.aabb_size) == start
    assert (state.is_open, state.openness) == (False, 0.0)


def test_fridge_door_swings_forward(world):
    """AI2-THOR's box grew from 0.724 to 1.539 m along x, the pivot stayed."""
    state = world.objects[FRIDGE]
    start = state.position
    world.set_openness(FRIDGE, 1.0, force=True)
    assert state.position == start
    assert state.aabb_size[0] == pytest.approx(1.539, abs=0.02)


@pytest.mark.parametrize("openness", [0.5, 0.7, 0.0, 1.0])
def test_openness_is_kept(world, openness):
    world.set_openness(FRIDGE, openness, force=True)
    assert world.objects[FRIDGE].openness == openness
    assert world.objects[FRIDGE].is_open == (openness != 0)


@pytest.mark.parametrize("openness", [-0.5, 1.5])
def test_openness_range(world, openness):
    with pytest.raises(ActionFailed, match=r"^openness must be in \[0:1\]$") as refused:
        world.set_openness(FRIDGE, openness, force=True)
    assert refused.value.exception_type is None
    assert world.objects[FRIDGE].revision == 0


def test_refusals(world):
    shelf = next(k for k in world.objects if k.startswith("Shelf|"))
    with pytest.raises(ActionFailed, match=" is not an Openable object") as refused:
        world.set_openness(shelf, 1.0, force=True)
    assert refused.value.message == f"{shelf} is not an Openable object"
    assert refused.value.exception_type is None
    with pytest.raises(ActionFailed, match="Target object not found within the specified"):
        world.set_openness("Cabinet|+00.68|+00.50|-02.20", 1.0)
    with pytest.raises(ActionFailed, match="is not the objectId on any object in the scene!"):
        world.set_openness("X", 1.0, force=True)


def test_running_laptop_must_be_off():
    world = World(load_scene("FloorPlan301"))
    laptop = next(k for k in world.objects if k.startswith("Laptop|"))
    world.objects[laptop].is_toggled = True
    with pytest.raises(ActionFailed, match="Target must be OFF to open!"):
        world.set_openness(laptop, 0.0, force=True)
    world.objects[laptop].is_toggled = False
    world.set_openness(laptop, 0.0, force=True)
    assert not world.objects[laptop].is_open


def test_contents_ride_in_the_drawer(world):
    spoon = next(k for k in world.objects if k.startswith("Spoon|"))
    drawer = next(p for p in world.objects[spoon].parent_receptacles if p.startswith("Drawer"))
    start = world.objects[spoon].position, world.objects[spoon].parent_receptacles
    world.set_openness(drawer, 1.0, force=True)
    moved = np.subtract(world.objects[drawer].position, world.scene_objects[drawer].position)
    assert np.linalg.norm(moved) > 0.1
    assert np.subtract(world.objects[spoon].position, start[0]) == pytest.approx(moved)
    world.set_openness(drawer, 0.0, force=True)
    assert world.objects[spoon].position == pytest.approx(start[0], abs=1e-12)
    assert world.objects[spoon].parent_receptacles == start[1]


def test_what_was_put_in_rides_and_what_was_taken_out_stays(world):
    card = next(k for k in world.objects if k.startswith("CreditCard|"))
    world.set_openness(DRAWER, 1.0, force=True)
    world.pickup(card, force=True)
    world.put(DRAWER, force=True)
    inside = world.objects[card].position
    world.set_openness(DRAWER, 0.0, force=True)
    assert world.objects[card].position[0] < inside[0] - 0.2
    world.set_openness(DRAWER, 1.0, force=True)
    assert world.objects[card].position == pytest.approx(inside)
    world.pickup(card, force=True)
    held = world.objects[card].position
    world.set_openness(DRAWER, 0.0, force=True)
    assert world.objects[card].position == held
    assert card not in world.objects[DRAWER].receptacle_object_ids


def test_front_faces_free_space():
    """Where local +z runs into a wall, the front is the side towards the free cells."""
    scene = load_scene("FloorPlan2")
    for obj in scene.objects:
        if obj.object_type == "Drawer":
            direction, axis = front(obj, scene)
            assert axis in (0, 2)
            assert np.linalg.norm(direction) == pytest.approx(1.0)
            ahead = np.array(obj.aabb_center) + direction
            behind = np.array(obj.aabb_center) - direction
            gaps = [np.hypot(*(scene.reachable - p[[0, 2]]).T).min() for p in (ahead, behind)]
            assert gaps[0] < gaps[1]
