import copy
import json
from collections import Counter

import pytest

from milo_core import tasks as tasks_module
from milo_core.object_types import OBJECT_TYPES, to_object_type
from milo_core.tasks import (
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
    with pytest.raises(TaskSetError, match=r"no dataset version '2.0'; use 1.0 or 1.1"):
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
    assert len(tasks.select()) == 54
    assert len(tasks.select(tiers=[3, 4])) == 18
    assert len(tasks.select(scenes=["FloorPlan301_physics"], tiers=[1])) == 2
    assert [t.task_id for t in tasks.select(task_ids=["fp301-t3a"])] == ["milo-v1-fp301-t3a"]
    for kwargs, expected in [
        ({"tiers": [5]}, "no tier 5"),
        ({"scenes": ["FloorPlan999"]}, "no iTHOR scene"),
        ({"scenes": ["FloorPlan2"]}, "no task in FloorPlan2"),
        ({"tiers": [1], "task_ids": ["fp301-t3a"]}, "meets all conditions"),
    ]:
        with pytest.raises(TaskSetError, match=expected):
            tasks.select(**kwargs)
