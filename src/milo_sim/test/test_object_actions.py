"""Actions on objects behind the unmodified ai2thor Controller.

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


@pytest.fixture
def base(fresh):
    """The same, with the agent in upstream's base pose."""
    place(fresh)
    return fresh


def ids_of(event):
    return [entry["objectId"] for entry in event.metadata["objects"]]


def id_of_type(controller, name):
    return controller.last_event.objects_by_type(name)[0]["objectId"]


def message(event):
    return event.metadata["errorMessage"]


# --- Object filter ------------------------------------------------------------------------------


def test_32_filter_by_ids(base):
    wanted = ids_of(base.last_event)[:3]
    event = base.step(action="SetObjectFilter", objectIds=wanted)
    assert event
    assert set(ids_of(event)) == set(wanted)
    assert set(ids_of(base.step("RotateRight"))) == set(wanted)


def test_33_34_an_empty_filter_and_back(base):
    every = ids_of(base.last_event)
    assert base.step(action="SetObjectFilter", objectIds=[]).metadata["objects"] == []
    assert ids_of(base.step(action="ResetObjectFilter")) == every


def test_35_filtered_objects_can_be_used(base):
    place(base, x=-1, z=-0.5, rotation=90)
    fridge = id_of_type(base, "Fridge")
    base.step(action="SetObjectFilter", objectIds=[])
    base.step(action="OpenObject", objectId=fridge, raise_for_failure=True)
    base.step(action="ResetObjectFilter")
    assert base.last_event.get_object(fridge)["isOpen"]


def test_filter_by_type(base):
    event = base.step(action="SetObjectFilterForType", objectTypes=["Fridge", "Mug"])
    assert {entry["objectType"] for entry in event.metadata["objects"]} == {"Fridge", "Mug"}
    base.step(action="ResetObjectFilter")


# --- Toggle -------------------------------------------------------------------------------------


def test_46_a_knob_turns_its_burner_on(base):
    event = place(base, x=-1, z=-2.25, rotation=90, horizon=30)
    knob = next(k for k in event.objects_by_type("StoveKnob") if k["visible"])
    assert not knob["isToggled"]
    event = base.step(action="ToggleObjectOn", objectId=knob["objectId"], raise_for_failure=True)
    assert event.get_object(knob["objectId"])["isToggled"]
    burner = event.get_object(knob["controlledObjects"][0])
    assert burner["objectType"] == "StoveBurner"
    assert (burner["isToggled"], burner["toggleable"]) == (True, False)
    event = base.step(action="ToggleObjectOff", objectId=knob["objectId"])
    assert not event.get_object(burner["objectId"])["isToggled"]


def test_toggles_are_refused_with_the_engines_texts(base):
    microwave = id_of_type(base, "Microwave")

    def refusal(action, target):
        event = base.step(action=action, objectId=target, forceAction=True)
        assert not event
        return message(event)

    assert refusal("ToggleObjectOff", microwave) == ("can't toggle object off if it's already off!")
    assert base.step(action="OpenObject", objectId=microwave, forceAction=True)
    assert refusal("ToggleObjectOn", microwave) == "Target must be closed to Toggle On!"
    assert base.step(action="CloseObject", objectId=microwave, forceAction=True)
    assert base.step(action="ToggleObjectOn", objectId=microwave, forceAction=True)
    assert refusal("ToggleObjectOn", microwave) == "can't toggle object on if it's already on!"
    assert refusal("OpenObject", microwave) == "Target must be OFF to open!"
    assert refusal("ToggleObjectOn", id_of_type(base, "StoveBurner")) == (
        "target object is controlled by another sim object. "
        "target object cannot be turned on/off directly"
    )
    assert refusal("ToggleObjectOn", POT) == "object is not toggleable."


# --- Raycasts and hulls -------------------------------------------------------------------------


@pytest.mark.parametrize(("x", "y"), [(1.5, 0.5), (0.5, 1.5), (-0.1, 0.5), (0.5, -0.1)])
def test_90_rays_outside_the_picture_fail(base, x, y):
    event = base.step(action="GetCoordinateFromRaycast", x=x, y=y)
    assert not event
    assert f"x and y must be in [0:1] not (x={x}, y={y})." in message(event)


