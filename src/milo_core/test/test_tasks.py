import copy
import json
from collections import Counter

import pytest

from milo_core import tasks as tasks_module
from milo_core.object_types import OBJECT_TYPES, to_object_type
from milo_core.scenes import ROOM_RANGES, SCENES, SPLITS
from milo_core.tasks import (
    STATE_GOALS,
    TIER_NUMBERS,
    SubGoal,
    TaskSetError,
    load_task_file,
    load_tasks,
    parse_tasks,
)


@pytest.fixture(scope="module")
def rows():
    flat = {
        "task_id": "milo-v1-fp1-t3a",
        "scene": "FloorPlan1",
        "room_type": "kitchen",
        "difficulty_tier": "tier3_store",
        "instruction": "Put the bread away in the fridge.",
        "goal": "store",
        "object": "bread",
        "target": "fridge",
        "subtasks": None,
        "notes": "",
    }
    multi = {
        "task_id": "milo-v1.1-fp301-t4a",
        "scene": "FloorPlan301",
        "room_type": "bedroom",
        "difficulty_tier": "tier4_multi_step",
        "instruction": "Put the pen in the drawer and the watch in the box.",
        "goal": None,
        "object": None,
        "target": None,
        "subtasks": [
            {"goal": "store", "object": "pen", "target": "drawer"},
            {"goal": "store", "object": "watch", "target": "box"},
        ],
        "notes": "",
    }
    return [flat, multi]


@pytest.fixture
def state_row(rows):
    changes = {
        "task_id": "mine-fp1-t5a",
        "difficulty_tier": "tier5_state",
        "instruction": "Switch the toaster on.",
        "goal": "turn_on",
        "object": "toaster",
        "target": None,
    }
    return {**rows[0], **changes}


def test_state_tasks_are_tier_5(state_row):
    task = parse([state_row]).tasks[0]
    assert task.tier == 5
    assert task.sub_goals() == (SubGoal("turn_on", "toaster"),)
    for goal, name in (("open", "fridge"), ("close", "box"), ("turn_off", "light switch")):
        parse([{**state_row, "goal": goal, "object": name}])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            {"goal": "slice"},
            "'goal': must be 'open' or 'close' or 'turn_on' or 'turn_off' in tier5",
        ),
        ({"goal": None}, "'goal': is missing"),
        ({"object": None}, "'object': is missing, tier5_state needs one"),
        ({"target": "fridge"}, "'target': must be null in tier5_state"),
        ({"object": "mug"}, "'object': a mug can't be switched on and off"),
        ({"goal": "open", "object": "sofa"}, "'object': a sofa can't be opened and closed"),
        ({"subtasks": []}, "'subtasks': must be null in tier5_state"),
        ({"task_id": "mine-fp1-t3a"}, "'task_id': says fp1 and t3"),
        ({"difficulty_tier": "tier3_store"}, "'goal': must be 'store' in tier3_store"),
    ],
)
def test_faults_of_state_tasks_are_named(state_row, change, expected):
    with pytest.raises(TaskSetError) as caught:
        parse([{**state_row, **change}])
    assert expected in str(caught.value)


def parse(rows):
    return parse_tasks(json.dumps(rows).encode(), "my_tasks.json")


def test_versions_have_the_published_counts():
    v10, v11 = load_tasks("1.0"), load_tasks("1.1")
    assert len(v10) == 25
    assert len(v11) == 54
    assert Counter(t.tier for t in v10) == {1: 10, 2: 10, 3: 5}
    assert Counter(t.tier for t in v11) == {1: 18, 2: 18, 3: 9, 4: 9}
    per_scene = Counter(t.scene for t in v11)
    assert len(per_scene) == 9
    assert set(per_scene.values()) == {6}


def test_every_v10_task_is_in_v11_unchanged_but_for_notes():
    v10, v11 = load_tasks("1.0").tasks, load_tasks("1.1").tasks
    for old, new in zip(v10, v11, strict=False):
        assert old.model_dump(exclude={"notes"}) == new.model_dump(exclude={"notes"})
    changed = {o.task_id for o, n in zip(v10, v11, strict=False) if o.notes != n.notes}
    assert changed == {"milo-v1-fp301-t3a", "milo-v1-fp401-t3a"}


