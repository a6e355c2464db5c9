"""Between the planner's records and MILO's messages."""

from milo_msgs.msg import (
    Plan,
    PlanStep,
    Recovery,
    SimMetadata,
    SubGoalOutcome,
    TreeNode,
    TreeSnapshot,
    WorldState,
)
from milo_planner.execution import StepRecord
from milo_planner.policy import TreeRecord
from milo_planner.recovery import RecoveryRecord
from milo_planner.task_records import SubGoalOutcome as OutcomeRecord
from milo_planner.task_records import SubGoalRecord
from milo_ros.conversions import sub_goal_msg


def plan_step_msg(record: StepRecord) -> PlanStep:
    """A step record -> PlanStep."""
    return PlanStep(
        step_id=record.step_id,
        sub_goal=record.sub_goal,
        action=record.action,
        object=record.object,
        receptacle=record.receptacle,
        object_id=record.object_id,
        receptacle_id=record.receptacle_id,
        status=int(record.status),
        error_code=record.error_code,
        error_msg=record.error_msg,
        unmet_preconditions=list(record.unmet_preconditions),
        note=record.note,
        forced=record.forced,
        engine_step=record.engine_step,
        duration=record.duration,
    )


def _plan_status(record: SubGoalRecord) -> int:
    if not record.planning.success:
        return Plan.INVALID
    if not record.steps:
        return Plan.VALID
    return Plan.SUCCEEDED if record.executed else Plan.FAILED


def plan_msg(record: SubGoalRecord) -> Plan:
    """A sub-goal's plan -> Plan; before execution its steps are pending."""
    planning = record.planning
    steps = record.steps or [
        StepRecord(
            step_id=number,
            sub_goal=record.index,
            action=step.action,
            object=step.arguments.get("object", ""),
            receptacle=step.arguments.get("receptacle", ""),
        )
        for number, step in enumerate(planning.steps, start=1)
    ]
    return Plan(
        sub_goal_index=record.index,
        sub_goal=sub_goal_msg(planning.sub_goal),
        planner=planning.planner,
        status=_plan_status(record),
        steps=[plan_step_msg(step) for step in steps],
        replans=record.replans,
        errors=list(planning.errors),
        planning_time=planning.latency,
    )


def recovery_msg(record: RecoveryRecord) -> Recovery:
    """A recovery -> Recovery."""
    return Recovery(
        sub_goal=record.sub_goal,
        kind=str(record.kind),
        action=record.action,
        object_id=record.object_id,
        receptacle_id=record.receptacle_id,
        error_code=int(record.error_code),
        reason=record.reason,
    )


def outcome_msg(outcome: OutcomeRecord) -> SubGoalOutcome:
    """How a sub-goal was left -> SubGoalOutcome."""
    return SubGoalOutcome(
        status=int(outcome.status),
        object_id=outcome.object_id,
        receptacle_id=outcome.receptacle_id,
        error_code=outcome.error_code,
        error_msg=outcome.error_msg,
        instances_tried=list(outcome.instances_tried),
        poses_tried=outcome.poses_tried,
    )


def tree_msg(tree: TreeRecord | None) -> TreeSnapshot:
    """A behaviour tree -> TreeSnapshot; None -> one without nodes."""
    if tree is None:
        return TreeSnapshot()
    return TreeSnapshot(
        tick=tree.tick,
        nodes=[
            TreeNode(
                parent=node.parent,
                name=node.name,
                type=node.kind,
                status=int(node.status),
                feedback=node.feedback,
            )
            for node in tree.nodes
        ],
    )


def world_state_from_metadata(metadata: SimMetadata) -> WorldState:
    """Simulator truth -> the WorldState of `world_source: simulated`."""
    return WorldState(
        header=metadata.header,
        step=metadata.step,
        episode=metadata.episode,
        scene=metadata.scene,
        world_source="simulated",
        robot_pose=metadata.robot_pose,
        held_object_id=metadata.held_object_id,
        objects=metadata.objects,
    )
