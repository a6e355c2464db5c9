"""Scenes of one's own: the format, its errors, and the way through the Controller."""

import copy
import dataclasses
import gzip
import json
import os
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import milo_sim
from milo_sim.errors import SceneFileError
from milo_sim.interior.room import panels
from milo_sim.launcher import LauncherError, executable_path
from milo_sim.scene import empty_scene, load_scene, own_scene_names, scene_names
from milo_sim.scene_file import load_scene_file, scene_of, schema_text
from milo_sim.state import Settings
from milo_sim.world import World

DOCS = Path(__file__).resolve().parents[3] / "docs"
EXAMPLE = DOCS / "examples" / "scene_minimal.json"
MUG, FRIDGE, EGG = "Mug|-00.10|+00.90|+01.40", "Fridge|+01.40|+00.00|+01.40", "Egg|in the fridge"
COUNTER = "CounterTop|-00.50|+00.86|+01.50"


@pytest.fixture
def example():
    return json.loads(EXAMPLE.read_text())


@pytest.fixture
def write(tmp_path):
    def write(data, name="kitchen.json"):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data))
        return path

    return write


def entry_of(data, object_type):
    return next(entry for entry in data["objects"] if entry["type"] == object_type)


def packaged(name):
    file = resources.files("milo_sim") / "data" / "scenes" / f"{name}.json.gz"
    return json.loads(gzip.decompress(file.read_bytes()))


# --- The format --------------------------------------------------------------------------------


def test_schema_in_the_docs_is_that_of_the_models():
    written = (DOCS / "scene.schema.json").read_text()
    assert written == schema_text(), "run python -m milo_sim.scene_file > docs/scene.schema.json"