def test_objects_can_be_carried_and_targets_hold_things():
    for task in load_tasks():
        for goal in task.sub_goals():
            if task.tier > 1:
                assert OBJECT_TYPES[to_object_type(goal.object)].pickupable
            if goal.target:
                assert OBJECT_TYPES[to_object_type(goal.target)].receptacle


@pytest.fixture(scope="module")
def milo_120():
    return load_tasks("milo-120")


def test_milo_120_has_one_task_a_scene_and_tier(milo_120):
    assert len(milo_120) == 600
    assert Counter((t.scene, t.tier) for t in milo_120) == Counter(
        (scene, tier) for scene in SCENES for tier in TIER_NUMBERS
    )
    assert Counter(t.room_type for t in milo_120) == dict.fromkeys(ROOM_RANGES, 150)
    counts = {split: len(milo_120.select(split=split)) for split in SPLITS}
    assert counts == {"train": 400, "val": 100, "test": 100}


def test_milo_120_is_varied(milo_120):
    goals = [goal for task in milo_120 for goal in task.sub_goals()]
    assert {goal.goal for goal in goals} == {"find", "pick_up", "store", *STATE_GOALS}
    assert len({goal.object for goal in goals}) >= 95
    assert len({goal.target for goal in goals if goal.target}) >= 30
    # No triple comes twice in a scene, and none is all over the place.
    assert max(Counter((t.scene, g) for t in milo_120 for g in t.sub_goals()).values()) == 1
    assert max(Counter(goals).values()) <= 12
    assert len({task.instruction for task in milo_120}) >= 570


def test_milo_120_repeats_no_sentence_of_the_published_dataset(milo_120):
    published = {task.instruction for task in load_tasks("1.1")}
    assert not published & {task.instruction for task in milo_120}


def test_sub_goals_keep_their_order():
    assert load_tasks().find("fp301-t4a").sub_goals() == (
        SubGoal("store", "pen", "drawer"),
        SubGoal("store", "watch", "box"),
    )
    assert load_tasks().find("milo-v1-fp1-t1a").sub_goals() == (SubGoal("find", "mug"),)


def test_round_trip_is_lossless():
    source = json.loads(
        (tasks_module.resources.files("milo_core") / "data/tasks/v1.1/tasks.json").read_text()
    )
    assert [t.model_dump() for t in load_tasks("1.1")] == source


def test_valid_rows_parse(rows):
    assert [t.tier for t in parse(rows)] == [3, 4]


