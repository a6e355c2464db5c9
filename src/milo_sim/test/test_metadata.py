"""Metadata of all scenes, made in this process, against schema and recorded data."""

import functools
import json

import jsonschema
import msgpack
import pytest

from milo_sim import scene_names
from milo_sim.metadata import MetadataEncoder

NEAR = 2e-5  # the data is rounded to 1e-5, the wire has 32-bit floats


@pytest.fixture(scope="module")
def validator(metadata_schema):
    return jsonschema.Draft7Validator(metadata_schema)


@pytest.fixture(scope="module")
def metadata_of(player):
    """First metadata of a scene; both tests of a scene look at the same."""
    return functools.cache(player.reset)


def test_there_are_120_scenes():
    assert len(scene_names()) == 120


@pytest.mark.parametrize("scene", scene_names())
def test_scene_validates_against_the_observed_schema(
    metadata_of, validator, metadata_schema, scene
):
    metadata = metadata_of(scene)
    assert metadata["sceneName"] == f"{scene}_physics"
    assert list(metadata) == list(metadata_schema["properties"])
    fields = list(metadata_schema["properties"]["objects"]["items"]["properties"])
    objects = metadata["objects"]
    assert all(list(entry) == fields for entry in objects)
    # One object of each type: the fields of a type's instances are the same.
    by_type = {entry["objectType"]: entry for entry in objects}
    validator.validate({**metadata, "objects": list(by_type.values())})
    types = [entry["objectType"] for entry in objects]
    assert types == sorted(types, key=str.lower)


@pytest.mark.parametrize("scene", scene_names())
def test_scene_equals_the_recorded_data(metadata_of, ithor_data, scene):
    data = json.loads((ithor_data / "scenes" / f"{scene}.json").read_text())
    metadata = metadata_of(scene)
    agent = metadata["agent"]
    assert agent["position"] == pytest.approx(data["agent"]["position"], abs=1e-3)
    if data["agent"]["rotation_y"] is not None:
        assert agent["rotation"]["y"] == data["agent"]["rotation_y"]
    assert [entry["objectId"] for entry in metadata["objects"]] == [
        entry["objectId"] for entry in data["objects"]
    ]
    for actual, expected in zip(metadata["objects"], data["objects"], strict=True):
        check_object(actual, expected)


SWITCHES = (
    "receptacle",
    "toggleable",
    "breakable",
    "canFillWithLiquid",
    "dirtyable",
    "canBeUsedUp",
    "cookable",
    "isHeatSource",
    "isColdSource",
    "sliceable",
    "openable",
    "pickupable",
    "moveable",
)
STATES = (
    "isToggled",
    "isBroken",
    "isFilledWithLiquid",
    "isDirty",
    "isUsedUp",
    "isCooked",
    "isSliced",
    "isOpen",
    "openness",
)
SAME = (
    "name",
    "objectType",
    "assetId",
    "temperature",
    "parentReceptacles",
    "receptacleObjectIds",
    "controlledObjects",
    "salientMaterials",
)


def check_object(actual, expected):
    name = expected["objectId"]
    for field in SAME:
        assert actual[field] == expected[field], (name, field)
    assert {field for field in SWITCHES if actual[field]} == set(expected["flags"]), name
    for field in STATES:
        assert actual[field] == expected["state"].get(field, False), (name, field)
    assert actual["position"] == pytest.approx(expected["position"], abs=NEAR), name
    assert actual["rotation"] == pytest.approx(expected["rotation"], abs=1e-4), name
    assert actual["mass"] == pytest.approx(expected["mass"], rel=1e-6), name
    box = actual["axisAlignedBoundingBox"]
    assert box["center"] == pytest.approx(expected["aabb"]["center"], abs=NEAR), name
    assert box["size"] == pytest.approx(expected["aabb"]["size"], abs=NEAR), name
    oriented = actual["objectOrientedBoundingBox"]
    assert (oriented is None) == (expected["oobb"] is None), name
    if oriented is not None:
        flat = [value for corner in oriented["cornerPoints"] for value in corner]
        assert flat == pytest.approx(
            [value for corner in expected["oobb"] for value in corner], abs=NEAR
        ), name
    assert actual["distance"] == pytest.approx(expected["initial"]["distance"], abs=2e-3), name


def test_box_corners_run_from_maximum_to_minimum_over_x_then_y_then_z(player):
    box = player.reset("FloorPlan1")["sceneBounds"]
    xs, ys, zs = (
        [box["center"][axis] + sign * box["size"][axis] / 2 for sign in (1, -1)] for axis in "xyz"
    )
    expected = [[x, y, z] for x in xs for y in ys for z in zs]
    assert [pytest.approx(corner, abs=1e-5) for corner in expected] == box["cornerPoints"]


