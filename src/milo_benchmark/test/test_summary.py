import io

import pytest
from rich.console import Console

from milo_benchmark.summary import remarks, render, summarize


@pytest.fixture
def records(make):
    """The published outcome of rule_based on v1.1: 18/18, 18/18, 7/9, 7/9."""
    counts = {
        "tier1_locate": (18, 18),
        "tier2_pickup": (18, 18),
        "tier3_store": (7, 9),
        "tier4_multi_step": (7, 9),
    }
    return [
        make.record(
            f"{tier}-{n}", difficulty_tier=tier, goal_success=n < won, execution_success=n < won
        )
        for tier, (won, total) in counts.items()
        for n in range(total)
    ]


def test_rows_by_tier_and_in_all(records):
    rows = summarize(records)
    assert [row.name for row in rows] == [
        "tier1_locate",
        "tier2_pickup",
        "tier3_store",
        "tier4_multi_step",
        "all",
    ]
    assert [(row.goal_successes, row.episodes) for row in rows] == [
        (18, 18),
        (18, 18),
        (7, 9),
        (7, 9),
        (50, 54),
    ]
    assert rows[-1].rate == pytest.approx(50 / 54)
    assert rows[-1].mean_ms == 12.5


def test_wilson_interval_of_50_of_54(records):
    # Wilson (1927): centre (p + z^2/2n) / (1 + z^2/n), computed by hand for p = 50/54, z = 1.96.
    low, high = summarize(records)[-1].interval
    assert low == pytest.approx(0.8245, abs=5e-4)
    assert high == pytest.approx(0.9708, abs=5e-4)


def test_tiers_that_were_not_played_have_no_row(make):
    assert [row.name for row in summarize([make.record()])] == ["tier1_locate", "all"]


def test_nothing_played():
    rows = summarize([])
    assert [(row.name, row.episodes, row.rate) for row in rows] == [("all", 0, 0.0)]


def test_a_clean_run_needs_no_remarks(records):
    assert remarks(records, 54) == []


def test_remarks_tell_what_the_numbers_hide(make):
    records = [
        make.record("a", end_reason="engine_error", error_code=9000, goal_success=False),
        make.record("b", versions_digest="other"),
        make.record("a", repeat=1),
    ]
    text = " ".join(remarks(records, 4))
    assert "3 of 4 episodes" in text
    assert "1 episode(s) ended with engine_error" in text
    assert "Repeats are counted" in text
    assert "different versions" in text


def test_the_table_shows_successes_rate_and_interval(records):
    console = Console(file=io.StringIO(), width=80)
    console.print(render(records, "rule_based", 54))
    text = console.file.getvalue()
    assert "tier4_multi_step" in text
    line = next(line for line in text.splitlines() if line.split()[:1] == ["all"])
    assert "50/54" in line
    assert "92.6%" in line
    assert "82.4%-97.1%" in line


def columns(records):
    console = Console(file=io.StringIO(), width=80)
    console.print(render(records, "title"))
    text = console.file.getvalue()
    lines = [line for line in text.splitlines() if line.strip()]
    assert all(len(line) <= 80 for line in lines)
    assert "…" not in text
    return lines[1].split(), lines[-1].split()


def test_the_rule_of_the_profile_comes_first_and_has_the_interval(make):
    changes = [
        {"goal_success": True, "goal_success_strict": False},
        {"goal_success": True, "goal_success_strict": True},
        {"goal_success": True, "goal_success_strict": False},
    ]

    slow = make.record().time.model_copy(update={"wall_clock_ms": 123456.0})

    def records(profile):
        values = {"profile": profile, "time": slow, "difficulty_tier": "tier4_multi_step"}
        return [make.record(f"t{i}", **values, **c) for i, c in enumerate(changes)]

    head, row = columns(records("milo"))
    assert (head[1:3], head[-4:]) == (["goal", "rate"], ["strict", "exec", "plan", "ms"])
    assert (row[1:3], row[4]) == (["3/3", "100.0%"], "1/3")
    head, row = columns(records("strict"))
    assert (head[1:3], head[-4:]) == (["strict", "rate"], ["goal", "exec", "plan", "ms"])
    assert (row[1:3], row[4]) == (["1/3", "33.3%"], "3/3")
