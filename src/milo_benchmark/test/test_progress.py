import io
import os

import pytest
from rich.console import Console

from milo_benchmark.episode import State
from milo_benchmark.progress import (
    ProgressDisplay,
    QuietConsole,
    episode_line,
    failure_words,
)


def test_the_line_names_what_matters_in_80_columns(make):
    record = make.record("milo-v1.1-fp301-t3a", scene="FloorPlan301", goal_success_strict=False)
    line = episode_line(record).plain
    words = "rule_based FloorPlan301 milo-v1.1-fp301-t3a GOAL_OK strict NO exec OK 12 ms"
    assert line.split() == words.split()
    assert len(line) <= 80


def test_a_failure_ends_with_its_cause_on_the_same_line(make):
    record = make.record(
        goal_success=False, execution_success=False, failure_cause="No valid\npositions"
    )
    text = episode_line(record).plain
    assert "GOAL_FAIL" in text
    assert "exec FAIL" in text
    assert text.endswith("No valid positions")
    assert "\n" not in text


def test_a_failure_can_be_explained(make):
    record = make.record(
        goal_success=False,
        failure_class="precondition",
        failure_detail="wrong_order",
        unmet_preconditions=["hand_empty"],
        blame="world_state",
        failure_cause="The hand is full.",
    )
    words = "precondition (wrong_order, hand_empty) by world_state"
    assert failure_words(record) == words
    assert episode_line(record, explain=True).plain.endswith(f"{words}; The hand is full.")
    assert words not in episode_line(record).plain


def test_without_a_failure_there_is_nothing_to_explain(make):
    assert failure_words(make.record()) == ""
    assert episode_line(make.record(), explain=True) == episode_line(make.record())


def test_an_unjudged_episode_says_so(make):
    record = make.record(
        goal_success=False, end_reason="engine_error", error_code=9000, failure_cause="Gone."
    )
    assert episode_line(record).plain.endswith("engine_error 9000: Gone.")


def test_without_a_terminal_there_is_one_plain_line_an_episode(make):
    out = io.StringIO()
    long = "x" * 300
    with ProgressDisplay(2, 0, Console(file=out, width=40)) as display:
        for number in range(2):
            display.begin(make.request())
            for state in State:
                display.state(state)
            display.end(make.record(f"t{number}", failure_cause=long))
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert all("\x1b" not in line and line.endswith(long) for line in lines)


def test_on_a_terminal_there_is_a_bar_with_state_and_count(make):
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True)
    with ProgressDisplay(54, 3, console) as display:
        display.begin(make.request())
        display.state(State.EXECUTE)
        display.end(make.record())
        display._progress.refresh()
    text = out.getvalue()
    assert "milo-v1-fp1-t1a EXECUTE" in text
    assert "4/54" in text
    assert "GOAL_OK" in text


def test_words_in_brackets_are_no_markup(make):
    out = io.StringIO()
    with ProgressDisplay(1, 0, Console(file=out)) as display:
        display.end(make.record(failure_cause="[book->drawer] no"))
    assert "[book->drawer] no" in out.getvalue()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_reader_that_went_away_does_not_end_the_run(make):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as file, ProgressDisplay(2, 0, QuietConsole(file=file)) as display:
        display.end(make.record("a"))
        display.end(make.record("b"))
