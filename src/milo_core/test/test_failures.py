import pytest

from milo_core.actions import ACTIONS
from milo_core.error_codes import (
    CODES_OF_ACTION,
    EngineError,
    NavigateToError,
    PickError,
    PlaceError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.failures import (
    CLASS_OF_CODE,
    CONDITION_OF_CODE,
    Blame,
    EpisodeFacts,
    Failure,
    FailureClass,
    FailureDetail,
    GoalFacts,
    StepFacts,
    StepTruth,
    UnmetCondition,
    classify,
)

STORE = GoalFacts("store", False)
DONE = GoalFacts("store", True)
RIGHT = StepTruth()
"""Truth: nothing speaks against the step."""


def step(code, action="pickup", status="failed", sub_goal=0, **values):
    return StepFacts(sub_goal, action, status, int(code), **values)


def unmet(name, **values):
    return StepTruth((UnmetCondition(name, **values),))


def failure(*steps, goals=(STORE,), **values):
    return classify(EpisodeFacts(False, goals=tuple(goals), steps=steps, **values))


def test_every_code_has_a_class():
    codes = {int(c) for codes in (*CODES_OF_ACTION.values(), EngineError) for c in list(codes)}
    assert set(CLASS_OF_CODE) == codes


def test_conditions_of_codes_are_those_of_the_action():
    of_skill = {}
    for action in ACTIONS.values():
        names = {c.name for c in action.conditions("physical")}
        of_skill.setdefault(action.skill, set()).update(names)
    for code, name in CONDITION_OF_CODE.items():
        skill = next(s for s, codes in CODES_OF_ACTION.items() if code in set(codes))
        assert name in of_skill[skill], code


def test_success_has_no_class():
    facts = EpisodeFacts(True, steps=(step(PickError.HAND_FULL),))
    assert classify(facts) == Failure()


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (EngineError.ENGINE_DIED, "engine"),
        (EngineError.STAGE_TIMEOUT, "timeout"),
        (EngineError.NODE_UNAVAILABLE, "harness"),
        (RunTaskError.WORLD_STATE_STALE, "harness"),
        (77, "harness"),
    ],
)
def test_what_is_not_the_agents_comes_first(code, word):
    assert failure(step(PickError.HAND_FULL), error_code=code) == Failure(FailureClass(word))


def test_a_canceled_episode_is_the_harness():
    assert failure(canceled=True).failure_class is FailureClass.HARNESS


@pytest.mark.parametrize(
    ("code", "word", "blame"),
    [
        (RunTaskError.TIME_LIMIT, "timeout", None),
        (RunTaskError.STEP_LIMIT, "planning", Blame.PLAN),
        (RunTaskError.UNSUPPORTED_GOAL, "planning", Blame.PLAN),
        (RunTaskError.UNKNOWN_OBJECT_TYPE, "grounding", Blame.PLAN),
    ],
)
def test_what_ended_the_task_outweighs_its_steps(code, word, blame):
    found = failure(step(PickError.HAND_FULL, truth=RIGHT), task_code=code)
    assert (found.failure_class, found.blame) == (FailureClass(word), blame)


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (PlaceError.NO_VALID_PLACEMENT, "geometry"),
        (NavigateToError.UNREACHABLE, "geometry"),
        (PickError.NOT_VISIBLE, "geometry"),
        (PickError.UNKNOWN, "engine"),
        (PickError.NO_EFFECT, "engine"),
        (PickError.HAND_FULL, "precondition"),
        (RunTaskError.PRECONDITION_FAILED, "precondition"),
        (PickError.INVALID_GOAL, "harness"),
    ],
)
def test_a_failed_step_gives_its_class(code, word):
    assert failure(step(code, truth=RIGHT)).failure_class is FailureClass(word)


def test_a_refusal_that_neither_beliefs_nor_truth_foresaw_is_execution():
    found = failure(step(PlaceError.NO_VALID_PLACEMENT, "place", truth=RIGHT))
    assert found == Failure(FailureClass.GEOMETRY, blame=Blame.EXECUTION)


def test_a_belief_that_was_wrong_is_the_world_states():
    truth = unmet("hand_empty", held_earlier=True)
    found = failure(step(PickError.HAND_FULL, truth=truth))
    assert found == Failure(
        FailureClass.PRECONDITION, FailureDetail.WRONG_ORDER, ("hand_empty",), Blame.WORLD_STATE
    )


def test_believing_a_hindrance_that_is_none_is_the_world_states_too():
    code = RunTaskError.PRECONDITION_FAILED
    blocked = step(code, status="blocked", believed_unmet=("hand_empty",), truth=RIGHT)
    found = failure(blocked)
    assert (found.unmet, found.blame) == (("hand_empty",), Blame.WORLD_STATE)


def test_a_step_that_the_agent_itself_saw_to_be_impossible_is_the_plans():
    code = RunTaskError.PRECONDITION_FAILED
    truth = unmet("container_ready")
    blocked = step(
        code, "place", status="blocked", believed_unmet=("container_ready",), truth=truth
    )
    assert failure(blocked) == Failure(
        FailureClass.PRECONDITION,
        FailureDetail.MISSING_STEP,
        ("container_ready",),
        Blame.PLAN,
    )


def test_a_condition_outside_the_agents_rules_is_no_wrong_belief():
    truth = unmet("is_openable", affordance=True, modelled=False)
    found = failure(step(SetOpenError.NOT_OPENABLE, "open", truth=truth))
    assert (found.detail, found.blame) == (FailureDetail.AFFORDANCE, Blame.PLAN)


