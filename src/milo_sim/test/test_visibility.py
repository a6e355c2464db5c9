import json

import numpy as np
import pytest

from milo_sim.geometry import Box
from milo_sim.scene import load_scene, scene_names
from milo_sim.solids import carved, solid_boxes
from milo_sim.world import ActionFailed, Settings, World

FRIDGE = "Fridge|-00.31|+00.00|-00.65"


def find(world, object_type):
    return next(k for k, o in world.scene_objects.items() if o.object_type == object_type)


@pytest.fixture
def world():
    return World(load_scene("FloorPlan28"))


def test_fridge_from_the_upstream_pose(world):
    world.teleport((-1.0, 0.901, -0.5), 90.0, 0.0, True)
    assert world.visibility()[FRIDGE] == (True, True)
    assert not world.visibility()[find(world, "Potato")].visible
    world.rotate(180)
    assert world.visibility()[FRIDGE] == (False, False)


def test_stove_knob_from_the_upstream_pose(world):
    world.teleport((-1.0, 0.901, -2.25), 90.0, 30.0, True)
    seen = [k for k, v in world.visibility().items() if v.visible and k.startswith("StoveKnob")]
    assert seen


def test_near_means_the_visibility_distance():
    far = World(load_scene("FloorPlan28"), Settings(visibility_distance=0.3))
    far.teleport((-1.5, 0.901, -0.5), 90.0, 0.0, True)
    assert not far.visibility()[FRIDGE].visible
    far.reset(Settings(visibility_distance=5.0))
    far.teleport((-1.5, 0.901, -0.5), 90.0, 0.0, True)
    assert far.visibility()[FRIDGE].visible


def test_distance_scheme_measures_each_point():
    world = World(load_scene("FloorPlan28"), Settings(visibility_scheme="Distance"))
    poses = world.interactable_poses(FRIDGE)
    for pose in poses[::25]:
        world.teleport((pose.x, pose.y, pose.z), pose.rotation, pose.horizon, pose.standing)
        assert world.visibility()[FRIDGE].interactable


def test_narrow_field_of_view_sees_less():
    wide, narrow = (World(load_scene("FloorPlan1"), Settings(field_of_view=f)) for f in (90, 20))
    seen = [{k for k, v in w.visibility().items() if v.visible} for w in (wide, narrow)]
    assert seen[1] < seen[0]


def test_opening_shows_the_contents(world):
    potato = find(world, "Potato")
    world.teleport((-1.0, 0.901, -0.5), 90.0, 0.0, True)
    assert not world.visibility()[potato].visible
    world.set_openness(FRIDGE, 1.0)
    poses = world.interactable_poses(potato)
    world.teleport(
        (poses[0].x, poses[0].y, poses[0].z), *poses[0][3:4], poses[0].horizon, poses[0].standing
    )
    assert world.visibility()[potato].interactable
    world.set_openness(FRIDGE, 0.0, force=True)
    assert not world.visibility()[potato].visible


def test_drawer_shows_its_contents_from_above_only():
    world = World(load_scene("FloorPlan1"))
    spoon = find(world, "Spoon")
    drawer = next(p for p in world.objects[spoon].parent_receptacles if p.startswith("Drawer"))
    assert world.interactable_poses(spoon) == []
    world.set_openness(drawer, 1.0, force=True)
    poses = world.interactable_poses(spoon)
    assert poses
    assert all(p.standing or p.y > world.objects[drawer].aabb_center[1] for p in poses)


def test_glass_hides_from_the_hand_but_not_from_the_eye():
    """In FloorPlan402 the shower stands behind glass and a closed glass door."""
    world = World(load_scene("FloorPlan402"))
    glass = world.objects[find(world, "ShowerGlass")]
    world.settings.visibility_distance = 4.0
    states = []
    for yaw in (0.0, 90.0, 180.0, 270.0):
        for x, _, z in world.reachable_positions()[::4]:
            world.teleport((x, 0.901, z), yaw, 30.0, True, force=True)
            states.extend(
                v for k, v in world.visibility().items() if k.startswith(("Cloth", "SoapBar"))
            )
    assert any(v.visible and not v.interactable for v in states)
    assert all(v.visible or not v.interactable for v in states)
    assert glass.aabb_size[1] > 1.0


def test_screen_points(world):
    world.teleport((-1.0, 0.901, -0.5), 90.0, 0.0, True)
    assert world.find_target_at(0.5, 0.5) == FRIDGE
    for x, y in ((-0.1, 0.5), (0.5, 1.1)):
        with pytest.raises(ActionFailed, match=r"x/y must be in \[0:1\]"):
            world.find_target_at(x, y)
    world.teleport((-1.75, 0.901, -0.5), 90.0, 0.0, True)
    world.settings.visibility_distance = 0.5
    with pytest.raises(ActionFailed, match="is beyond your visibilityDistance: "):
        world.find_target_at(0.5, 0.5)
    assert world.find_target_at(0.5, 0.5, force=True) == FRIDGE


def test_screen_point_follows_the_horizon(world):
    world.teleport((-1.0, 0.901, -0.5), 90.0, 60.0, True)
    assert world.find_target_at(0.5, 0.999).startswith("Floor|")


def test_visibility_is_cached_until_something_changes(world):
    first = world.visibility()
    assert world.visibility() is first
    world.rotate(90)
    second = world.visibility()
    assert second is not first
    world.set_openness(FRIDGE, 1.0, force=True)
    assert world.visibility() is not second


def test_known_cells_carve_boxes():
    scene = load_scene("FloorPlan28")
    x, z = scene.reachable[0]
    whole = Box.axis_aligned((x, 0.5, z), (2.0, 0.2, 2.0))
    parts = carved(whole, scene)
    point = np.array([x, 0.5, z])
    assert len(parts) > 1
    assert not any((np.abs(p.to_local(point)) < p.half).all() for p in parts)
    assert sum(np.prod(2 * p.half) for p in parts) < np.prod(2 * whole.half)
    above = whole.moved([0.0, 2.0, 0.0])
    assert carved(above, scene) == [above]


def test_furniture_on_legs_is_solid_at_its_top():
    scene = load_scene("FloorPlan28")
    table = next(o for o in scene.objects if o.object_type == "DiningTable")
    parts = solid_boxes(table, scene)
    top = table.aabb_center[1] + table.aabb_size[1] / 2
    assert all(top - 0.12 < p.center[1] < top for p in parts)


def test_agrees_with_the_engine_at_the_start(ithor_data):
    """The recorded `visible` flags of all scenes whose start yaw is known.

    Boxes instead of meshes see a little too much: measured 0.86 precision, 0.98 recall.
    """
    right = wrong = missed = 0
    for name in scene_names():
        scene = load_scene(name)
        if scene.start_yaw_assumed:
            continue
        facts = json.loads((ithor_data / "scenes" / f"{name}.json").read_text())
        seen = World(scene).visibility()
        for entry in facts["objects"]:
            real, ours = entry["initial"]["visible"], seen[entry["objectId"]].visible
            right += real and ours
            wrong += ours and not real
            missed += real and not ours
    assert right / (right + wrong) > 0.84
    assert right / (right + missed) > 0.97
