"""GetInteractablePoses; figures from AI2-THOR's own tests in FloorPlan28."""

import pytest

from milo_sim.scene import load_scene
from milo_sim.world import ActionFailed, World

FRIDGE = "Fridge|-00.31|+00.00|-00.65"
POTATO = next(o.object_id for o in load_scene("FloorPlan28").objects if o.object_type == "Potato")


@pytest.fixture(scope="module")
def world():
    made = World(load_scene("FloorPlan28"))
    made.teleport(position=(-1.5, 0.901, -1.5), rotation=0.0)
    return made


def test_number_of_poses(world):
    assert 401 <= len(world.interactable_poses(FRIDGE)) <= 599
    assert 1101 <= len(world.interactable_poses(FRIDGE, max_distance=5)) <= 1299
    assert len(world.interactable_poses(FRIDGE, max_poses=50)) == 50


def test_order_is_horizon_standing_rotation_position(world):
    poses = world.interactable_poses(FRIDGE)
    order = {(x, z): i for i, (x, _, z) in enumerate(world.reachable_positions())}
    keys = [(p.horizon, p.standing, p.rotation, order[p.x, p.z]) for p in poses]
    assert keys == sorted(keys)
    assert poses[0].horizon == -30.0
    assert not poses[0].standing


def test_arguments_are_respected(world):
    poses = world.interactable_poses(FRIDGE, rotations=[0, 45], horizons=[0, 30], standings=[True])
    assert poses
    assert {p.rotation for p in poses} <= {0, 45}
    assert {p.horizon for p in poses} == {0, 30}
    assert {p.standing for p in poses} == {True}
    here = [(p.x, p.y, p.z) for p in poses][:1]
    assert {(p.x, p.y, p.z) for p in world.interactable_poses(FRIDGE, positions=here)} == set(here)
    assert world.interactable_poses(FRIDGE, rotations=[270]) == []


def test_object_in_a_closed_fridge_has_none(world):
    assert FRIDGE in world.objects[POTATO].parent_receptacles
    assert world.interactable_poses(POTATO) == []


def test_object_in_an_open_fridge_has_some():
    world = World(load_scene("FloorPlan28"))
    world.set_openness(FRIDGE, 1.0, force=True)
    poses = world.interactable_poses(POTATO)
    assert poses
    # One looks into a fridge from its front, which faces west.
    assert all(p.x < world.objects[FRIDGE].position[0] for p in poses)


def test_unknown_object(world):
    with pytest.raises(ActionFailed, match="objectId: X is not the objectId on any object"):
        world.interactable_poses("X")


@pytest.mark.parametrize("held", [False, True])
def test_every_pose_makes_the_object_interactable(held):
    world = World(load_scene("FloorPlan1"))
    if held:
        world.pickup("Bread|-00.52|+01.17|-00.03", force=True)
    for target in ("Fridge|-02.10|+00.00|+01.07", "Mug|-01.76|+00.90|-00.62"):
        poses = world.interactable_poses(target)
        assert poses
        for pose in poses[:: max(1, len(poses) // 12)]:
            world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
            assert world.visibility()[target].interactable
            assert world.agent.position == pytest.approx((pose.x, pose.y, pose.z))


def test_far_objects_have_no_pose(world):
    """The top of a tall thing is near, but a thing on the other side of the room is not."""
    near = world.interactable_poses(FRIDGE, max_distance=0.05)
    assert near == []
