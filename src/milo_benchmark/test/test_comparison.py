import io
from pathlib import Path

import pytest
from rich.console import Console

from milo_benchmark.comparison import (
    Run,
    comparison_remarks,
    failure_counts,
    render_comparison,
    score_run,
)
from milo_benchmark.results import ResultFile


@pytest.fixture
def run(make):
    """Return a function: records and parameters -> a run."""

    def of(records, folder="here", task="fp1-t1a,fp1-t1b", **changes):
        manifest = make.manifest(task=task).model_copy(update=changes)
        return Run(Path(folder), manifest, ResultFile(tuple(records), 0, False))

    return of


@pytest.fixture
def two(make):
    return [
        make.record("a", spl=0.5, dispatched_count=4),
        make.record(
            "b",
            goal_success_strict=False,
            goal_conditions_strict=0.5,
            spl=None,
            side_effect_free=False,
            dispatched_count=1,
            failure_class="precondition",
            failure_detail="wrong_order",
        ),
    ]


def test_scores_of_a_run(two):
    scores = score_run(two)
    assert (scores.episodes, scores.goal, scores.strict) == (2, 1.0, 0.5)
    assert (scores.conditions, scores.spl) == (0.75, 0.5)
    assert (scores.side_effect_free, scores.actions) == (0.5, 2.5)
    # Wilson (1927) for 1 of 2, z = 1.96, computed by hand.
    assert scores.interval == pytest.approx((0.0945, 0.9055), abs=5e-4)


def test_what_was_never_measured_is_none(make):
    scores = score_run([make.record(side_effect_free=None)])
    assert (scores.spl, scores.side_effect_free) == (None, None)


def test_failures_are_counted_with_their_details(make, two):
    more = [make.record(str(n), failure_class="geometry") for n in range(3)]
    assert failure_counts(two + more) == "geometry 3, precondition 1 (wrong_order 1)"
    assert failure_counts([]) == ""


def test_the_table_has_a_row_a_run_in_80_columns(run, two):
    runs = [run(two, "first"), run(two, planner="behavior_tree", profile="strict"), run([])]
    console = Console(file=io.StringIO(), width=80)
    console.print(render_comparison(runs))
    lines = console.file.getvalue().splitlines()
    assert all(len(line) <= 80 for line in lines)
    row = "rule_based milo 2 100.0% 50.0% 9.5%-90.5% 0.75 0.50 50.0% 2.5"
    assert lines[1].split() == row.split()
    assert lines[3].split()[2:] == ["0", "-", "-", "0.0%-100.0%", "-", "-", "-", "-"]
    assert "rule_based milo: precondition 1 (wrong_order 1)  [first]" in lines


def test_equal_tasks_and_scenes_need_no_remarks(run, two):
    assert comparison_remarks([run(two), run(two, profile="strict")]) == []


def test_what_can_not_be_compared_is_said(make, run, two):
    elsewhere = [make.record("a", scene_digest="cd" * 32)]
    text = " ".join(comparison_remarks([run(two), run(elsewhere, task="fp1-t1a")]))
    assert "different tasks" in text
    assert "Scenes began differently (FloorPlan1)" in text


def test_other_players_and_missing_episodes_are_said(make, run, two):
    text = " ".join(comparison_remarks([run(two), run([make.record()], "part", player="unity")]))
    assert "different players" in text
    assert "part is not complete: 1 of 2 episodes are done." in text
