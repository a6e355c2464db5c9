import pytest

pytest.importorskip("milo_msgs.msg", reason="milo_msgs is not built")

from milo_benchmark.conversions import episode_result, evaluation, task_outcome
from milo_msgs.action import RunTask
from milo_msgs.msg import EpisodeResult, GoalVerdict, Plan, PlanStep, SubGoal
from milo_msgs.srv import EvaluateGoal


def result():
    steps = [
        PlanStep(step_id=1, action="locate", object="book", status=PlanStep.SUCCEEDED),
        PlanStep(
            step_id=2,
            action="place",
            object="book",
            receptacle="drawer",
            object_id="Book|1",
            receptacle_id="Drawer|2",
            status=PlanStep.FAILED,
            error_code=310,
            error_msg="No valid positions",
            note="said so",
            forced=True,
            engine_step=42,
            duration=0.25,
        ),
        PlanStep(step_id=3, action="close", status=PlanStep.SKIPPED),
    ]
    plan = Plan(
        sub_goal=SubGoal(goal="store", object="book", target="drawer"),
        planner="rule_based",
        status=Plan.FAILED,
        steps=steps,
        planning_time=0.5,
    )
    return RunTask.Result(plans=[plan], plan_success=True, step=43, error_code=1005)


def test_the_trace_comes_through():
    outcome = task_outcome(result())
    assert (outcome.plan_success, outcome.execution_success) == (True, False)
    assert (outcome.step, outcome.error_code) == (43, 1005)
    assert outcome.planning_ms == (500.0,)
    assert outcome.steps_ms == ((0.0, 250.0, 0.0),)
    plan = outcome.plans[0]
    assert (plan.status, plan.sub_goal.target) == ("failed", "drawer")
    locate, place, close = plan.steps
    assert (locate.engine_step, locate.receptacle, locate.object_id) == (None, None, None)
    assert (place.receptacle_id, place.error_code, place.forced) == ("Drawer|2", 310, True)
    assert (place.engine_step, place.note) == (42, "said so")
    assert [step.status for step in plan.steps] == ["succeeded", "failed", "skipped"]
    assert close.error_msg == ""


@pytest.mark.parametrize(
    ("value", "satisfied"),
    [(GoalVerdict.YES, True), (GoalVerdict.NO, False), (GoalVerdict.UNVERIFIABLE, None)],
)
def test_verdicts_have_three_values(value, satisfied):
    response = EvaluateGoal.Response(
        verdicts=[GoalVerdict(satisfied=value, object_id="Mug|1", reason="so")]
    )
    judged = evaluation(response).verdicts[0]
    assert (judged.satisfied, judged.object_id, judged.target_id) == (satisfied, "Mug|1", None)


def test_a_line_and_its_message_hold_the_same(make):
    outcome = task_outcome(result())
    record = make.record(
        plans=list(outcome.plans),
        time=make.record().time.model_copy(
            update={"planning_ms": [500.0], "steps_ms": [[0.0, 250.0, 0.0]]}
        ),
        failure_cause="because",
        initially_true=[None],
        perceived_by_agent=None,
        exists_in_scene=True,
    )
    message = episode_result(record)
    assert list(message.plans) == list(result().plans)
    assert message.failure_cause == "because"
    assert message.exists_in_scene == EpisodeResult.YES
    assert message.perceived_by_agent == EpisodeResult.UNKNOWN
    assert list(message.initially_true) == [False]
    assert message.verdicts[0].sub_goal.object == "mug"
    assert message.wall_clock_ms == 12.5


def test_success_has_an_empty_cause(make):
    assert episode_result(make.record()).failure_cause == ""
