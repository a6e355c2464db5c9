"""Between MILO's messages and the records of an episode."""

import math

from milo_benchmark.ports import Evaluation, TaskCall, TaskOutcome
from milo_benchmark.records import (
    EpisodeRecord,
    GoalRecord,
    NodeStatus,
    OutcomeRecord,
    OutcomeStatus,
    PlanRecord,
    PlanStatus,
    RecoveryRecord,
    StepRecord,
    TreeNodeRecord,
    TreeRecord,
    VerdictRecord,
)
from milo_core.failures import StepStatus
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
from milo_ros.conversions import sub_goal_msg

_STEP_STATUS: dict[int, StepStatus] = {
    PlanStep.PENDING: "pending",
    PlanStep.RUNNING: "running",
    PlanStep.SUCCEEDED: "succeeded",
    PlanStep.FAILED: "failed",
    PlanStep.BLOCKED: "blocked",
    PlanStep.SKIPPED: "skipped",
    PlanStep.CANCELED: "canceled",
}
_PLAN_STATUS: dict[int, PlanStatus] = {
    Plan.INVALID: "invalid",
    Plan.VALID: "valid",
    Plan.EXECUTING: "executing",
    Plan.SUCCEEDED: "succeeded",
    Plan.FAILED: "failed",
    Plan.CANCELED: "canceled",
}
_OUTCOME_STATUS: dict[int, OutcomeStatus] = {
    SubGoalOutcome.PENDING: "pending",
    SubGoalOutcome.ACHIEVED: "achieved",
    SubGoalOutcome.HELD_ALREADY: "held_already",
    SubGoalOutcome.ABANDONED: "abandoned",
}
_NODE_STATUS: dict[int, NodeStatus] = {
    TreeNode.INVALID: "invalid",
    TreeNode.RUNNING: "running",
    TreeNode.SUCCESS: "success",
    TreeNode.FAILURE: "failure",
}
_STEP_VALUE = {text: value for value, text in _STEP_STATUS.items()}
_PLAN_VALUE = {text: value for value, text in _PLAN_STATUS.items()}
_OUTCOME_VALUE = {text: value for value, text in _OUTCOME_STATUS.items()}
_NODE_VALUE = {text: value for value, text in _NODE_STATUS.items()}


def _goal_record(msg: SubGoal) -> GoalRecord:
    return GoalRecord(goal=msg.goal, object=msg.object or None, target=msg.target or None)


def _step_record(msg: PlanStep) -> StepRecord:
    return StepRecord(
        step_id=msg.step_id,
        action=msg.action,
        object=msg.object or None,
        receptacle=msg.receptacle or None,
        object_id=msg.object_id or None,
        receptacle_id=msg.receptacle_id or None,
        status=_STEP_STATUS[msg.status],
        error_code=msg.error_code,
        error_msg=msg.error_msg,
        unmet_preconditions=list(msg.unmet_preconditions),
        note=msg.note,
        forced=msg.forced,
        engine_step=msg.engine_step or None,
    )


def _plan_record(msg: Plan) -> PlanRecord:
    return PlanRecord(
        sub_goal_index=msg.sub_goal_index,
        sub_goal=_goal_record(msg.sub_goal),
        planner=msg.planner,
        status=_PLAN_STATUS[msg.status],
        replans=msg.replans,
        errors=list(msg.errors),
        steps=[_step_record(step) for step in msg.steps],
    )


def _recovery_record(msg: Recovery) -> RecoveryRecord:
    return RecoveryRecord(
        sub_goal=msg.sub_goal,
        kind=msg.kind,
        action=msg.action or None,
        object_id=msg.object_id or None,
        receptacle_id=msg.receptacle_id or None,
        error_code=msg.error_code,
        reason=msg.reason,
    )


def _outcome_record(msg: SubGoalOutcome) -> OutcomeRecord:
    return OutcomeRecord(
        status=_OUTCOME_STATUS[msg.status],
        object_id=msg.object_id or None,
        receptacle_id=msg.receptacle_id or None,
        error_code=msg.error_code,
        error_msg=msg.error_msg,
        instances_tried=list(msg.instances_tried),
        poses_tried=msg.poses_tried,
    )