@pytest.mark.parametrize("name", [None, "FloorPlan1", "FloorPlan425"])
def test_scenes_satisfy_the_schema_of_the_docs(name, example):
    schema = json.loads((DOCS / "scene.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(packaged(name) if name else example, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**example, "rooms": []}, schema)


def differences(ours, theirs):
    for field in dataclasses.fields(theirs):
        mine, other = getattr(ours, field.name), getattr(theirs, field.name)
        if field.name == "oobb" and mine is not None and other is not None:
            same = np.array_equal(mine, other)
        elif field.name == "state":
            same = dict(mine) == dict(other)
        else:
            same = mine == other
        if not same:
            yield field.name


def test_packaged_scenes_are_of_this_format():
    differing = []
    for name in scene_names():
        ours, theirs = scene_of(packaged(name), name, name, ""), load_scene(name)
        assert [o.object_id for o in ours.objects] == [o.object_id for o in theirs.objects]
        assert np.array_equal(ours.reachable, theirs.reachable)
        assert ours.bounds_size == theirs.bounds_size
        for mine, other in zip(ours.objects, theirs.objects, strict=True):
            differing += [(name, mine.object_type, field) for field in differences(mine, other)]
    # The engine reports these as fully open but not as open; a file need not say both.
    assert differing == [
        ("FloorPlan22", "Drawer", "state"),
        ("FloorPlan206", "Cabinet", "state"),
        ("FloorPlan207", "Cabinet", "state"),
    ]


# --- What a file may leave out -----------------------------------------------------------------


def test_example_is_completed():
    scene = load_scene(str(EXAMPLE))
    by_id = {obj.object_id: obj for obj in scene.objects}
    assert (scene.name, scene.source, scene.scene_name) == (
        "scene_minimal",
        str(EXAMPLE),
        str(EXAMPLE),
    )
    assert by_id[MUG].parent_receptacles == (COUNTER,)
    assert MUG in by_id[COUNTER].receptacle_object_ids
    assert by_id[FRIDGE].receptacle_object_ids == (EGG,)
    assert by_id[MUG].name == "Mug_1"
    assert by_id[MUG].flags == {
        *("breakable", "canFillWithLiquid", "dirtyable", "pickupable", "receptacle")
    }
    assert by_id[MUG].mass > 0
    assert by_id[MUG].salient_materials == ("Ceramic",)
    assert by_id[COUNTER].oobb is None
    bottom = by_id[MUG].oobb[:4, 1]
    assert bottom == pytest.approx(0.9)
    assert scene.bounds_size == pytest.approx((3.6, 1.8, 3.6))


def test_free_places_touch_nothing_and_are_joined():
    scene = load_scene(str(EXAMPLE))
    cells = {tuple(cell) for cell in scene.reachable.tolist()}
    assert (0.0, 0.0) in cells
    assert (0.0, 1.0) in cells
    assert (0.0, 1.25) not in cells  # the counter begins at 1.2 m
    assert all(abs(x) <= 1.6 and abs(z) <= 1.6 for x, z in cells)
    assert (1.25, -1.25) not in cells  # under the table
    world = World(scene, Settings())
    assert len(world.reachable_positions()) == len(cells)


def test_nothing_behind_a_barrier_is_free(example):
    example["objects"].append({"type": "Sofa", "position": [0, 0, -0.8], "size": [3.6, 0.8, 0.5]})
    scene = scene_of(example, "it", "it", "it")
    assert scene.reachable[:, 1].min() > -0.6


def test_state_may_name_openness_alone(example):
    for given, wanted in (
        ({"openness": 0.5}, (True, 0.5)),
        ({"isOpen": True}, (True, 1.0)),
        ({"isOpen": False}, (False, 0.0)),
        ({}, (False, 0.0)),
    ):
        entry_of(example, "Fridge")["state"] = given
        state = World(scene_of(example, "it", "it", "it")).objects[FRIDGE]
        assert (state.is_open, state.openness) == wanted


def test_contents_and_parents_follow_from_each_other(example):
    del entry_of(example, "Egg")["parents"]
    entry_of(example, "Fridge")["contents"] = [EGG]
    by_id = {obj.object_id: obj for obj in scene_of(example, "it", "it", "it").objects}
    assert by_id[EGG].parent_receptacles == (FRIDGE,)
    entry_of(example, "CounterTop")["contents"] = []
    by_id = {obj.object_id: obj for obj in scene_of(example, "it", "it", "it").objects}
    assert by_id[MUG].parent_receptacles is None


# --- Errors ------------------------------------------------------------------------------------

MUG_LABEL = "object 5 (Mug)"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"type": "Mugg"}, ("object 5 (Mugg)", "field type", "no AI2-THOR object type")),
        ({"type": "cup"}, ("object 5 (cup)", "field type", "write Cup")),
        ({"position": [0, 1]}, (MUG_LABEL, "field position")),
        ({"position": [0, "1", 0]}, (MUG_LABEL, "field position.1", "number")),
        ({"position": [0, 1e9, 0]}, (MUG_LABEL, "field position.1", "100")),
        ({"position": [0, float("nan"), 0]}, (MUG_LABEL, "field position.1", "finite")),
        ({"rotation": [0, 1e300, 0]}, (MUG_LABEL, "field rotation.1")),
        ({"size": [0.1, 0.0, 0.1]}, (MUG_LABEL, "field size.1", "greater than 0")),
        ({"aabb": [0, 1, 0, 1, 1, 1]}, (MUG_LABEL, "oobb is missing")),
        ({"aabb": [0, 1, 0, 1, 1, 1], "size": [1, 1, 1]}, (MUG_LABEL, "not both")),
        ({"oobb": [0.0] * 23, "aabb": [0, 1, 0, 1, 1, 1]}, (MUG_LABEL, "field oobb")),
        ({"color": "red"}, (MUG_LABEL, "field color", "not permitted")),
        ({"id": "Mug|x", "flags": ["flying"]}, ("object Mug|x", "field flags.0")),
        ({"id": "Mug"}, ("object Mug", "field id")),
        ({"id": EGG}, (f"object id {EGG} is there twice",)),
        ({"state": {"isOpen": True}}, (MUG_LABEL, "state.isOpen needs the flag openable")),
        ({"state": {"isBroken": 1}}, (MUG_LABEL, "field state.isBroken")),
        ({"parents": ["Shelf|x"]}, (MUG, "field parents", "there is no object Shelf|x")),
        ({"parents": [EGG]}, (MUG, "field parents", "not a receptacle")),
        ({"parents": [MUG]}, (MUG, "field parents", "cannot hold itself")),
        ({"controls": ["x|y"]}, (MUG, "field controls", "there is no object x|y")),
        ({"temperature": "Warm"}, (MUG_LABEL, "field temperature")),
        ({"mass": -1.0}, (MUG_LABEL, "field mass")),
    ],
)
def test_a_wrong_object_is_named_with_its_field(example, write, change, words):
    entry_of(example, "Mug").update(change)
    path = write(example)
    with pytest.raises(SceneFileError) as caught:
        load_scene_file(path)
    message = str(caught.value)
    assert message.startswith(f"Scene file {path}: ")
    assert all(word in message for word in words), message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"agent": {}}, "field agent.position"),
        ({"agent": {"position": [0.0, 0.9, 1.4]}}, f"cannot stand there because of {COUNTER}"),
        ({"agent": {"position": [9.0, 0.9, 0.0]}}, "cannot stand there because of the bounds"),
        ({"reachable": [[0.0, 0.1]]}, "field reachable.0.1"),
        ({"reachable": []}, "field reachable"),
        ({"reachable": [[1.0, 1.0]]}, "starts at none of the free places"),
        ({"reachable": [[0, 0], [0, 0]]}, "is there twice"),
        ({"room_type": "Garage"}, "field room_type"),
        ({"objects": []}, "field objects"),
        ({"objects": {"Mug": 1}}, "field objects"),
        ({"objects": [7]}, "object 1"),
        ({"doors": 3}, "field doors"),
    ],
)
def test_a_wrong_scene_is_named_with_its_field(example, write, change, words):
    with pytest.raises(SceneFileError) as caught:
        load_scene_file(write({**example, **change}))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_objects_made_equal_by_default_are_refused(example):
    example["objects"].append(copy.deepcopy(entry_of(example, "Mug")))
    with pytest.raises(SceneFileError, match="two objects have the id Mug"):
        scene_of(example, "it", "it", "it")


