"""Forces, the hand and liquids behind the unmodified ai2thor Controller.

Numbers in test names are those of the behaviours that the upstream test-suite asserts in
FloorPlan28 (AI2-THOR ``ai2thor/tests/test_unity.py``, Apache-2.0).
"""

import pytest

NEAR = 1e-3
TOMATO = "Tomato|-03.13|+00.92|-00.39"
SOAP = "SoapBottle|-00.84|+00.93|-03.76"
POT = "Pot|-00.61|+00.80|-03.42"


@pytest.fixture(scope="module")
def controller(start_controller):
    return start_controller("FloorPlan28")


def place(controller, x=-1.5, y=0.901, z=-1.5, rotation=0, horizon=0):
    return controller.step(
        action="TeleportFull",
        position={"x": x, "y": y, "z": z},
        rotation={"x": 0, "y": rotation, "z": 0},
        horizon=horizon,
        standing=True,
        raise_for_failure=True,
    )


@pytest.fixture
def fresh(controller):
    """The controller after a reset, with the agent where the scene starts."""
    controller.reset("FloorPlan28")
    return controller


def id_of_type(controller, name):
    return controller.last_event.objects_by_type(name)[0]["objectId"]


def message(event):
    return event.metadata["errorMessage"]


# --- Physics ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("angle", "axis", "sign"),
    [(0, "z", 1), (-1, "z", 1), (90, "x", 1), (180, "z", -1), (270, "x", -1), (-90, "x", -1)],
)
def test_117_to_120_directional_push(fresh, angle, axis, sign):
    event = place(fresh, x=-3.25, y=0.9, z=-1.25, horizon=30)
    start = event.get_object(TOMATO)["position"]
    event = fresh.step(action="DirectionalPush", objectId=TOMATO, pushAngle=angle, moveMagnitude=25)
    assert event, message(event)
    end = event.get_object(TOMATO)["position"]
    assert (end[axis] - start[axis]) * sign > 0.2
    assert not event.get_object(TOMATO)["isMoving"]
    assert event.metadata["actionReturn"] == pytest.approx(end, abs=NEAR)


def test_pushes_are_refused_with_the_engines_texts(fresh):
    place(fresh, x=-3.25, y=0.9, z=-1.25, horizon=30)
    event = fresh.step(action="PushObject", objectId=id_of_type(fresh, "Fridge"), forceAction=True)
    assert message(event) == (
        "Target Sim Object cannot be moved. It's primary property must be Pickupable or Moveable"
    )
    event = fresh.step(
        action="DirectionalPush", objectId=id_of_type(fresh, "Fridge"), forceAction=True
    )
    assert "Target Primary Property type incompatible with push/pull" in message(event)
    fresh.step(action="PickupObject", objectId=TOMATO, forceAction=True)
    for action in ("PushObject", "PullObject", "DirectionalPush"):
        event = fresh.step(action=action, objectId=TOMATO, moveMagnitude=10)
        assert message(event) == "Please use Throw for an item in the Agent's Hand"


def test_push_and_pull_go_opposite_ways(fresh):
    ends = []
    for action in ("PushObject", "PullObject"):
        fresh.reset("FloorPlan28")
        event = place(fresh, x=-3.25, y=0.9, z=-1.25, horizon=30)
        start = event.get_object(TOMATO)["position"]["z"]
        event = fresh.step(action=action, objectId=TOMATO, moveMagnitude=20)
        ends.append(event.get_object(TOMATO)["position"]["z"] - start)
    assert ends[0] > 0.1
    assert ends[1] < -0.1


def test_throw(fresh):
    assert "Nothing in Hand to Throw!" in message(
        fresh.step(action="ThrowObject", moveMagnitude=100)
    )
    place(fresh, x=-2.0, z=-1.5, rotation=180)
    fresh.step(action="PickupObject", objectId=TOMATO, forceAction=True)
    event = fresh.step(action="ThrowObject", moveMagnitude=25, forceAction=True)
    assert event, message(event)
    assert event.metadata["inventoryObjects"] == []
    thrown = event.get_object(TOMATO)
    assert thrown["position"]["z"] < -2.2
    assert thrown["position"]["y"] < 1.4
    assert not thrown["isMoving"]


