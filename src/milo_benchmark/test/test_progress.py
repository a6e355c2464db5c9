import io
import os

import pytest
from rich.console import Console

from milo_benchmark.episode import State
from milo_benchmark.progress import ProgressDisplay, QuietConsole, episode_line


def test_the_line_names_what_matters(make):
    words = episode_line(make.record()).plain.split()
    assert words == ["rule_based", "FloorPlan1", "a-fp1-t1a", "GOAL_OK", "exec", "OK", "12", "ms"]


def test_a_failure_ends_with_its_cause_on_the_same_line(make):
    record = make.record(
        goal_success=False, execution_success=False, failure_cause="No valid\npositions"
    )
    text = episode_line(record).plain
    assert "GOAL_FAIL" in text
    assert "exec FAIL" in text
    assert text.endswith("No valid positions")
    assert "\n" not in text


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
