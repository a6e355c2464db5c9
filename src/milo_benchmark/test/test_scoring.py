import pytest

from milo_benchmark.scoring import (
    count_steps,
    find_cause,
    goal_rule,
    goal_share,
    path_weighted_success,
)
from milo_core.tasks import SubGoal

E1 = "No valid positions to place object found"
E2 = (
    "InvalidOperationException: Agent hand has something in it already! "
    "Can't pick up anything else."
)
ONE = [SubGoal("store", "book", "drawer")]
TWO = [*ONE, SubGoal("store", "watch", "box")]


def failing(make, message, index=0, status="failed"):
    steps = [
        make.step(1, "locate"),
        make.step(2, "place", status=status, error_code=310, error_msg=message),
        make.step(3, "close", status="skipped"),
    ]
    return make.plan(steps, index, status="failed")


def passing(make, index=0):
    return make.plan([make.step(1)], index)


def test_counts_tell_dispatched_blocked_and_skipped_apart(make):
    plans = [failing(make, E1), failing(make, "no", index=1, status="blocked")]
    counts = count_steps(plans)
    assert (counts.planned, counts.dispatched, counts.succeeded) == (6, 3, 2)
    assert (counts.failed, counts.blocked, counts.skipped) == (1, 1, 2)


def test_one_goal_takes_the_first_message(make):
    cause = find_cause(ONE, [failing(make, E1)], [make.verdict(False)], "ignored")
    assert (cause.code, cause.text) == ("THOR_NO_VALID_PLACEMENT", E1)


def test_a_blocked_steps_message_counts(make):
    plan = failing(make, "the hand is full", status="blocked")
    assert find_cause(ONE, [plan], [make.verdict(False)], "").text == "the hand is full"


def test_an_invalid_plan_gives_its_errors(make):
    plan = make.plan([], status="invalid", errors=["no drawer", "no book"])
    assert find_cause(ONE, [plan], [make.verdict(False)], "").text == "no drawer; no book"


def test_an_invalid_plan_without_words(make):
    plan = make.plan([], status="invalid")
    assert find_cause(ONE, [plan], [make.verdict(False)], "").text == "planning failed"


@pytest.mark.parametrize(
    ("refusal", "text"), [("Unknown verb.", "Unknown verb."), ("", "planning failed")]
)
def test_no_plan_at_all(make, refusal, text):
    assert find_cause(ONE, [], [make.verdict(False)], refusal).text == text


def test_one_goal_that_is_false_after_a_clean_run_has_no_cause(make):
    cause = find_cause(ONE, [passing(make)], [make.verdict(False)], "")
    assert (cause.code, cause.text) == ("", None)


def test_success_has_no_cause(make):
    cause = find_cause(TWO, [passing(make), passing(make, 1)], [make.verdict()] * 2, "")
    assert (cause.code, cause.text) == ("", None)


def test_two_goals_are_named_each_and_the_first_gives_the_code(make):
    plans = [failing(make, E1), failing(make, E2, index=1)]
    cause = find_cause(TWO, plans, [make.verdict(False), make.verdict(None)], "")
    assert cause.code == "THOR_NO_VALID_PLACEMENT"
    assert cause.text == (
        f"[book->drawer] {E1}; [watch->box] {E2}; goal predicate failed live for: book, watch"
    )


def test_only_the_second_of_two_goals_fails(make):
    plans = [passing(make), failing(make, E2, index=1)]
    cause = find_cause(TWO, plans, [make.verdict(True), make.verdict(False)], "")
    assert cause.code == "THOR_HAND_ALREADY_FULL"
    assert cause.text == f"[watch->box] {E2}; goal predicate failed live for: watch"


def test_two_goals_undone_after_clean_runs(make):
    cause = find_cause(
        TWO, [passing(make), passing(make, 1)], [make.verdict(False), make.verdict()], ""
    )
    assert (cause.code, cause.text) == ("", "goal predicate failed live for: book")


def test_an_error_that_an_agent_recovered_from_is_no_cause(make):
    plans = [failing(make, E1), passing(make, 1)]
    outcomes = [make.goal_outcome()] * 2
    cause = find_cause(TWO, plans, [make.verdict()] * 2, "", outcomes)
    assert (cause.code, cause.text) == ("", None)


def test_an_agent_that_recovers_says_why_it_gave_up(make):
    text = f"There is no room: 2 instances were tried; last: {E1}"
    outcomes = [make.goal_outcome("abandoned", error_code=1011, error_msg=text)]
    cause = find_cause(ONE, [failing(make, E2)], [make.verdict(False)], "ignored", outcomes)
    assert (cause.code, cause.text) == ("THOR_NO_VALID_PLACEMENT", text)


def test_a_limit_ended_it_before_it_gave_up(make):
    outcomes = [make.goal_outcome("pending")]
    cause = find_cause(ONE, [failing(make, E2)], [make.verdict(False)], "Too slow.", outcomes)
    assert cause.text == "Too slow."


@pytest.mark.parametrize(
    ("verbs", "rule"),
    [
        (["find", "store"], "milo"),
        (["dance"], "milo"),
        (["find", "Turn_On "], "extended"),
        (["slice"], "extended"),
    ],
)
def test_the_published_rule_unless_it_has_no_predicate(verbs, rule):
    assert goal_rule([SubGoal(verb, "lamp") for verb in verbs]) == rule


def test_share_of_goals(make):
    assert goal_share(TWO, [make.verdict(True), make.verdict(None)]) == 0.5
    assert goal_share(TWO, []) == 0.0


@pytest.mark.parametrize(
    ("success", "shortest", "driven", "spl"),
    [
        (True, 3.0, 4.0, 0.75),
        (True, 3.0, 2.0, 1.0),
        (True, 0.0, 9.0, 1.0),
        (False, 0.0, 9.0, 0.0),
        (False, 3.0, 4.0, 0.0),
        (True, None, 4.0, None),
        (True, 3.0, None, None),
    ],
)
def test_success_is_weighted_by_path_length(success, shortest, driven, spl):
    assert path_weighted_success(success, shortest, driven) == spl