@pytest.mark.parametrize(
    ("code", "truth", "detail"),
    [
        (PickError.HAND_FULL, unmet("hand_empty"), "missing_step"),
        (PickError.HAND_FULL, unmet("hand_empty", held_earlier=True), "wrong_order"),
        (PickError.HAND_FULL, StepTruth(unmet("hand_empty").unmet, True), "additional_step"),
        (PickError.NOT_PICKUPABLE, unmet("is_pickupable", affordance=True), "affordance"),
        (PlaceError.TYPE_NOT_ALLOWED, RIGHT, "affordance"),
        (SetToggledError.ALREADY_IN_STATE, RIGHT, "additional_step"),
        (SliceError.ALREADY_SLICED, None, "additional_step"),
        (SetToggledError.BROKEN, None, "affordance"),
        (PickError.CONTAINER_CLOSED, None, None),
    ],
)
def test_details_of_precondition_failures(code, truth, detail):
    assert failure(step(code, truth=truth)).detail == detail


def test_the_first_unmet_condition_decides_about_order():
    first = UnmetCondition("target_near")
    second = UnmetCondition("hand_empty", held_earlier=True)
    found = failure(step(PickError.HAND_FULL, truth=StepTruth((first, second))))
    assert found.detail is FailureDetail.MISSING_STEP


def test_without_truth_nobody_is_blamed():
    found = failure(step(PickError.CONTAINER_CLOSED))
    assert (found.unmet, found.blame) == (("not_enclosed",), None)


@pytest.mark.parametrize(("exists", "blame"), [(True, "world_state"), (False, "plan")])
def test_a_name_without_instance_is_grounding(exists, blame):
    blocked = step(PickError.OBJECT_NOT_FOUND, status="blocked", truth=StepTruth(exists=exists))
    assert failure(blocked) == Failure(FailureClass.GROUNDING, blame=Blame(blame))


@pytest.mark.parametrize(
    ("exists", "blame"), [(True, Blame.WORLD_STATE), (False, Blame.PLAN), (None, None)]
)
def test_a_goal_given_up_for_lack_of_an_instance(exists, blame):
    code = next(code for code in RunTaskError if code.name == "NO_INSTANCE")
    found = failure(goals=(GoalFacts("find", False, code, exists=exists),))
    assert found == Failure(FailureClass.GROUNDING, blame=blame)


def test_the_first_goal_that_is_not_true_decides():
    first = step(PickError.NOT_VISIBLE, sub_goal=0, truth=RIGHT)
    second = step(PickError.HAND_FULL, sub_goal=1, truth=RIGHT)
    assert failure(first, second, goals=(DONE, STORE)).failure_class is FailureClass.PRECONDITION
    assert failure(first, second, goals=(STORE, STORE)).failure_class is FailureClass.GEOMETRY


def test_what_a_goal_was_abandoned_for_outweighs_later_failures():
    steps = (
        step(PlaceError.NO_VALID_PLACEMENT, "place", truth=RIGHT),
        step(PickError.HAND_FULL, truth=unmet("hand_empty")),
    )
    abandoned = GoalFacts("store", False, RunTaskError.NO_ROOM)
    found = failure(*steps, goals=(abandoned,))
    assert found == Failure(FailureClass.GEOMETRY, blame=Blame.EXECUTION)
    assert failure(goals=(abandoned,)) == Failure(FailureClass.GEOMETRY)


def test_steps_know_better_why_nothing_could_be_reached():
    abandoned = GoalFacts("pick_up", False, RunTaskError.UNREACHABLE)
    found = failure(step(PickError.NOT_PICKUPABLE, truth=RIGHT), goals=(abandoned,))
    assert (found.failure_class, found.detail) == ("precondition", "affordance")


def test_an_abandonment_without_a_reason_leaves_it_to_the_steps():
    abandoned = GoalFacts("store", False, RunTaskError.EXECUTION_FAILED)
    found = failure(step(PickError.HAND_FULL, truth=RIGHT), goals=(abandoned,))
    assert found.failure_class is FailureClass.PRECONDITION


def test_a_plan_that_worked_and_reached_nothing_is_planning():
    done = step(0, status="succeeded")
    expected = Failure(FailureClass.PLANNING, blame=Blame.PLAN)
    assert failure(done) == expected
    assert failure() == expected
    assert failure(done, goals=(DONE,)) == expected  # say, the hand is not empty


def test_finding_without_seeing_is_perception():
    find = GoalFacts("find", False)
    done = step(0, "locate", "succeeded")
    expected = Failure(FailureClass.PERCEPTION, blame=Blame.WORLD_STATE)
    assert failure(done, goals=(find,)) == expected
    assert failure(goals=(find,)).failure_class is FailureClass.PLANNING
    invalid = GoalFacts("find", False, plan_invalid=True)
    assert failure(done, goals=(invalid,)).failure_class is FailureClass.PLANNING


def test_every_class_detail_and_blame_is_produced():
    """The tests above and these three lists are about the same words."""
    assert {str(c) for c in FailureClass} == {
        "perception",
        "grounding",
        "planning",
        "precondition",
        "geometry",
        "engine",
        "timeout",
        "harness",
    }
    assert {str(d) for d in FailureDetail} == {
        "missing_step",
        "wrong_order",
        "additional_step",
        "affordance",
    }
    assert {str(b) for b in Blame} == {"world_state", "plan", "execution"}