def test_contradicting_lists_are_refused(example):
    entry_of(example, "Fridge")["contents"] = []
    with pytest.raises(SceneFileError, match="does not name it in contents"):
        scene_of(example, "it", "it", "it")
    entry_of(example, "Egg")["parents"] = []
    entry_of(example, "Fridge")["contents"] = [EGG]
    with pytest.raises(SceneFileError, match="does not name it in parents"):
        scene_of(example, "it", "it", "it")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[]", "object"),
        ("null", "object"),
        ('"FloorPlan1"', "object"),
    ],
)
def test_what_is_no_scene_at_all(write, content, words):
    path = write(content)
    with pytest.raises(SceneFileError) as caught:
        load_scene_file(path)
    assert str(caught.value).startswith(f"Scene file {path}")
    assert words in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")  # reading it would wait for ever
    for name, words in (
        ("binary.json", "not UTF-8"),
        ("folder.json", "not a regular file"),
        ("pipe.json", "not a regular file"),
        ("missing.json", "cannot be read: No such file or directory."),
        ("nul\0.json", "cannot be read"),
    ):
        with pytest.raises(SceneFileError, match=words):
            load_scene_file(tmp_path / name)


# --- Where files are found ---------------------------------------------------------------------


def test_names_that_the_environment_lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MILO_SIM_SCENES", raising=False)
    assert own_scene_names() == ()
    (tmp_path / "rooms").mkdir()
    for name in ("b.json", "a.json", "notes.txt"):
        (tmp_path / "rooms" / name).write_text("{}")
    monkeypatch.setenv("MILO_SIM_SCENES", os.pathsep.join(["rooms", "", "my.json", "nowhere"]))
    assert own_scene_names() == (
        "rooms/a.json",
        f"{tmp_path}/rooms/a.json",
        "rooms/b.json",
        f"{tmp_path}/rooms/b.json",
        "my.json",
        f"{tmp_path}/my.json",
    )


def test_executable_checks_the_scenes_it_is_given(tmp_path, write):
    assert "MILO_SIM_SCENES" not in executable_path().read_text()
    assert str(EXAMPLE) in executable_path([EXAMPLE]).read_text()
    assert executable_path(str(EXAMPLE)) == executable_path([EXAMPLE])
    assert str(EXAMPLE.parent) in executable_path([EXAMPLE.parent]).read_text()
    with pytest.raises(SceneFileError, match="field room_type"):
        milo_sim.executable(scenes=[write({})])
    (tmp_path / "empty").mkdir()
    with pytest.raises(SceneFileError, match="holds no scene files"):
        milo_sim.executable(scenes=[tmp_path / "empty"])
    with pytest.raises(SceneFileError, match="neither a scene file"):
        milo_sim.executable(scenes=[tmp_path / "kitchen.yaml"])
    with pytest.raises(LauncherError, match="move it"):
        milo_sim.executable(scenes=[write(EXAMPLE.read_text(), "a:b.json")])


# --- Through the Controller --------------------------------------------------------------------


@pytest.fixture(scope="module")
def controller(start_controller, tmp_path_factory):
    """A Controller that knows the example and a copy which tests may break."""
    copied = tmp_path_factory.mktemp("scenes of mine") / "my_kitchen.json"
    copied.write_text(EXAMPLE.read_text())
    made = start_controller(
        str(EXAMPLE), local_executable_path=milo_sim.executable(scenes=[EXAMPLE, copied])
    )
    made.copied = copied
    return made


def go_to(controller, object_id, **choice):
    """Stand at the interactable pose that is nearest to an object."""
    poses = controller.step("GetInteractablePoses", objectId=object_id, **choice)
    poses = poses.metadata["actionReturn"]
    place = controller.last_event.get_object(object_id)["position"]
    assert poses
    pose = min(poses, key=lambda p: (p["x"] - place["x"]) ** 2 + (p["z"] - place["z"]) ** 2)
    position = {axis: pose[axis] for axis in "xyz"}
    rotation = {"x": 0, "y": pose["rotation"], "z": 0}
    controller.step(
        "TeleportFull",
        position=position,
        rotation=rotation,
        horizon=pose["horizon"],
        standing=pose["standing"],
        raise_for_failure=True,
    )


