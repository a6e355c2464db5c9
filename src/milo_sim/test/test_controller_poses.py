"""Where the agent can stand, behind the unmodified ai2thor Controller.

Numbers in test names are those of the behaviours that the upstream test-suite asserts in
FloorPlan28 (AI2-THOR ``ai2thor/tests/test_unity.py``, Apache-2.0).
"""

import pytest
from controller_steps import NEAR, assert_near, fridge_id, object_of_type, place, position

# --- Teleport -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "z"), [(-1.5, -1.5), (-2.0, -2.5)])
def test_74_75_teleport_settles_on_the_floor(base, x, z):
    assert_near(position(place(base, x=x, y=0.95, z=z)), x, 0.901, z)


@pytest.mark.parametrize(
    ("number", "target"),
    [
        (76, {"x": -2.0, "y": 1.0, "z": -2.5}),
        (77, {"x": -1.5, "y": 0.901, "z": -3.5}),
        (78, {"x": -1.5, "y": 0.901, "z": 0.0}),
    ],
)
def test_76_77_78_teleport_refused(base, number, target):
    before = position(base.last_event)
    event = base.step(action="Teleport", position=target)
    assert not event
    assert event.metadata["errorMessage"] != ""
    assert position(event) == before


def test_79_80_teleport_keeps_what_is_not_given(base):
    before = base.last_event.metadata["agent"]
    agent = base.step(action="Teleport", horizon=10).metadata["agent"]
    assert agent["cameraHorizon"] == pytest.approx(10, abs=NEAR)
    for name in ("position", "rotation", "isStanding"):
        assert agent[name] == before[name]
    assert agent["isStanding"] is True


def test_81_teleport_out_of_the_scene(base):
    with pytest.raises(RuntimeError, match="out of scene bounds"):
        place(base, x=2000, z=9000)


def test_teleport_in_the_deprecated_form(base):
    event = base.step(
        action="TeleportFull", x=-2.0, y=0.901, z=-2.5, rotation=90, horizon=30, standing=False
    )
    assert event
    assert_near(position(event), -2.0, 0.901, -2.5)
    agent = event.metadata["agent"]
    assert agent["rotation"]["y"] == 90.0
    assert agent["cameraHorizon"] == pytest.approx(30)
    assert agent["isStanding"] is False


def test_crouch_and_stand(base):
    standing = base.last_event.metadata["cameraPosition"]["y"]
    event = base.step("Crouch")
    assert event.metadata["agent"]["isStanding"] is False
    assert event.metadata["cameraPosition"]["y"] == pytest.approx(standing - 0.675, abs=NEAR)
    assert not base.step("Crouch")
    assert base.last_event.metadata["errorMessage"] == "Already crouching."
    assert base.step("Stand").metadata["agent"]["isStanding"] is True
    assert not base.step("Stand")
    assert base.last_event.metadata["errorMessage"] == "Already standing."


# --- Interactable poses -------------------------------------------------------------------------


def poses_of(controller, **arguments):
    event = controller.step(action="GetInteractablePoses", **arguments)
    assert event
    return event.metadata["actionReturn"]


def test_83_84_poses_for_the_fridge(base):
    poses = poses_of(base, objectId=fridge_id(base))
    assert 400 < len(poses) < 600
    pose = poses[len(poses) // 2]
    event = base.step(action="TeleportFull", **pose)
    assert event
    assert object_of_type(event, "Fridge")["visible"]
    agent = event.metadata["agent"]
    assert agent["position"]["x"] == pytest.approx(pose["x"], abs=NEAR)
    assert agent["position"]["z"] == pytest.approx(pose["z"], abs=NEAR)
    assert agent["rotation"]["y"] == pytest.approx(pose["rotation"], abs=NEAR)
    assert agent["cameraHorizon"] == pytest.approx(pose["horizon"], abs=NEAR)
    assert agent["isStanding"] == pose["standing"]


def test_85_nothing_inside_the_closed_fridge_can_be_reached(base):
    potato = object_of_type(base.last_event, "Potato")
    assert potato["parentReceptacles"] == [fridge_id(base)]
    assert poses_of(base, objectId=potato["objectId"]) == []


def test_86_number_of_poses_can_be_limited(base):
    assert len(poses_of(base, objectId=fridge_id(base), maxPoses=50)) == 50


def test_87_horizons_and_rotations_are_respected(base):
    poses = poses_of(base, objectId=fridge_id(base), horizons=[0, 30], rotations=[0, 45])
    assert poses
    assert {pose["horizon"] for pose in poses} <= {0, 30}
    assert {pose["rotation"] for pose in poses} <= {0, 45}


def test_88_no_pose_looks_away(base):
    assert poses_of(base, objectId=fridge_id(base), rotations=[270]) == []


def test_89_more_poses_from_farther_away(base):
    poses = poses_of(base, objectId=fridge_id(base), maxDistance=5)
    assert 1100 < len(poses) < 1300


def test_poses_of_an_unknown_object_fail(base):
    event = base.step(action="GetInteractablePoses", objectId="Nothing|1")
    assert not event
    assert "Nothing|1" in event.metadata["errorMessage"]


# --- Reachable positions ------------------------------------------------------------------------


def test_98_99_100_number_of_reachable_positions(base):
    def count(**arguments):
        return len(base.step("GetReachablePositions", **arguments).metadata["actionReturn"])

    straight = count()
    assert 100 < straight < 125
    base.step(action="Teleport", rotation={"x": 0, "y": 49.1, "z": 0}, forceAction=True)
    assert count() == straight
    turned = count(directionsRelativeAgent=True)
    assert 100 < turned < 125
    assert turned != straight