@pytest.mark.parametrize(
    ("x", "y", "point", "tolerance"),
    [
        (0.5, 0.5, (-0.34426, 1.57600, -1.5), NEAR),
        (0.5, 0.2, (-0.34426, 2.26944, -1.5), NEAR),
        # Of the fridge only the box is on record, whose front lies 22 mm before the real one.
        (0.25, 0.5, (-0.59684, 1.57600, -1.04842), 0.03),
    ],
)
def test_91_92_93_rays_through_the_picture(base, x, y, point, tolerance):
    place(base, rotation=90)
    found = base.step(action="GetCoordinateFromRaycast", x=x, y=y).metadata["actionReturn"]
    assert found == pytest.approx(dict(zip("xyz", point, strict=True)), abs=tolerance)


def test_a_ray_through_the_window_of_nothing_ends_at_the_wall(base):
    place(base, x=-1.5, z=-2.5, rotation=270, horizon=-30)
    found = base.step(action="GetCoordinateFromRaycast", x=0.5, y=0.1).metadata["actionReturn"]
    assert found["y"] > 2.0
    event = base.step(action="GetObjectInFrame", x=0.5, y=0.1)
    if not event:
        assert "no sim objects found at (0.5,0.1)" in message(event)


def test_object_in_frame(base):
    place(base, x=-1, z=-0.5, rotation=90)
    fridge = id_of_type(base, "Fridge")
    event = base.step(action="GetObjectInFrame", x=0.5, y=0.5, checkVisible=True)
    assert event.metadata["actionReturn"] == fridge
    assert "x/y must be in [0:1]" in message(base.step(action="GetObjectInFrame", x=2, y=0.5))


def test_rays_between_points(base):
    fridge = id_of_type(base, "Fridge")
    origin = {"x": -1.5, "y": 1.0, "z": -0.6}
    event = base.step(
        action="PerformRaycast", origin=origin, destination={"x": 0.0, "y": 1.0, "z": -0.6}
    )
    found = event.metadata["actionReturn"]
    assert found["objectId"] == fridge
    assert found["hitDistance"] == pytest.approx(found["hitPoint"]["x"] + 1.5, abs=NEAR)
    event = base.step(action="PerformRaycast", origin=origin, destination=origin)
    assert message(event) == (
        "Raycast from (-1.5, 1, -0.6) to (-1.5, 1, -0.6) failed to hit any target object!"
    )


def test_97_hulls_by_ids_or_by_types(base):
    event = base.step(action="Get2DSemanticHulls", objectTypes=["Fridge"], objectIds=[POT])
    assert not event
    assert "Only one of objectIds and objectTypes can have a non-null value." in message(event)
    every = base.step(action="Get2DSemanticHulls").metadata["actionReturn"]
    assert set(every) == set(ids_of(base.last_event))
    fridges = base.step(action="Get2DSemanticHulls", objectTypes=["Fridge"])
    assert list(fridges.metadata["actionReturn"]) == [id_of_type(base, "Fridge")]
    single = base.step(action="Get2DSemanticHull", objectId=POT).metadata["actionReturn"]
    assert single == every[POT]
    box = base.last_event.get_object(POT)["objectOrientedBoundingBox"]["cornerPoints"]
    assert len(single) == 4
    for x, z in single:
        assert min(abs(x - c[0]) + abs(z - c[2]) for c in box) < NEAR
    event = base.step(action="Get2DSemanticHull", objectId="Nothing|1")
    assert message(event) == "No object with ID Nothing|1"


def test_visible_objects_and_points(base):
    place(base, x=-1, z=-0.5, rotation=90)
    shown = [o["objectId"] for o in base.last_event.metadata["objects"] if o["visible"]]
    found = base.step(action="GetVisibleObjects").metadata["actionReturn"]
    assert set(found) == set(shown)
    place(base, x=-1.5, z=-1.5, rotation=90)
    far = base.step(action="GetVisibleObjects", maxDistance=5).metadata["actionReturn"]
    near = base.step(action="GetVisibleObjects").metadata["actionReturn"]
    assert set(far) > set(near)
    event = base.step(action="GetVisibleObjects", visibilityScheme="smell")
    assert "Must be 'distance' or 'collider'." in message(event)
    points = base.step(action="GetVisibilityPoints", objectId=POT).metadata["actionReturn"]
    assert len(points) >= 8
    event = base.step(action="GetVisibilityPoints", objectId="Nothing|1")
    assert not event


