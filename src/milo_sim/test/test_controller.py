"""milo_sim behind the unmodified ai2thor Controller.

Numbers in test names are those of the behaviours that the upstream test-suite asserts in
FloorPlan28 (AI2-THOR ``ai2thor/tests/test_unity.py``, Apache-2.0).
"""

import random
import string

import jsonschema
import pytest
from controller_steps import NEAR, assert_near, fridge_id, object_of_type, place, position

import milo_sim

# --- Controller, reset, events ------------------------------------------------------------------


def test_initialize_reports_the_clipping_planes(base):
    event = base.reset()
    assert event.metadata["lastAction"] == "Initialize"
    assert event.metadata["actionReturn"] == pytest.approx(
        {"cameraNearPlane": 0.01, "cameraFarPlane": 20.0}
    )


def test_06_bot_is_stored_as_locobot_and_refused(start_controller):
    controller = start_controller()
    with (
        pytest.warns(UserWarning, match="locobot"),
        pytest.raises(ValueError, match='agentMode "locobot" is not supported by milo_sim'),
    ):
        controller.reset(agentMode="bot")
    assert controller.initialization_parameters["agentMode"] == "locobot"


@pytest.mark.parametrize("mode", ["arm", "drone", "stochastic", "default "])
def test_other_agent_modes_are_refused(controller, mode):
    # Behaviour 1 lets "stochastic" pass; here no mode passes whose noise is not simulated.
    with pytest.raises(ValueError, match="is not supported by milo_sim"):
        controller.reset(agentMode=mode)
    controller.reset(agentMode="default")


def test_11_ordinary_actions_return_nothing(base):
    assert base.step("RotateRight").metadata["actionReturn"] is None


def test_12_13_fast_emit_reuses_the_objects_of_the_last_event(base):
    before = base.step("RotateRight")
    fast = base.step(action="TestFastEmit", rvalue="foo")
    assert fast.metadata["actionReturn"] == "foo"
    assert fast.metadata["lastAction"] == "TestFastEmit"
    assert fast.metadata["objects"] is before.metadata["objects"]
    look = base.step("LookUp")
    assert look.metadata["objects"] is not before.metadata["objects"]
    assert base.step("RotateRight").metadata["objects"] is not look.metadata["objects"]


def test_14_fast_emit_can_be_switched_off(controller):
    controller.reset("FloorPlan28", fastActionEmit=False)
    before = controller.step("RotateRight")
    slow = controller.step(action="TestFastEmit", rvalue="foo")
    assert slow.metadata["actionReturn"] == "foo"
    assert slow.metadata["objects"] is not before.metadata["objects"]
    controller.reset("FloorPlan28", fastActionEmit=True)


def test_15_long_arguments_come_back_unchanged(base):
    text = "".join(random.Random(1).choices(string.ascii_letters + "äß|\n", k=16 * 1024))
    assert base.step(action="TestActionReflectParam", rvalue=text).metadata["actionReturn"] == text


def test_16_the_callers_action_is_not_changed(base):
    action = {"action": "Pass"}
    base.step(action)
    assert action == {"action": "Pass"}


def test_17_18_a_failed_action_is_false_or_raises(base):
    assert base.step("Pass")
    assert not base.step(action="MoveAhead", moveMagnitude=5.0)
    with pytest.raises(RuntimeError):
        base.step(action="MoveAhead", moveMagnitude=5.0, raise_for_failure=True)


def test_unknown_scene_lists_the_scenes(controller):
    with pytest.raises(ValueError, match="not contained in build"):
        controller.reset("FloorPlan999")


def test_scene_none_starts_the_first_ithor_scene(start_controller):
    controller = start_controller(None)
    assert controller.last_event.metadata["sceneName"] == "FloorPlan10_physics"


def test_65_scenes_in_build(controller):
    assert controller.scenes_in_build == {f"{name}_physics" for name in milo_sim.scene_names()}
    assert set(controller.ithor_scenes()) == controller.scenes_in_build


@pytest.mark.parametrize(("width", "height"), [(128, 64), (600, 300), (300, 300)])
def test_resolution_is_kept_over_resets(controller, width, height):
    controller.reset("FloorPlan28", width=width, height=height)
    event = controller.reset("FloorPlan28")
    assert (event.screen_width, event.screen_height) == (width, height)


