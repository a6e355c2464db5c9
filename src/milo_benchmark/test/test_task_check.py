import json

import pytest

from milo_benchmark.task_check import Scores, check_task, check_tasks, summary, write_report
from milo_core.tasks import Task, load_tasks
from milo_sim_bridge.engine import Engine, EngineConfig


@pytest.fixture(scope="module")
def checks():
    """Of MILO Benchmark v1.1 but for a task that takes as long as all others together."""
    tasks = [task for task in load_tasks("1.1") if task.task_id != "milo-v1-fp301-t3a"]
    return {check.task_id: check for check in check_tasks(tasks)}


def test_noop_solves_what_only_has_to_exist_and_nothing_by_the_strict_rule(checks):
    assert sum(check.noop.milo for check in checks.values()) == 18
    assert {check.tier for check in checks.values() if check.noop.milo} == {1}
    assert not any(check.noop.strict for check in checks.values())


def test_the_oracle_solves_all_that_there_is_room_for(checks):
    failed = {check.task_id: check.oracle_failure for check in checks.values() if not check.sound}
    assert failed == {"milo-v1.1-fp201-t4a": "NO_ROOM (geometry)"}
    assert not any(check.oracle_side_effects for check in checks.values())


def test_more_than_half_of_the_store_targets_are_ambiguous(checks):
    assert sum(check.targets for check in checks.values()) == 26
    assert sum(check.ambiguous_targets for check in checks.values()) == 14
    assert checks["milo-v1-fp5-t3a"].instances == {"cabinet": 20}
    assert checks["milo-v1-fp401-t2b"].instances == {"toiletpaper": 2}


def test_sub_goals_that_are_true_at_the_reset(checks):
    beyond_tier_1 = {
        check.task_id: (check.true_at_reset_milo, check.true_at_reset_strict)
        for check in checks.values()
        if check.tier > 1 and any((*check.true_at_reset_milo, *check.true_at_reset_strict))
    }
    first, second = ((True, False),) * 2, ((False, True),) * 2
    assert beyond_tier_1 == {
        "milo-v1.1-fp202-t4a": first,
        "milo-v1.1-fp402-t4a": second,
        "milo-v1.1-fp203-t4a": second,
        "milo-v1.1-fp401-t4a": first,
        "milo-v1.1-fp1-t4a": ((False, False), (True, True)),
    }


def test_lines_and_summary_name_what_was_found(checks):
    line = checks["milo-v1.1-fp202-t4a"].line()
    assert line.startswith("ok   milo-v1.1-fp202-t4a  store pillow sofa; store laptop coffeetable;")
    assert "true at reset (MILO): sub-goal 1" in line
    line = checks["milo-v1.1-fp201-t4a"].line()
    assert line.startswith("FAIL milo-v1.1-fp201-t4a ")
    assert "oracle fails: NO_ROOM (geometry): There is no room" in line
    assert "2 x drawer" in line
    lines = "\n".join(summary(list(checks.values())))
    for part in (
        "oracle: strict 52/53",
        "noop:   strict 0/53, MILO rule 18/53",
        "14 of 26",
        "not sound: milo-v1.1-fp201-t4a; 1 NO_ROOM (geometry)",
    ):
        assert part in lines


def test_a_report_is_a_line_of_json_a_task(checks, tmp_path):
    path = tmp_path / "report.json"
    write_report(path, list(checks.values()))
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["task_id"] for row in found] == list(checks)
    assert found[0]["noop"] == {"milo": True, "strict": False}
    assert found[0]["sound"] is True


def test_a_switch_has_no_predicate_in_the_published_rule():
    task = Task.model_validate(
        {
            "task_id": "mine-fp1-t5a",
            "scene": "FloorPlan1",
            "room_type": "kitchen",
            "difficulty_tier": "tier5_state",
            "instruction": "Switch the toaster on.",
            "goal": "turn_on",
            "object": "toaster",
        }
    )
    engine = Engine(EngineConfig(headless=True))
    try:
        check = check_task(engine, task)
    finally:
        engine.close()
    assert check.sound
    assert check.true_at_reset_milo == (None,)
    assert (check.oracle, check.noop) == (Scores(False, True), Scores(False, False))
    assert "the MILO rule has no verdict" in check.line()


@pytest.mark.slow
def test_the_audit_of_the_whole_v11():
    lines = "\n".join(summary(check_tasks(load_tasks("1.1").tasks)))
    for part in (
        "oracle: strict 52/54",
        "noop:   strict 0/54, MILO rule 18/54",
        "15 of 27",
        "not sound: milo-v1-fp301-t3a, milo-v1.1-fp201-t4a; 2 NO_ROOM (geometry)",
    ):
        assert part in lines


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_milo_120_is_sound():
    checks = check_tasks(load_tasks("milo-120").tasks)
    assert [check.task_id for check in checks if not check.sound] == []
    assert {check.tier for check in checks if check.noop.milo} == {1}
    assert sum(check.noop.milo for check in checks) == 120
    assert not any(check.oracle_side_effects for check in checks)