def test_metadata_of_single_objects(base):
    event = base.step(action="GetObjectMetadata", objectIds=[POT, "Nothing|1"])
    (entry,) = event.metadata["actionReturn"]
    assert entry == base.last_event.get_object(POT)


def test_map_view_is_above_the_room(base):
    view = base.step("GetMapViewCameraProperties").metadata["actionReturn"]
    bounds = base.last_event.metadata["sceneBounds"]
    assert view["orthographic"] is True
    assert view["rotation"] == {"x": 90.0, "y": 0.0, "z": 0.0}
    assert view["orthographicSize"] == pytest.approx(
        max(bounds["size"]["x"], bounds["size"]["z"]) / 2
    )


# --- Materials ----------------------------------------------------------------------------------


def splits(drawn):
    names = ("Train", "Val", "Test", "External")
    return {name for name in names if drawn[f"use{name}Materials"]}


@pytest.mark.parametrize("scene", ["FloorPlan20", "FloorPlan220", "FloorPlan320", "FloorPlan420"])
def test_108_train_scenes_use_train_and_external_materials(controller, scene):
    """How many there are (679) is a count of the engine's assets, which are not here."""
    controller.reset(scene)
    drawn = controller.step("RandomizeMaterials").metadata["actionReturn"]
    assert splits(drawn) == {"Train", "External"}


@pytest.mark.parametrize("scene", ["FloorPlan21", "FloorPlan25", "FloorPlan425"])
def test_109_val_scenes_use_val_materials(controller, scene):
    controller.reset(scene)
    drawn = controller.step("RandomizeMaterials").metadata["actionReturn"]
    assert splits(drawn) == {"Val"}


def test_110_test_scenes_use_test_materials(controller):
    controller.reset("FloorPlan226")
    drawn = controller.step("RandomizeMaterials").metadata["actionReturn"]
    assert splits(drawn) == {"Test"}


def test_114_the_own_split_cannot_be_left_out(controller):
    controller.reset("FloorPlan15")
    event = controller.step(action="RandomizeMaterials", useTrainMaterials=False)
    assert not event
    assert "cannot set useTrainMaterials=false inside of a train scene." in message(event)


def test_115_the_own_room_type_must_be_named(controller):
    controller.reset("FloorPlan15")
    for rooms in (["Kitchen"], ["Kitchen", "LivingRoom"]):
        event = controller.step(action="RandomizeMaterials", inRoomTypes=rooms)
        assert event.metadata["actionReturn"]["chosenRoomTypes"] == [r.lower() for r in rooms]
    for rooms, text in (
        (["LivingRoom"], 'inRoomTypes must include "kitchen" inside of a kitchen scene'),
        (["RoboTHOR"], 'inRoomTypes must include "kitchen"'),
        (["Cellar"], "inRoomTypes contains unknown room type: Cellar."),
        ([], "inRoomTypes must have a non-zero length!"),
    ):
        event = controller.step(action="RandomizeMaterials", inRoomTypes=rooms)
        assert not event
        assert text in message(event)


def test_lights_and_colours_check_their_ranges(base):
    assert base.step(action="RandomizeLighting", synchronized=True)
    assert base.step("ResetLighting")
    assert base.step("RandomizeColors")
    assert base.step("ResetColors")
    assert base.step("ResetMaterials")
    for arguments, text in (
        ({"brightness": [-1, 1]}, "Each brightness must be >= 0"),
        ({"hue": [0, 2]}, "hue range must be in [0:1]"),
        ({"saturation": [0.5]}, "must each have 2 values"),
        ({"randomizeColor": False, "hue": [0, 1]}, "Cannot pass in randomizeColor=False"),
    ):
        event = base.step(action="RandomizeLighting", **arguments)
        assert not event
        assert text in message(event)


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