def test_recorded_scene_bounds(player):
    """Scene bounds of the recorded FloorPlan1 event (rl_thor, MIT)."""
    bounds = player.reset("FloorPlan1")["sceneBounds"]
    assert bounds["center"] == pytest.approx({"x": -0.01288, "y": 1.25, "z": -0.18526}, abs=NEAR)
    assert bounds["size"] == pytest.approx({"x": 4.97436, "y": 2.7, "z": 5.49483}, abs=NEAR)


def test_fields_that_differ_in_the_first_event_of_an_agent(player):
    first = player.reset("FloorPlan1")
    later = player.step("Pass")
    assert (first["cameraOrthSize"], later["cameraOrthSize"]) == (0.0, -1.0)
    assert (first["actionStringsReturn"], later["actionStringsReturn"]) == (None, [])


def test_clock_counts_actions_since_the_reset(player):
    player.reset("FloorPlan1")
    times = [player.step("Pass")["currentTime"] for _ in range(3)]
    assert times == pytest.approx([0.06, 0.08, 0.10])


def test_only_what_changed_is_packed_anew(player):
    """The kept bytes must follow every change of an object."""
    start = player.reset("FloorPlan1")["objects"]
    apple = next(entry["objectId"] for entry in start if entry["objectType"] == "Apple")
    held = player.step("PickupObject", objectId=apple, forceAction=True)
    assert held["lastActionSuccess"], held["errorMessage"]
    turned = player.step("RotateRight")
    dropped = player.step("DropHandObject", forceAction=True)
    views = [
        {entry["objectId"]: entry for entry in metadata["objects"]}[apple]
        for metadata in (held, turned, dropped)
    ]
    assert [view["isPickedUp"] for view in views] == [True, True, False]
    assert views[0]["position"] != views[1]["position"] != views[2]["position"]
    fresh = MetadataEncoder()
    outcome = player.session.step({"action": "Pass"})
    kept = msgpack.unpackb(player.encoder.event(player.session, outcome))
    player.session.agent_age -= 1
    assert msgpack.unpackb(fresh.event(player.session, outcome)) == kept


def test_held_object_pose_is_the_hand_before_the_camera(player):
    metadata = player.reset("FloorPlan301")
    pose = metadata["heldObjectPose"]
    # As recorded in FloorPlan301 (rl_thor, MIT): yaw 270 at (2.25, 0.91042, 1).
    assert pose["localPosition"] == pytest.approx({"x": 0.0, "y": -0.16, "z": 0.38}, abs=1e-5)
    assert pose["position"] == pytest.approx({"x": 1.87, "y": 1.42542, "z": 1.0}, abs=1e-4)
    assert pose["rotation"] == pytest.approx({"x": 0.0, "y": 270.0, "z": 0.0}, abs=1e-4)
    assert metadata["cameraPosition"] == pytest.approx(
        {"x": 2.25, "y": 1.58542, "z": 1.0}, abs=1e-4
    )


def test_initialize_snaps_to_its_grid_as_recorded(player):
    """FloorPlan301 starts at x = 2.25; a recorded 0.1 m grid gave 2.2 (rl_thor, MIT)."""
    player.step("Reset", sceneName="FloorPlan301_physics")
    agent = player.initialize(gridSize=0.1)["agent"]
    assert agent["position"]["x"] == pytest.approx(2.2)


def test_settings_of_initialize_reach_the_very_next_view(player):
    def visible(**settings):
        player.step("Reset", sceneName="FloorPlan28_physics")
        metadata = player.initialize(**settings)
        return {entry["objectId"] for entry in metadata["objects"] if entry["visible"]}

    usual = visible()
    assert visible(fieldOfView=20) < usual
    assert visible(visibilityDistance=0.3) < usual
    assert visible(visibilityDistance=4.0) > usual


def test_failed_reset_keeps_the_scene(player):
    player.reset("FloorPlan1")
    for name in ("FloorPlan31_physics", "Procedural", "../FloorPlan2"):
        metadata = player.step("Reset", sceneName=name)
        assert not metadata["lastActionSuccess"]
        assert metadata["errorMessage"]
        assert metadata["sceneName"] == "FloorPlan1_physics"


def test_an_error_inside_the_simulator_is_an_event_and_not_the_end(player, monkeypatch, capsys):
    player.reset("FloorPlan1")

    def broken(*_arguments, **_named):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(player.session.world), "move", broken)
    metadata = player.step("MoveAhead")
    assert not metadata["lastActionSuccess"]
    assert metadata["errorMessage"].startswith("ZeroDivisionError: division by zero. trace:")
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.undo()
    assert player.step("Pass")["lastActionSuccess"]
