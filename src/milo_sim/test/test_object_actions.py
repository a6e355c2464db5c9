"""Actions on objects behind the unmodified ai2thor Controller.

Numbers in test names are those of the behaviours that the upstream test-suite asserts in
FloorPlan28 (AI2-THOR ``ai2thor/tests/test_unity.py``, Apache-2.0).
"""

import pytest

NEAR = 1e-3
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