def test_pick_open_put_in_an_own_scene(controller, metadata_schema):
    event = controller.reset(str(EXAMPLE))
    assert event.metadata["sceneName"] == str(EXAMPLE)
    jsonschema.validate(dict(event.metadata), metadata_schema)
    go_to(controller, MUG)
    assert controller.step("PickupObject", objectId=MUG)
    go_to(controller, FRIDGE, horizons=[0], standings=[True])
    assert not controller.step("PutObject", objectId=FRIDGE)
    assert "CLOSED" in controller.last_event.metadata["errorMessage"]
    assert controller.step("OpenObject", objectId=FRIDGE)
    event = controller.step("PutObject", objectId=FRIDGE)
    assert event, event
    assert event.get_object(MUG)["parentReceptacles"] == [FRIDGE]
    assert sorted(event.get_object(FRIDGE)["receptacleObjectIds"]) == [EGG, MUG]
    event = controller.step("PickupObject", objectId=EGG, forceAction=True)
    assert event.metadata["inventoryObjects"] == [{"objectId": EGG, "objectType": "Egg"}]
    event = controller.reset()
    assert event.get_object(MUG)["parentReceptacles"] == [COUNTER]
    assert event.metadata["sceneName"] == str(EXAMPLE)


def test_packaged_scenes_remain(controller):
    event = controller.reset("FloorPlan28")
    assert event.metadata["sceneName"] == "FloorPlan28_physics"
    assert str(EXAMPLE) in controller.scenes_in_build
    assert "FloorPlan430_physics" in controller.scenes_in_build


def test_a_broken_file_is_reported_and_the_next_reset_works(controller):
    name = str(controller.copied)
    assert controller.reset(name).metadata["sceneName"] == name
    good = controller.copied.read_text()
    controller.copied.write_text(good.replace('"Bowl"', '"Bowls"'))
    try:
        with pytest.raises(RuntimeError, match=r"my_kitchen.json: object 7 \(Bowls\), field type"):
            controller.reset(name)
        controller.copied.unlink()
        with pytest.raises(RuntimeError, match="No such file"):
            controller.reset(name)
    finally:
        controller.copied.write_text(good)
    assert controller.reset(name).metadata["lastActionSuccess"]


def test_a_file_that_was_not_listed_is_unknown_to_the_client(controller, tmp_path):
    with pytest.raises(ValueError, match="not contained in build"):
        controller.reset(str(tmp_path / "other.json"))


def test_a_scene_given_as_a_dict(controller, example):
    event = controller.reset(example, gridSize=0.5)
    assert event.metadata["lastAction"] == "CreateHouse"
    assert event.metadata["sceneName"] == "Procedural"
    assert event.get_object(MUG)["parentReceptacles"] == [COUNTER]
    assert controller.step("MoveAhead").metadata["agent"]["position"]["z"] == pytest.approx(0.5)
    assert controller.reset().get_object(MUG)
    entry_of(example, "Mug")["position"] = "here"
    with pytest.raises(ValueError, match=r"The scene: object 5 \(Mug\), field position"):
        controller.reset(example)
    with pytest.raises(ValueError, match="ProcTHOR houses are not supported"):
        controller.reset({"rooms": [], "walls": [], "objects": []})
    with pytest.raises(ValueError, match="Cannot convert to: ProceduralHouse"):
        controller.step("CreateHouse", house=7)


def test_create_house_needs_the_empty_scene(controller, example):
    controller.reset("FloorPlan28", gridSize=0.25)
    assert not controller.step("CreateHouse", house=example)
    assert "Procedural" in controller.last_event.metadata["errorMessage"]
    assert controller.last_event.metadata["sceneName"] == "FloorPlan28_physics"


def test_empty_scene_is_a_room(player):
    assert player.step("Reset", sceneName="Procedural")["lastActionSuccess"]
    assert player.step("Initialize", renderImage=False)["objects"] == []
    assert player.step("RotateRight")["lastActionSuccess"]
    assert list(panels(empty_scene()))


def test_scenes_from_the_environment(start_controller, monkeypatch):
    monkeypatch.chdir(DOCS)
    monkeypatch.setenv("MILO_SIM_SCENES", "examples")
    event = start_controller("examples/scene_minimal.json").last_event
    assert event.metadata["sceneName"] == "examples/scene_minimal.json"