def test_unsupported_actions_never_pass_silently(base):
    with pytest.raises(ValueError, match="MoveArm is not supported by milo_sim"):
        base.step(action="MoveArm", position={"x": 0, "y": 0, "z": 0})
    assert base.last_event.metadata["errorCode"] == "InvalidAction"


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"gridSize": 6}, r"grid size must be in the range \(0,5\]"),
        ({"fieldOfView": 180}, r"fov must be set to \(0, 180\) noninclusive."),
        ({"rotateStepDegrees": 0}, "rotateStepDegrees must be a non-zero, non-negative float"),
        ({"timeScale": 0}, "Time scale must be > 0"),
    ],
)
def test_wrong_settings(controller, option, text):
    kept = dict(controller.initialization_parameters)
    with pytest.raises(RuntimeError, match=text):
        controller.reset(**option)
    controller.initialization_parameters = kept
    controller.reset()


def test_a_second_agent_is_refused(base):
    with pytest.raises(ValueError, match="There is no agent 1"):
        base.step(action="Pass", agentId=1)


def test_two_controllers_do_not_disturb_each_other(base, start_controller):
    other = start_controller("FloorPlan301")
    before = position(base.last_event)
    other.step("RotateRight")
    assert other.last_event.metadata["sceneName"] == "FloorPlan301_physics"
    assert position(base.step("Pass")) == before


# --- Rotation and look --------------------------------------------------------------------------


def test_19_rotate_look(base):
    agent = base.step(action="RotateLook", rotation=0, horizon=0).metadata["agent"]
    assert agent["cameraHorizon"] == 0.0
    assert agent["rotation"] == {"x": 0.0, "y": 0.0, "z": 0.0}


def test_20_21_look_down_stops_at_60(base):
    before = base.last_event.metadata["agent"]
    horizons = []
    for _ in range(3):
        agent = base.step("LookDown").metadata["agent"]
        assert agent["position"] == before["position"]
        assert agent["rotation"] == before["rotation"]
        horizons.append(round(agent["cameraHorizon"]))
    assert horizons == [30, 60, 60]
    assert not base.last_event
    assert base.last_event.metadata["errorMessage"] == (
        "can't look down beyond 60 degrees below the forward horizon"
    )
    assert base.last_event.metadata["errorCode"] == "LookDownCantExceedMin"


def test_22_look_up_stops_at_30(base):
    assert base.step("LookUp").metadata["agent"]["cameraHorizon"] == -30.0
    assert not base.step("LookUp")
    assert base.last_event.metadata["agent"]["cameraHorizon"] == -30.0
    assert "can't look up beyond 30 degrees" in base.last_event.metadata["errorMessage"]
    assert base.last_event.metadata["errorCode"] == "LookDownCantExceedMin"


@pytest.mark.parametrize(("degrees", "text"), [(-1, "positive"), (0.05, "multiple of 0.1f")])
def test_look_checks_its_degrees(base, degrees, text):
    assert not base.step(action="LookDown", degrees=degrees)
    assert text in base.last_event.metadata["errorMessage"]


@pytest.mark.parametrize(("action", "yaw"), [("RotateLeft", 270.0), ("RotateRight", 90.0)])
def test_23_24_rotate(base, action, yaw):
    before = base.last_event.metadata["agent"]
    agent = base.step(action).metadata["agent"]
    assert agent["rotation"] == {"x": 0.0, "y": yaw, "z": 0.0}
    assert agent["position"] == before["position"]
    assert agent["cameraHorizon"] == before["cameraHorizon"]


def test_25_rotate_look_to_any_angle(base):
    agent = base.step(action="RotateLook", rotation=90, horizon=31).metadata["agent"]
    assert int(agent["cameraHorizon"]) == 31
    assert agent["rotation"] == {"x": 0.0, "y": 90.0, "z": 0.0}


def test_rotating_by_zero_is_refused(base):
    assert not base.step(action="RotateRight", degrees=0)
    assert base.last_event.metadata["errorMessage"].startswith(
        "InvalidOperationException: Cannot rotate by 0 degrees as this previously defaulted"
    )


# --- Movement -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "x", "z"),
    [
        ("MoveAhead", -1.5, -1.25),
        ("MoveBack", -1.5, -1.75),
        ("MoveLeft", -1.75, -1.5),
        ("MoveRight", -1.25, -1.5),
    ],
)
def test_26_to_29_moves(base, action, x, z):
    event = base.step(action)
    assert event
    assert_near(position(event), x, 0.901, z)


def test_30_move_by_half_a_metre(base):
    assert_near(position(base.step(action="MoveAhead", moveMagnitude=0.5)), -1.5, 0.901, -1.0)


def test_31_move_into_the_wall(base):
    before = position(base.last_event)
    assert not base.step(action="MoveAhead", moveMagnitude=5.0)
    assert position(base.last_event) == before
    assert base.last_event.metadata["errorMessage"] != ""