def _tree_record(msg: TreeSnapshot) -> TreeRecord | None:
    if not msg.nodes:
        return None
    nodes = [
        TreeNodeRecord(
            parent=node.parent,
            name=node.name,
            type=node.type,
            status=_NODE_STATUS[node.status],
            feedback=node.feedback,
        )
        for node in msg.nodes
    ]
    return TreeRecord(tick=msg.tick, nodes=nodes)


def task_goal(call: TaskCall) -> RunTask.Goal:
    """TaskCall -> goal of RunTask."""
    return RunTask.Goal(
        goals=[sub_goal_msg(goal) for goal in call.goals],
        profile=call.profile,
        min_step=call.min_step,
        time_limit=call.time_limit,
        max_steps=call.max_steps,
        seed=call.seed,
    )


def task_outcome(msg: RunTask.Result) -> TaskOutcome:
    """Result of RunTask -> TaskOutcome."""
    return TaskOutcome(
        plans=tuple(_plan_record(plan) for plan in msg.plans),
        plan_success=msg.plan_success,
        execution_success=msg.execution_success,
        step=msg.step,
        error_code=msg.error_code,
        error_msg=msg.error_msg,
        planning_ms=tuple(plan.planning_time * 1e3 for plan in msg.plans),
        steps_ms=tuple(tuple(step.duration * 1e3 for step in plan.steps) for plan in msg.plans),
        recoveries=tuple(map(_recovery_record, msg.recoveries)),
        outcomes=tuple(map(_outcome_record, msg.outcomes)),
        tree=_tree_record(msg.tree),
    )


def _verdict_record(msg: GoalVerdict) -> VerdictRecord:
    unknown = msg.satisfied == GoalVerdict.UNVERIFIABLE
    return VerdictRecord(
        satisfied=None if unknown else msg.satisfied == GoalVerdict.YES,
        object_id=msg.object_id or None,
        target_id=msg.target_id or None,
        reason=msg.reason,
    )


def evaluation(msg: EvaluateGoal.Response) -> Evaluation:
    """Response of EvaluateGoal -> Evaluation."""
    shortest = float(msg.shortest_length)
    return Evaluation(
        verdicts=tuple(map(_verdict_record, msg.verdicts)),
        all_satisfied=msg.all_satisfied,
        reason="" if msg.all_satisfied else msg.error_msg,
        held_at_reset=tuple(msg.held_at_reset),
        side_effects=tuple(msg.side_effects),
        shortest_length=shortest if math.isfinite(shortest) else None,
    )


def _tri_state(value: bool | None) -> int:
    return EpisodeResult.UNKNOWN if value is None else int(value)


def _goal_msg(record: GoalRecord) -> SubGoal:
    return SubGoal(goal=record.goal, object=record.object or "", target=record.target or "")


def _step_msg(record: StepRecord, sub_goal: int, duration_ms: float) -> PlanStep:
    return PlanStep(
        step_id=record.step_id,
        sub_goal=sub_goal,
        action=record.action,
        object=record.object or "",
        receptacle=record.receptacle or "",
        object_id=record.object_id or "",
        receptacle_id=record.receptacle_id or "",
        status=_STEP_VALUE[record.status],
        error_code=record.error_code,
        error_msg=record.error_msg,
        unmet_preconditions=record.unmet_preconditions,
        note=record.note,
        forced=record.forced,
        engine_step=record.engine_step or 0,
        duration=duration_ms / 1e3,
    )


def _plan_msg(record: PlanRecord, planning_ms: float, steps_ms: list[float]) -> Plan:
    timed = zip(record.steps, steps_ms, strict=True)
    return Plan(
        sub_goal_index=record.sub_goal_index,
        sub_goal=_goal_msg(record.sub_goal),
        planner=record.planner,
        status=_PLAN_VALUE[record.status],
        steps=[_step_msg(step, record.sub_goal_index, ms) for step, ms in timed],
        replans=record.replans,
        errors=record.errors,
        planning_time=planning_ms / 1e3,
    )