FAULTS = {
    "scene": (0, {"scene": "FloorPlan99"}, "row 1 .*field 'scene'.*FloorPlanN"),
    "room": (0, {"room_type": "bedroom"}, "row 1 .*field 'room_type'.*is a kitchen"),
    "room name": (0, {"room_type": "attic"}, "row 1 .*field 'room_type'"),
    "verb": (0, {"goal": "juggle"}, "row 1 .*field 'goal'.*'store'.*'juggle'"),
    "verb of another tier": (0, {"goal": "find"}, "row 1 .*field 'goal'"),
    "object type": (0, {"object": "unicorn"}, "row 1 .*field 'object'.*no AI2-THOR object type"),
    "not pickupable": (0, {"object": "sofa"}, "row 1 .*field 'object'.*can't be picked up"),
    "not a receptacle": (0, {"target": "apple"}, "row 1 .*field 'target'.*no receptacle"),
    "tier": (0, {"difficulty_tier": "tier9"}, "row 1 .*field 'difficulty_tier'"),
    "tier against id": (0, {"task_id": "milo-v1-fp1-t2a"}, "row 1 .*field 'task_id'.*t2"),
    "scene against id": (0, {"task_id": "milo-v1-fp5-t3a"}, "row 1 .*field 'task_id'.*fp5"),
    "target missing": (0, {"target": None}, "row 1 .*field 'target'.*missing"),
    "wrong JSON type": (0, {"instruction": 7}, "row 1 .*field 'instruction'.*string"),
    "empty text": (0, {"object": ""}, "row 1 .*field 'object'"),
    "unknown field": (0, {"colour": "red"}, "row 1 .*field 'colour'.*unknown"),
    "subtasks in tier 3": (0, {"subtasks": []}, "row 1 .*field 'subtasks'.*null"),
    "goal in tier 4": (1, {"goal": "store"}, "row 2 .*field 'goal'.*null in tier 4"),
    "subtasks missing": (1, {"subtasks": None}, "row 2 .*field 'subtasks'.*two"),
    "subtask verb": (
        1,
        {"subtasks": [{"goal": "find", "object": "pen", "target": "drawer"}] * 2},
        r"row 2 .*field 'subtasks\.0\.goal'",
    ),
    "same object twice": (
        1,
        {"subtasks": [{"goal": "store", "object": "pen", "target": "drawer"}] * 2},
        r"row 2 .*field 'subtasks\.1\.object'.*differ",
    ),
    "duplicate id": (1, {"task_id": "milo-v1-fp1-t3a"}, "field 'task_id'.*also the id of row 1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_named_with_file_row_and_field(rows, fault):
    index, change, expected = FAULTS[fault]
    broken = copy.deepcopy(rows)
    broken[index].update(change)
    with pytest.raises(TaskSetError, match=expected) as caught:
        parse(broken)
    assert str(caught.value).startswith("my_tasks.json: ")


def test_a_missing_field_is_named(rows):
    broken = copy.deepcopy(rows)
    del broken[1]["scene"]
    with pytest.raises(TaskSetError, match=r"row 2 \(milo-v1.1-fp301-t4a\), field 'scene': is mis"):
        parse(broken)


def test_all_faults_are_reported_at_once(rows):
    broken = copy.deepcopy(rows)
    broken[0]["object"] = "unicorn"
    broken[1]["scene"] = "Mars"
    with pytest.raises(TaskSetError) as caught:
        parse(broken)
    assert "row 1" in str(caught.value)
    assert "row 2" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "not valid JSON.*truncated"),
        (b'[{"task_id": "milo', "not valid JSON.*line 1, column"),
        (b"{}", "non-empty JSON array"),
        (b"[]", "non-empty JSON array"),
        (b"[3]", "row 1, field 'row': must be an object"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_malformed_files_are_refused(data, expected):
    with pytest.raises(TaskSetError, match=expected):
        parse_tasks(data, "broken.json")


def test_every_truncation_of_a_valid_file_is_refused(rows):
    data = json.dumps(rows).encode()
    for end in range(0, len(data), 17):
        with pytest.raises(TaskSetError):
            parse_tasks(data[:end], "cut.json")


def test_unreadable_file(tmp_path):
    with pytest.raises(TaskSetError, match=r"Can't read the task file .*No such file"):
        load_task_file(tmp_path / "absent.json")


def test_unknown_version():
    with pytest.raises(TaskSetError, match=r"no dataset version '2.0'; use 1.0, 1.1, milo-120"):
        load_tasks("2.0")


def test_changed_bytes_of_a_shipped_version_are_noticed(monkeypatch):
    monkeypatch.setitem(tasks_module.VERSION_DIGESTS, "1.0", "0" * 64)
    with pytest.raises(TaskSetError, match=r"differs from the published dataset 1.0"):
        load_tasks("1.0")


def test_find_by_full_id_and_by_unique_ending():
    tasks = load_tasks()
    assert tasks.find("fp301-t3a").task_id == "milo-v1-fp301-t3a"
    assert tasks.find("milo-v1-fp301-t3a").task_id == "milo-v1-fp301-t3a"
    with pytest.raises(TaskSetError, match="ending of several tasks"):
        tasks.find("t3a")
    with pytest.raises(TaskSetError, match=r"No task of 1\.1 is called 'fp9-t9z'"):
        tasks.find("fp9-t9z")


def test_select():
    tasks = load_tasks()
    assert len(tasks.select()) == len(tasks.select(split="train")) == 54
    assert len(tasks.select(tiers=[3, 4])) == 18
    assert len(tasks.select(scenes=["FloorPlan301_physics"], tiers=[1])) == 2
    assert [t.task_id for t in tasks.select(task_ids=["fp301-t3a"])] == ["milo-v1-fp301-t3a"]
    for kwargs, expected in [
        ({"tiers": [6]}, "no tier 6; use 1, 2, 3, 4 or 5"),
        ({"tiers": [5]}, "meets all conditions"),
        ({"split": "exam"}, "no split 'exam'; use train, val, test"),
        ({"split": "val"}, "meets all conditions"),
        ({"scenes": ["FloorPlan999"]}, "no iTHOR scene"),
        ({"scenes": ["FloorPlan2"]}, "no task in FloorPlan2"),
        ({"tiers": [1], "task_ids": ["fp301-t3a"]}, "meets all conditions"),
    ]:
        with pytest.raises(TaskSetError, match=expected):
            tasks.select(**kwargs)