def test_a_move_needs_a_positive_length(base):
    assert not base.step(action="MoveAhead", moveMagnitude=0)
    message = base.last_event.metadata["errorMessage"]
    assert message.startswith("InvalidOperationException: moveMagnitude must be > 0. trace:")


# --- Open and close -----------------------------------------------------------------------------


def test_36_no_third_party_cameras(base):
    assert base.last_event.metadata["thirdPartyCameras"] == []


def test_44_image_points_outside_fail_without_exception(base):
    event = base.step(action="OpenObject", x=1.5, y=0.5)
    assert not event
    assert event.metadata["errorMessage"].startswith(
        "ArgumentOutOfRangeException: x/y must be in [0:1]"
    )


def test_45_opening_the_fridge_changes_its_box_and_closing_restores_it(base):
    def size():
        return object_of_type(base.last_event, "Fridge")["axisAlignedBoundingBox"]["size"]

    closed = size()
    target = fridge_id(base)
    assert base.step(action="OpenObject", objectId=target, forceAction=True)
    assert size() != closed
    assert base.step(action="CloseObject", objectId=target, forceAction=True)
    assert size() == closed


def test_46_stove_knob_is_visible(base):
    event = place(base, x=-1, z=-2.25, rotation=90, horizon=30)
    assert any(knob["visible"] for knob in event.objects_by_type("StoveKnob"))
    assert not any(knob["isToggled"] for knob in event.objects_by_type("StoveKnob"))


def test_47_48_open_the_visible_fridge(base):
    event = place(base, x=-1, z=-0.5, rotation=90)
    assert_near(position(event), -1, 0.901, -0.5)
    fridge = object_of_type(event, "Fridge")
    assert fridge["visible"]
    event = base.step(action="OpenObject", objectId=fridge["objectId"], raise_for_failure=True)
    assert object_of_type(event, "Fridge")["isOpen"]


@pytest.mark.parametrize(
    ("arguments", "openness"),
    [
        ({"openness": 0.5}, 0.5),
        ({"openness": 0.7}, 0.7),
        ({"openness": 0}, 0.0),
        ({"moveMagnitude": 0}, 1.0),
        ({"moveMagnitude": 0.65}, 0.65),
        ({}, 1.0),
    ],
)
def test_49_51_52_openness(base, arguments, openness):
    event = base.step(action="OpenObject", objectId=fridge_id(base), forceAction=True, **arguments)
    assert event
    fridge = object_of_type(event, "Fridge")
    assert fridge["openness"] == pytest.approx(openness, abs=1e-3)
    assert fridge["isOpen"] == (openness != 0)


@pytest.mark.parametrize("openness", [-0.5, 1.5])
def test_50_openness_outside_the_range(base, openness):
    event = base.step(
        action="OpenObject", objectId=fridge_id(base), forceAction=True, openness=openness
    )
    assert not event
    assert "openness must be in [0:1]" in event.metadata["errorMessage"]


def test_53_close(base):
    target = fridge_id(base)
    base.step(action="OpenObject", objectId=target, forceAction=True)
    fridge = object_of_type(
        base.step(action="CloseObject", objectId=target, forceAction=True), "Fridge"
    )
    assert (fridge["openness"], fridge["isOpen"]) == (0.0, False)


def test_target_by_image_point(base):
    place(base, x=-1, z=-0.5, rotation=90)
    event = base.step(action="OpenObject", x=0.5, y=0.5)
    assert event, event
    assert object_of_type(event, "Fridge")["isOpen"]
    event = base.step(action="CloseObject", objectId=fridge_id(base))
    assert event, event
    assert not object_of_type(event, "Fridge")["isOpen"]


def test_far_targets_need_force(base):
    target = fridge_id(base)
    place(base, x=-1.5, z=-2.5, rotation=180)
    for action in ("OpenObject", "PickupObject"):
        event = base.step(action=action, objectId=target)
        assert not event
        assert event.metadata["errorMessage"].startswith(
            "NullReferenceException: Target object not found within the specified visibility.. tr"
        )
    assert base.step(action="OpenObject", objectId=target, forceAction=True)


def test_what_cannot_be_opened_or_picked_up(base):
    target = fridge_id(base)
    event = base.step(action="PickupObject", objectId=target, forceAction=True)
    assert not event
    assert (
        f"{target} must have the property CanPickup to be picked up."
        in (event.metadata["errorMessage"])
    )
    pot = "Pot|-00.61|+00.80|-03.42"
    event = base.step(action="OpenObject", objectId=pot, forceAction=True)
    assert not event
    assert event.metadata["errorMessage"] == f"{pot} is not an Openable object"