def _verdict_msg(record: VerdictRecord, goal: GoalRecord) -> GoalVerdict:
    satisfied = GoalVerdict.UNVERIFIABLE if record.satisfied is None else int(record.satisfied)
    return GoalVerdict(
        sub_goal=_goal_msg(goal),
        satisfied=satisfied,
        object_id=record.object_id or "",
        target_id=record.target_id or "",
        reason=record.reason,
    )


def _recovery_msg(record: RecoveryRecord) -> Recovery:
    return Recovery(
        sub_goal=record.sub_goal,
        kind=record.kind,
        action=record.action or "",
        object_id=record.object_id or "",
        receptacle_id=record.receptacle_id or "",
        error_code=record.error_code,
        reason=record.reason,
    )


def _outcome_msg(record: OutcomeRecord) -> SubGoalOutcome:
    return SubGoalOutcome(
        status=_OUTCOME_VALUE[record.status],
        object_id=record.object_id or "",
        receptacle_id=record.receptacle_id or "",
        error_code=record.error_code,
        error_msg=record.error_msg,
        instances_tried=record.instances_tried,
        poses_tried=record.poses_tried,
    )


def _tree_msg(record: TreeRecord | None) -> TreeSnapshot:
    if record is None:
        return TreeSnapshot()
    nodes = [
        TreeNode(
            parent=node.parent,
            name=node.name,
            type=node.type,
            status=_NODE_VALUE[node.status],
            feedback=node.feedback,
        )
        for node in record.nodes
    ]
    return TreeSnapshot(tick=record.tick, nodes=nodes)


def episode_result(record: EpisodeRecord) -> EpisodeResult:
    """A line -> EpisodeResult; engine steps are counted from the reset, as in the line."""
    times = zip(record.plans, record.time.planning_ms, record.time.steps_ms, strict=True)
    verdicts = zip(record.verdicts, record.sub_goals, strict=False)
    return EpisodeResult(
        task_id=record.task_id,
        scene=record.scene,
        difficulty_tier=record.difficulty_tier,
        planner=record.planner,
        profile=record.profile,
        repeat=record.repeat,
        seed=record.seed,
        plan_success=record.plan_success,
        execution_success=record.execution_success,
        goal_success=record.goal_success,
        goal_success_strict=record.goal_success_strict,
        goal_conditions=record.goal_conditions,
        goal_conditions_strict=record.goal_conditions_strict,
        spl=math.nan if record.spl is None else record.spl,
        side_effect_free=record.side_effect_free is True,
        side_effects=record.side_effects,
        exists_in_scene=_tri_state(record.exists_in_scene),
        perceived_by_agent=_tri_state(record.perceived_by_agent),
        perception_error=record.perception_error or "",
        initially_true=[value is True for value in record.initially_true],
        plan_step_count=record.plan_step_count,
        dispatched_count=record.dispatched_count,
        succeeded_count=record.succeeded_count,
        failed_count=record.failed_count,
        blocked_count=record.blocked_count,
        skipped_count=record.skipped_count,
        cause_code=record.cause_code,
        failure_cause=record.failure_cause or "",
        failure_class=record.failure_class or "",
        failure_detail=record.failure_detail or "",
        unmet_preconditions=record.unmet_preconditions,
        blame=record.blame or "",
        end_reason=record.end_reason,
        error_code=record.error_code,
        wall_clock_ms=record.time.wall_clock_ms,
        plans=[_plan_msg(*timed) for timed in times],
        verdicts=[_verdict_msg(*judged) for judged in verdicts],
        recoveries=[_recovery_msg(recovery) for recovery in record.recoveries],
        outcomes=[_outcome_msg(outcome) for outcome in record.outcomes],
        tree=_tree_msg(record.tree),
    )
