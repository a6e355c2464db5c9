import math

import pytest

pytest.importorskip("milo_msgs.msg", reason="milo_msgs is not built")

from milo_benchmark.conversions import episode_result, evaluation, task_goal, task_outcome
from milo_benchmark.ports import TaskCall
from milo_core.tasks import SubGoal as Goal
from milo_msgs.action import RunTask
from milo_msgs.msg import (
    EpisodeResult,
    GoalVerdict,
    Plan,
    PlanStep,
    Recovery,
    SubGoal,
    SubGoalOutcome,
    TreeNode,
    TreeSnapshot,
)
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
            unmet_preconditions=["holding_target"],
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
        replans=2,
    )
    recovery = Recovery(
        sub_goal=1,
        kind=Recovery.OTHER_INSTANCE,
        action="place",
        object_id="Book|1",
        receptacle_id="Drawer|2",
        error_code=310,
        reason="It does not fit.",
    )
    outcome = SubGoalOutcome(
        status=SubGoalOutcome.ABANDONED,
        object_id="Book|1",
        error_code=1011,
        error_msg="No room.",
        instances_tried=["Drawer|1", "Drawer|2"],
        poses_tried=3,
    )
    node = TreeNode(parent=-1, name="store", type="sequence", status=TreeNode.FAILURE)
    return RunTask.Result(
        plans=[plan],
        plan_success=True,
        step=43,
        error_code=1005,
        recoveries=[recovery],
        outcomes=[outcome],
        tree=TreeSnapshot(tick=7, nodes=[node]),
    )


def test_the_trace_comes_through():
    outcome = task_outcome(result())
    assert (outcome.plan_success, outcome.execution_success) == (True, False)
    assert (outcome.step, outcome.error_code) == (43, 1005)
    assert outcome.planning_ms == (500.0,)
    assert outcome.steps_ms == ((0.0, 250.0, 0.0),)
    plan = outcome.plans[0]
    assert (plan.status, plan.sub_goal.target, plan.replans) == ("failed", "drawer", 2)
    locate, place, close = plan.steps
    assert (locate.engine_step, locate.receptacle, locate.object_id) == (None, None, None)
    assert (place.receptacle_id, place.error_code, place.forced) == ("Drawer|2", 310, True)
    assert (place.engine_step, place.note) == (42, "said so")
    assert [step.status for step in plan.steps] == ["succeeded", "failed", "skipped"]
    assert close.error_msg == ""
    assert place.unmet_preconditions == ["holding_target"]


def test_recoveries_outcomes_and_tree_come_through():
    outcome = task_outcome(result())
    assert [(r.kind, r.sub_goal) for r in outcome.recoveries] == [("other_instance", 1)]
    ended = outcome.outcomes[0]
    assert (ended.status, ended.receptacle_id, ended.poses_tried) == ("abandoned", None, 3)
    assert outcome.tree is not None
    assert (outcome.tree.tick, outcome.tree.nodes[0].status) == (7, "failure")
    assert task_outcome(RunTask.Result()).tree is None


def test_a_call_becomes_a_goal():
    call = TaskCall((Goal("find", "mug"),), "strict", 5, 60.0, 40, 9)
    goal = task_goal(call)
    assert (goal.goals[0].object, goal.goals[0].target, goal.profile) == ("mug", "", "strict")
    assert (goal.min_step, goal.time_limit, goal.max_steps, goal.seed) == (5, 60.0, 40, 9)


def test_the_strict_rules_answer_comes_through():
    response = EvaluateGoal.Response(
        success=True,
        error_msg="The agent has not acted.",
        held_at_reset=[True, False],
        side_effects=["Fridge|1 was closed and is open now."],
        shortest_length=float("nan"),
    )
    judged = evaluation(response)
    assert (judged.reason, judged.held_at_reset) == ("The agent has not acted.", (True, False))
    assert (judged.side_effects, judged.shortest_length) == (
        ("Fridge|1 was closed and is open now.",),
        None,
    )
    response.shortest_length = 2.5
    assert evaluation(response).shortest_length == 2.5


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
        goal_success_strict=False,
        goal_conditions_strict=0.5,
        spl=0.25,
        side_effect_free=False,
        side_effects=["Fridge|1 was closed and is open now."],
        failure_class="geometry",
        failure_detail="missing_step",
        unmet_preconditions=["hand_empty"],
        blame="execution",
        recoveries=list(outcome.recoveries),
        outcomes=list(outcome.outcomes),
        tree=outcome.tree,
    )
    message = episode_result(record)
    assert list(message.plans) == list(result().plans)
    assert list(message.recoveries) == list(result().recoveries)
    assert list(message.outcomes) == list(result().outcomes)
    assert message.tree == result().tree
    assert (message.goal_success_strict, message.goal_conditions_strict) == (False, 0.5)
    assert (message.spl, message.side_effect_free) == (0.25, False)
    assert (message.failure_class, message.failure_detail) == ("geometry", "missing_step")
    assert (list(message.unmet_preconditions), message.blame) == (["hand_empty"], "execution")
    assert message.failure_cause == "because"
    assert message.exists_in_scene == EpisodeResult.YES
    assert message.perceived_by_agent == EpisodeResult.UNKNOWN
    assert list(message.initially_true) == [False]
    assert message.verdicts[0].sub_goal.object == "mug"
    assert message.wall_clock_ms == 12.5


def test_success_has_an_empty_cause(make):
    message = episode_result(make.record())
    assert (message.failure_cause, message.failure_class, message.blame) == ("", "", "")
    assert math.isnan(message.spl)