# --- Dispatcher ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "OpenObject", "x": 0.5}, "MissingArguments"),
        ({"action": "FlyAway"}, "InvalidAction"),
        ({"action": "PutObject", "x": 0, "y": 0, "z": 1}, "InvalidArgument"),
        ({"action": "MoveAhead", "moveMagnitude": "far"}, "InvalidArgument"),
    ],
)
def test_58_59_62_dispatcher_errors_raise(base, arguments, code):
    with pytest.raises(ValueError, match=arguments["action"]):
        base.step(arguments)
    metadata = base.last_event.metadata
    assert metadata["errorCode"] == code
    assert metadata["lastActionSuccess"] is False
    assert metadata["errorMessage"] != ""
    assert metadata["lastAction"] == arguments["action"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"action": "PickupObject", "objectId": "Nothing|1"},
            "ArgumentException: objectId: Nothing|1 is not the objectId on any object in the"
            " scene!. trace:",
        ),
        (
            {"action": "DropHandObject"},
            "Nothing is in the agent's hand to drop!",
        ),
    ],
)
def test_thrown_errors_carry_type_and_trace(base, arguments, text):
    event = base.step(arguments)
    assert not event
    assert event.metadata["errorCode"] is None
    assert text in event.metadata["errorMessage"]


# --- Metadata -----------------------------------------------------------------------------------


def test_63_metadata_after_pass_validates(base, metadata_schema):
    metadata = base.step("Pass").metadata
    jsonschema.validate(dict(metadata), metadata_schema)
    assert metadata["errorMessage"] == ""
    assert metadata["errorCode"] is None
    assert metadata["lastActionSuccess"] is True


def test_66_67_reachable_positions_alias(base):
    event = base.step("GetReachablePositions")
    with pytest.warns(UserWarning, match="deprecated"):
        assert event.metadata["reachablePositions"] == event.metadata["actionReturn"]
    assert event.metadata["actionReturn"]
    assert "reachablePositions" not in event.metadata
    with pytest.raises(IndexError):
        base.step("Pass").metadata["reachablePositions"]


# --- Hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("drop", ["DropHeldObject", "DropHandObject"])
def test_121_pick_up_and_drop(base, drop):
    soap = "SoapBottle|-00.84|+00.93|-03.76"
    assert base.last_event.metadata["inventoryObjects"] == []
    event = base.step(action="PickupObject", objectId=soap, forceAction=True)
    assert event.metadata["inventoryObjects"] == [{"objectId": soap, "objectType": "SoapBottle"}]
    assert event.metadata["actionReturn"] == soap
    assert event.get_object(soap)["isPickedUp"]
    assert event.get_object(soap)["parentReceptacles"] is None
    event = base.step(action=drop, forceAction=True)
    assert event
    assert event.metadata["inventoryObjects"] == []
    assert event.metadata["actionReturn"] == pytest.approx(
        event.get_object(soap)["position"], abs=NEAR
    )


def test_hand_can_hold_one_object(base):
    base.step(action="PickupObject", objectId="SoapBottle|-00.84|+00.93|-03.76", forceAction=True)
    pot = "Pot|-00.61|+00.80|-03.42"
    event = base.step(action="PickupObject", objectId=pot, forceAction=True)
    assert not event
    assert (
        "Agent hand has something in it already! Can't pick up anything else"
        in (event.metadata["errorMessage"])
    )


def test_put_into_the_fridge(base):
    soap = "SoapBottle|-00.84|+00.93|-03.76"
    target = fridge_id(base)
    base.step(action="PickupObject", objectId=soap, forceAction=True)
    event = base.step(action="PutObject", objectId=target, forceAction=True)
    assert not event
    assert "Target openable Receptacle is CLOSED" in event.metadata["errorMessage"]
    assert base.step(action="OpenObject", objectId=target, forceAction=True)
    event = base.step(action="PutObject", objectId=target, forceAction=True)
    assert event, event
    assert event.metadata["inventoryObjects"] == []
    assert target in event.get_object(soap)["parentReceptacles"]
    assert soap in event.get_object(target)["receptacleObjectIds"]


# --- Determinism --------------------------------------------------------------------------------


def test_two_runs_are_identical(start_controller):
    def run(controller):
        controller.reset("FloorPlan301")
        events = [controller.step(action) for action in ("MoveAhead", "RotateLeft", "LookDown")]
        drawer = controller.last_event.objects_by_type("Drawer")[0]["objectId"]
        book = controller.last_event.objects_by_type("Book")[0]["objectId"]
        for action, target in (
            ("OpenObject", drawer),
            ("PickupObject", book),
            ("PutObject", drawer),
        ):
            events.append(controller.step(action=action, objectId=target, forceAction=True))
        return [dict(event.metadata) for event in events]

    first, second = start_controller(), start_controller()
    assert run(first) == run(second) == run(first)