def test_paused_physics_waits_for_steps(fresh):
    fresh.step(action="PickupObject", objectId=TOMATO, forceAction=True)
    event = fresh.step(action="AdvancePhysicsStep", timeStep=0.01)
    assert "can only be called if Physics AutoSimulation is currently paused" in message(event)
    fresh.step("PausePhysicsAutoSim")
    event = fresh.step(action="DropHandObject", forceAction=True)
    height = event.get_object(TOMATO)["position"]["y"]
    assert not event.metadata["isSceneAtRest"]
    assert event.get_object(TOMATO)["isMoving"]
    assert "timeStep between" in message(fresh.step(action="AdvancePhysicsStep", timeStep=0.1))
    event = fresh.step(action="AdvancePhysicsStep", timeStep=0.05, simSeconds=0.2)
    lower = event.get_object(TOMATO)["position"]["y"]
    assert height - 0.3 < lower < height - 0.1
    event = fresh.step("UnpausePhysicsAutoSim")
    assert event.get_object(TOMATO)["position"]["y"] < lower
    assert not event.get_object(TOMATO)["isMoving"]


def test_touch_then_apply_force(fresh):
    place(fresh, x=-3.25, y=0.9, z=-1.25, horizon=30)
    spot = {"x": 0.557, "y": 0.566}
    seen = fresh.step(action="GetObjectInFrame", **spot)
    event = fresh.step(
        action="TouchThenApplyForce",
        direction={"x": 0, "y": 0, "z": 1},
        moveMagnitude=20,
        handDistance=1.5,
        **spot,
    )
    assert event, message(event)
    touched = event.metadata["actionReturn"]
    assert touched["didHandTouchSomething"]
    assert touched["objectId"] == seen.metadata["actionReturn"]
    assert 0.3 < touched["armsLength"] < 1.5
    event = fresh.step(action="TouchThenApplyForce", x=0.5, y=0.5, handDistance=0.1)
    assert event.metadata["actionReturn"] == {
        "didHandTouchSomething": False,
        "objectId": "",
        "armsLength": pytest.approx(0.1),
    }
    place(fresh, x=-1.5, z=-2.5, rotation=0)
    event = fresh.step(action="TouchThenApplyForce", x=0.5, y=0.5, handDistance=5)
    assert "outside of the Agent's interaction range" in message(event)


# --- Hand ---------------------------------------------------------------------------------------


def held_pose(event):
    return event.metadata["heldObjectPose"]


@pytest.fixture
def holding(fresh):
    event = fresh.step(action="PickupObject", objectId=SOAP, forceAction=True)
    assert event.metadata["inventoryObjects"][0]["objectId"] == SOAP
    return fresh


@pytest.mark.parametrize(
    "way",
    [
        {"ahead": 0.1},
        {"ahead": 0.1, "right": 0.1, "up": 0.1},
        {"ahead": 0.1, "right": 0.05, "up": -0.1},
    ],
)
def test_122_123_move_held_object(holding, way):
    before = held_pose(holding.last_event)
    event = holding.step(action="MoveHeldObject", **way)
    assert event, message(event)
    after = held_pose(event)
    for axis, name in (("x", "right"), ("y", "up"), ("z", "ahead")):
        moved = after["localPosition"][axis] - before["localPosition"][axis]
        assert moved == pytest.approx(way.get(name, 0.0), abs=NEAR)
    assert after["rotation"] == before["rotation"]
    assert after["position"] == pytest.approx(event.get_object(SOAP)["position"], abs=NEAR)


@pytest.mark.parametrize(
    ("turn", "axis", "change"),
    [({"pitch": 90}, "x", 90.0), ({"yaw": 90}, "y", 90.0), ({"roll": 90}, "z", 270.0)],
)
def test_124_125_126_rotate_held_object(holding, turn, axis, change):
    before = held_pose(holding.last_event)
    event = holding.step(action="RotateHeldObject", **turn)
    assert event, message(event)
    after = held_pose(event)
    expected = dict(before["rotation"])
    expected[axis] = (expected[axis] + change) % 360.0
    assert after["rotation"] == pytest.approx(expected, abs=NEAR)
    assert after["position"] == pytest.approx(before["position"], abs=NEAR)
    with pytest.warns(UserWarning, match="deprecated"):
        assert event.metadata["hand"] == after


