import numpy as np
import pytest

from milo_sim.scene import load_scene
from milo_sim.world import ActionFailed, World

APPLE, MUG = "Apple|-00.47|+01.15|+00.48", "Mug|-01.76|+00.90|-00.62"


@pytest.fixture
def world():
    return World(load_scene("FloorPlan1"))


def test_pickup_as_recorded(world):
    """In AI2-THOR the apple's pivot went to (-1.38, 1.416, 1.0), its yaw to the agent's 270."""
    assert world.pickup(APPLE, force=True) == APPLE
    apple = world.objects[APPLE]
    assert apple.position == pytest.approx((-1.38, 1.416, 1.0), abs=1e-6)
    assert apple.rotation == pytest.approx((0.0, 270.0, 0.0), abs=1e-6)
    assert apple.aabb_size == pytest.approx((0.10601, 0.11345, 0.10601), abs=1e-4)
    assert (apple.is_picked_up, apple.parent_receptacles) == (True, None)
    assert world.held_id == APPLE
    assert APPLE not in world.objects["CounterTop|-00.08|+01.15|00.00"].receptacle_object_ids
    pose = world.hand_pose()
    assert pose.local_position == pytest.approx((0.0, -0.16, 0.38), abs=1e-9)
    assert pose.position == pytest.approx(apple.position)


def test_empty_hand_is_before_the_camera(world):
    pose = world.hand_pose()
    assert pose.position == pytest.approx((-1.38, 1.416, 1.0))
    assert pose.rotation == pytest.approx((0.0, 270.0, 0.0))
    world.look(30)
    assert world.hand_pose().local_position == pytest.approx((0.0, -0.16, 0.38))
    # Upright, as ResetAgentHandRotation of the engine leaves it.
    assert world.hand_pose().rotation == pytest.approx((0.0, 270.0, 0.0))
    assert world.hand_pose().local_rotation == pytest.approx((330.0, 0.0, 0.0))


def test_held_object_follows_the_camera(world):
    world.pickup(APPLE, force=True)
    start = np.array(world.objects[APPLE].position)
    world.move("left")
    assert world.objects[APPLE].position == pytest.approx(start - (0, 0, 0.25))
    world.rotate(90)
    assert world.objects[APPLE].rotation[1] == pytest.approx(0.0, abs=1e-6)
    assert world.objects[APPLE].position == pytest.approx((-1.0, 1.416, 1.13))
    world.look(60)
    assert world.hand_pose().local_position == pytest.approx((0.0, -0.16, 0.38))
    assert world.objects[APPLE].position[1] < 1.2
    world.look(-60)
    world.crouch()
    assert world.objects[APPLE].position == pytest.approx((-1.0, 0.741, 1.13))
    assert world.distance_to(APPLE) == pytest.approx(np.hypot(0.16, 0.38))


def test_refusals_in_order(world):
    with pytest.raises(ActionFailed, match="Nothing is in the agent's hand to drop!"):
        world.drop()
    with pytest.raises(ActionFailed) as refused:
        world.pickup("Fridge|-02.10|+00.00|+01.07", force=True)
    assert refused.value.message.endswith("must have the property CanPickup to be picked up.")
    with pytest.raises(ActionFailed, match="Target object not found within") as refused:
        world.pickup("Spoon|+00.98|+00.77|-02.29")
    assert refused.value.exception_type == "NullReferenceException"
    world.pickup(APPLE, force=True)
    with pytest.raises(ActionFailed) as refused:
        world.pickup(MUG, force=True)
    assert refused.value.exception_type == "InvalidOperationException"
    assert refused.value.message == (
        "Agent hand has something in it already! Can't pick up anything else"
    )
    assert world.held_id == APPLE


def test_unforced_pickup_of_a_visible_object(world):
    pose = world.interactable_poses(MUG, horizons=[30.0], standings=[True])[0]
    world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
    world.pickup(MUG)
    assert world.held_id == MUG


def test_pickup_that_would_collide_is_undone(world):
    world.pickup(APPLE, force=True)
    hand = world.objects[APPLE].position
    world.drop(force=True)
    # Something lies exactly where the hand is.
    other = world.objects["Tomato|-00.39|+01.14|-00.81"]
    shift = np.subtract(hand, other.position)
    other.position = hand
    other.oobb = other.oobb + shift
    other.touch()
    world.teleport(horizon=60.0)
    world.teleport(horizon=0.0)
    world.objects[MUG].touch()
    before = repr(world.objects[MUG])
    world.require_interactable = lambda object_id, force: None
    with pytest.raises(ActionFailed, match="Picking up object would cause it to collide"):
        world.pickup(MUG)
    assert repr(world.objects[MUG]) == before
    assert world.held_id is None


def test_drop_as_recorded(world):
    """In AI2-THOR the apple came to rest at (-1.38, 0.05123, 1.0)."""
    world.pickup(APPLE, force=True)
    assert world.drop(force=True) == pytest.approx((-1.38, 0.05123, 1.0), abs=1e-3)
    assert world.objects[APPLE].parent_receptacles == ["Floor|+00.00|+00.00|+00.00"]
    assert world.held_id is None
    assert not world.objects[APPLE].is_picked_up


def test_dropped_things_roll_off_each_other(world):
    """The mug dropped onto the apple ended on the floor beside it."""
    world.pickup(APPLE, force=True)
    world.drop(force=True)
    world.pickup(MUG, force=True)
    world.drop(force=True)
    mug = world.objects[MUG]
    assert mug.aabb_center[1] - mug.aabb_size[1] / 2 == pytest.approx(0.0, abs=1e-3)
    gap = np.subtract(mug.position, world.objects[APPLE].position)
    assert 0.05 < np.hypot(gap[0], gap[2]) < 0.2
    assert mug.parent_receptacles == ["Floor|+00.00|+00.00|+00.00"]


def test_drop_over_a_counter_lands_on_it(world):
    counter = "CounterTop|-00.08|+01.15|00.00"
    world.pickup(APPLE, force=True)
    world.teleport((-0.75, 0.901, 0.5), 90.0, 0.0, True, force=True)
    landed = world.drop(force=True)
    assert landed[1] > 1.0
    assert counter in world.objects[APPLE].parent_receptacles


def test_unforced_drop_must_be_clear_of_the_agent(world):
    world.pickup(APPLE, force=True)
    world.look(60)
    world.crouch()
    name = world.scene_objects[APPLE].name
    world.objects[APPLE].oobb = world.objects[APPLE].oobb + np.subtract(
        world.agent.position, world.objects[APPLE].position
    )
    world.objects[APPLE].touch()
    with pytest.raises(ActionFailed) as refused:
        world.drop()
    assert refused.value.message.startswith(f"{name} can't be dropped. It must be clear")
    assert world.held_id == APPLE


def test_teleport_brings_the_hand_back(world):
    world.pickup(APPLE, force=True)
    pose = world.interactable_poses(MUG)[0]
    world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
    assert world.hand_pose().local_position == pytest.approx((0.0, -0.16, 0.38))
