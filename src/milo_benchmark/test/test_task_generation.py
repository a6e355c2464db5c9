import json

import pytest

from milo_benchmark import task_generation
from milo_benchmark.task_generation import (
    GenerationError,
    Order,
    SceneOrder,
    check_writable,
    fill_scene,
    generate,
    parse_order,
    quotas,
    refusal,
    to_bytes,
    write,
)
from milo_core.scenes import SCENES
from milo_core.task_candidates import Candidate, SceneOffer
from milo_core.tasks import SubGoal, load_tasks
from milo_sim_bridge.engine import Engine, EngineConfig

NO_TEXTS = {"n": "", "seed": "0", "name": "generated", "jobs": "1"}


@pytest.fixture(scope="module")
def engine():
    engine = Engine(EngineConfig(headless=True))
    yield engine
    engine.close()


def rows(name, scenes):
    return [task for task in load_tasks(name).tasks if task.scene in scenes]


# -- what is asked for ---------------------------------------------------------------------------


def test_defaults_are_one_task_a_scene_and_tier():
    order, jobs = parse_order([], [], NO_TEXTS)
    assert order == Order(SCENES, (1, 2, 3, 4, 5), 600, 0, "generated")
    assert jobs == 1


def test_lists_are_commas_or_repetition():
    order, _ = parse_order(
        ["FloorPlan12,FloorPlan1", "FloorPlan12"], ["4", "1,4"], {**NO_TEXTS, "n": "7"}
    )
    assert (order.scenes, order.tiers, order.count) == (("FloorPlan1", "FloorPlan12"), (1, 4), 7)


@pytest.mark.parametrize("count", [1, 4, 7, 10, 23])
def test_tasks_are_spread_over_scenes_and_tiers(count):
    order = Order(("FloorPlan1", "FloorPlan2", "FloorPlan3"), (1, 2, 3, 4, 5), count, 0, "x")
    wanted = quotas(order)
    sizes = [len(tiers) for tiers in wanted.values()]
    assert sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1
    for tiers in wanted.values():
        numbers = [tiers.count(tier) for tier in order.tiers]
        assert max(numbers) - min(numbers) <= 1


def test_more_than_the_alphabet_is_refused():
    with pytest.raises(GenerationError, match="use at most 26"):
        generate(Order(("FloorPlan1",), (1,), 27, 0, "x"))


# -- what is played ------------------------------------------------------------------------------


def test_a_candidate_that_can_be_done_passes(engine):
    assert refusal(engine, "FloorPlan301", Candidate(2, (SubGoal("pick_up", "cd"),))) == ""


def test_candidates_are_refused_with_a_reason(engine):
    too_large = Candidate(3, (SubGoal("store", "book", "drawer"),))
    assert refusal(engine, "FloorPlan201", too_large).startswith(
        ("There is no room", "The task used up")
    )
    half_done = Candidate(
        4, (SubGoal("store", "pillow", "sofa"), SubGoal("store", "laptop", "coffeetable"))
    )
    assert refusal(engine, "FloorPlan202", half_done) == "A sub-goal is true at the reset."


def fill(monkeypatch, quota, tries, passing):
    """Fill a scene where only some candidates pass."""
    monkeypatch.setattr(task_generation, "refusal", lambda _e, _s, c: "" if c in passing else "No.")
    counts = {"Apple": 1, "Egg": 2, "Cup": 1, "Fridge": 1}
    offer = SceneOffer("FloorPlan1", counts, {})
    order = Order(("FloorPlan1",), tuple(tries), len(quota), 0, "mine")
    return fill_scene(None, SceneOrder(offer, tuple(quota), tries, order))


def find(name):
    return Candidate(1, (SubGoal("find", name),))


def pick(name):
    return Candidate(2, (SubGoal("pick_up", name),))


def test_the_next_candidate_stands_in_for_one_that_fails(monkeypatch):
    tries = {1: (find("apple"), find("egg"))}
    report = fill(monkeypatch, [1], tries, {find("egg")})
    assert [task.object for task in report.tasks] == ["egg"]
    assert report.refused == [(find("apple"), "No.")]


def test_a_scene_uses_a_thing_again_only_if_there_is_no_other(monkeypatch):
    everything = {find("apple"), pick("apple"), pick("egg")}
    tries = {1: (find("apple"),), 2: (pick("apple"), pick("egg"))}
    report = fill(monkeypatch, [1, 2], tries, everything)
    assert [task.object for task in report.tasks] == ["apple", "egg"]
    report = fill(monkeypatch, [1, 2], tries, everything - {pick("egg")})
    assert [task.object for task in report.tasks] == ["apple", "apple"]


def test_another_tier_makes_up_for_one_without_candidates(monkeypatch):
    tries = {1: (find("apple"), find("egg"), find("cup")), 2: (pick("egg"),)}
    report = fill(monkeypatch, [1, 2], tries, {find("apple"), find("cup")})
    assert report.missing == 0
    assert [task.task_id for task in report.tasks] == ["mine-fp1-t1a", "mine-fp1-t1b"]
    assert [task.object for task in report.tasks] == ["apple", "cup"]


def test_what_can_not_be_made_up_for_is_missing(monkeypatch):
    report = fill(monkeypatch, [1, 2], {1: (find("apple"),), 2: (pick("egg"),)}, {find("apple")})
    assert (len(report.tasks), report.missing) == (1, 1)


def test_the_same_arguments_give_the_same_bytes():
    order, _ = parse_order(["FloorPlan401"], ["2", "5"], {**NO_TEXTS, "n": "3", "seed": "8"})
    first = to_bytes(generate(order))
    assert to_bytes(generate(order, jobs=2)) == first
    tasks = json.loads(first)
    assert [task["task_id"] for task in tasks] == [
        "generated-fp401-t2a",
        "generated-fp401-t2b",
        "generated-fp401-t5a",
    ]
    assert tasks[0]["object"] != tasks[1]["object"]


def test_milo_120_is_what_the_generator_makes():
    """Of two scenes whose first candidates all passed, so that better skills change nothing."""
    scenes = ("FloorPlan12", "FloorPlan310")
    order, _ = parse_order([",".join(scenes)], [], {**NO_TEXTS, "name": "milo-120"})
    reports = []
    assert generate(order, 1, reports.append) == rows("milo-120", scenes)
    assert [report.refused for report in reports] == [[], []]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_of_milo_120_is_what_the_generator_makes():
    order, _ = parse_order([], [], {**NO_TEXTS, "name": "milo-120"})
    assert generate(order, 2) == list(load_tasks("milo-120").tasks)


# -- what is written -----------------------------------------------------------------------------


def test_the_frozen_file_has_the_generators_format():
    from importlib import resources

    file = resources.files("milo_core") / "data/tasks/milo-120/tasks.json"
    assert to_bytes(load_tasks("milo-120").tasks) == file.read_bytes()


def test_a_file_is_written_or_refused(tmp_path):
    path = tmp_path / "tasks.json"
    check_writable(path)
    assert not path.exists()
    write(path, b"[]")
    check_writable(path)
    assert path.read_bytes() == b"[]"
    for bad in (tmp_path, tmp_path / "absent" / "tasks.json"):
        for refused in (lambda bad=bad: check_writable(bad), lambda bad=bad: write(bad, b"")):
            with pytest.raises(GenerationError, match=r"Can't write .* \(--out\): .*\."):
                refused()