def test_127_three_turns_at_once(holding):
    assert held_pose(holding.last_event)["rotation"]["y"] == pytest.approx(180.0)
    event = holding.step(action="RotateHeldObject", roll=90, pitch=90, yaw=90)
    assert held_pose(event)["rotation"] == pytest.approx({"x": 90, "y": 0, "z": 0}, abs=NEAR)


def test_128_rotate_to(holding):
    event = holding.step(action="RotateHeldObject", rotation={"x": 90, "y": 180, "z": 0})
    assert held_pose(event)["localRotation"] == pytest.approx({"x": 90, "y": 180, "z": 0}, abs=NEAR)


def test_the_agents_next_step_brings_the_hand_to_rest(holding):
    default = held_pose(holding.last_event)
    for action, kept in (("RotateRight", False), ("LookDown", False)):
        holding.step(action="MoveHeldObject", ahead=0.1)
        holding.step(action="RotateHeldObject", pitch=30)
        event = holding.step(action=action)
        moved = held_pose(event)["localPosition"] != pytest.approx(
            default["localPosition"], abs=NEAR
        )
        assert moved == kept
        # Upright, whatever the camera does.
        assert held_pose(event)["rotation"]["x"] == pytest.approx(0.0, abs=NEAR)
    holding.step(action="LookUp")
    holding.step(action="MoveHeldObject", ahead=0.1)
    event = holding.step(action="RotateRight", manualInteract=True)
    assert held_pose(event)["localPosition"]["z"] == pytest.approx(0.48, abs=NEAR)


def test_manual_pickup_leaves_the_object_where_it_is(fresh):
    before = fresh.last_event.get_object(SOAP)["position"]
    event = fresh.step(action="PickupObject", objectId=SOAP, forceAction=True, manualInteract=True)
    assert event.get_object(SOAP)["position"] == pytest.approx(before, abs=NEAR)
    assert held_pose(event)["position"] == pytest.approx(before, abs=NEAR)
    assert event.get_object(SOAP)["isPickedUp"]


def test_the_hand_stays_in_view_and_in_reach(holding):
    event = holding.step(action="MoveHeldObjectAhead", moveMagnitude=3)
    assert "cannot move outside of max visibility distance." in message(event)
    event = holding.step(action="MoveHeldObjectDown", moveMagnitude=1)
    assert "outside of the agent's viewport" in message(event)
    holding.step(action="DropHandObject", forceAction=True)
    event = holding.step(action="MoveHeldObject", ahead=0.1)
    assert message(event) == "Agent can only move hand if currently holding an item"
    event = holding.step(action="RotateHeldObject", pitch=10)
    assert "Can't rotate held object since no object is being held." in message(event)


# --- Liquids ------------------------------------------------------------------------------------


def test_129_the_pot_is_empty_at_the_start(fresh):
    pot = fresh.last_event.get_object(POT)
    assert (pot["fillLiquid"], pot["isFilledWithLiquid"], pot["canFillWithLiquid"]) == (
        None,
        False,
        True,
    )


@pytest.mark.parametrize("liquid", ["water", "wine", "coffee"])
def test_130_131_fill_and_empty(fresh, liquid):
    fill = {"action": "FillObjectWithLiquid", "objectId": POT, "forceAction": True}
    pot = fresh.step(fillLiquid=liquid, **fill).get_object(POT)
    assert (pot["fillLiquid"], pot["isFilledWithLiquid"]) == (liquid, True)
    assert "is already Filled!" in message(fresh.step(fillLiquid="water", **fill))
    event = fresh.step(action="EmptyLiquidFromObject", objectId=POT, forceAction=True)
    pot = event.get_object(POT)
    assert (pot["fillLiquid"], pot["isFilledWithLiquid"], pot["canFillWithLiquid"]) == (
        None,
        False,
        True,
    )
    event = fresh.step(action="EmptyLiquidFromObject", objectId=POT, forceAction=True)
    assert message(event) == "object already empty"


def test_what_cannot_be_filled(fresh):
    fill = {"action": "FillObjectWithLiquid", "forceAction": True}
    for arguments, text in (
        ({"objectId": POT}, "InvalidOperationException: Missing Liquid string for FillObject"),
        ({"objectId": POT, "fillLiquid": "Milk"}, "milk is not a valid Liquid Type"),
        ({"objectId": TOMATO, "fillLiquid": "water"}, "does not have CanBeFilled property!"),
    ):
        event = fresh.step(**fill, **arguments)
        assert not event
        assert text in message(event)
