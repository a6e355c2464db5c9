"""What a run leaves behind: the line of one episode in results.jsonl, and manifest.json.

All wall-clock times of a line are under its key `time`; everything else is the same in two runs
of the same command on the same versions.
"""

from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from milo_core.failures import Blame, FailureClass, FailureDetail, StepStatus
from milo_core.profiles import PROFILES

PlanStatus = Literal["invalid", "valid", "executing", "succeeded", "failed", "canceled"]
EndReason = Literal["completed", "timeout", "canceled", "engine_error", "harness_error"]
OutcomeStatus = Literal["pending", "achieved", "held_already", "abandoned"]
NodeStatus = Literal["invalid", "running", "success", "failure"]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
EPISODE_FORMAT = 2
"""Version of the lines of results.jsonl."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class GoalRecord(_Record):
    """One sub-goal as the task names it."""

    goal: str
    object: str | None
    target: str | None


class StepRecord(_Record):
    """One step of a plan and what became of it."""

    step_id: int
    """1-based within its plan."""
    action: str
    object: str | None
    receptacle: str | None
    object_id: str | None
    """Instance the step was bound to; null: never bound."""
    receptacle_id: str | None
    status: StepStatus
    error_code: int
    """0: none."""
    error_msg: str
    unmet_preconditions: list[str]
    """Of a failed or blocked step, as the agent believed; names in milo_core.actions."""
    note: str
    forced: bool
    """Sent with the engine's own checks switched off."""
    engine_step: int | None
    """Engine step after it, counted from the reset; null: nothing was sent."""


class PlanRecord(_Record):
    """The plan of one sub-goal, with the trace of its execution."""

    sub_goal_index: int
    sub_goal: GoalRecord
    planner: str
    status: PlanStatus
    replans: Count
    """How often it was made anew."""
    errors: list[str]
    steps: list[StepRecord]


class VerdictRecord(_Record):
    """The truth of one sub-goal after the execution."""

    satisfied: bool | None
    """Null: the verb has no predicate."""
    object_id: str | None
    target_id: str | None
    reason: str


class RecoveryRecord(_Record):
    """One thing an agent did because a step was refused."""

    sub_goal: int
    """0-based."""
    kind: str
    """As in Recovery.msg."""
    action: str | None
    """That was refused."""
    object_id: str | None
    receptacle_id: str | None
    error_code: int
    """Of the refusal; 0: none."""
    reason: str


class OutcomeRecord(_Record):
    """How an agent left one sub-goal, as it believes itself."""

    status: OutcomeStatus
    object_id: str | None
    """Instance it was bound to last."""
    receptacle_id: str | None
    error_code: int
    """Of RunTask; why it was abandoned."""
    error_msg: str
    instances_tried: list[str]
    poses_tried: Count


class TreeNodeRecord(_Record):
    """One node of a behaviour tree."""

    parent: int
    """Index in the snapshot; -1: the root."""
    name: str
    type: str
    status: NodeStatus
    feedback: str


class TreeRecord(_Record):
    """A behaviour tree after its last tick; nodes in depth-first order."""

    tick: Count
    nodes: list[TreeNodeRecord]


class TimeRecord(_Record):
    """All of an episode's wall-clock times."""

    started_at: str
    """UTC, ISO 8601."""
    wall_clock_ms: float
    """Planning and execution only, as in the published results."""
    stages_ms: dict[str, float]
    """State of the episode -> time spent in it."""
    planning_ms: list[float]
    """Per sub-goal."""
    steps_ms: list[list[float]]
    """Per sub-goal and step."""


def is_strict(profile: str) -> bool:
    """Return whether a profile counts by the strict rule; one that is unknown here does not."""
    return profile in PROFILES and PROFILES[profile].goal_rule == "strict"


class EpisodeKey(NamedTuple):
    """What makes an episode of a run unique."""

    task_id: str
    planner: str
    profile: str
    repeat: int
    seed: int


class EpisodeRecord(_Record):
    """One line of results.jsonl; docs/results.md explains every field."""

    format: Literal[2] = 2
    task_id: str
    scene: str
    room_type: str
    difficulty_tier: str
    instruction: str
    sub_goals: list[GoalRecord]
    planner: str
    profile: str
    repeat: Count
    """0-based."""
    seed: int
    player: str
    scene_digest: str
    versions_digest: str

    plan_success: bool
    execution_success: bool
    goal_rule: str
    """Of milo_core.goals, that of `goal_success`."""
    goal_success: bool
    goal_success_strict: bool
    strict_reason: str | None
    goal_conditions: Share
    goal_conditions_strict: Share
    initially_true: list[bool | None]
    held_at_reset: list[bool]
    path_length: float | None
    shortest_length: float | None
    spl: Share | None
    side_effect_free: bool | None
    side_effects: list[str]
    exists_in_scene: bool | None
    perceived_by_agent: bool | None
    perception_error: str | None

    max_steps: Count
    plan_step_count: Count
    action_count: Count
    dispatched_count: Count
    succeeded_count: Count
    failed_count: Count
    blocked_count: Count
    skipped_count: Count
    replans: Count

    cause_code: str
    failure_cause: str | None
    failure_class: FailureClass | None
    failure_detail: FailureDetail | None
    unmet_preconditions: list[str]
    blame: Blame | None
    end_reason: EndReason
    error_code: int

    plans: list[PlanRecord]
    verdicts: list[VerdictRecord]
    verdicts_strict: list[VerdictRecord]
    recoveries: list[RecoveryRecord]
    outcomes: list[OutcomeRecord]
    tree: TreeRecord | None
    time: TimeRecord

    @property
    def key(self) -> EpisodeKey:
        """The episode's identity within its run."""
        return EpisodeKey(self.task_id, self.planner, self.profile, self.repeat, self.seed)

    @property
    def success(self) -> bool:
        """Whether the agent succeeded by the rule of its profile."""
        return self.goal_success_strict if is_strict(self.profile) else self.goal_success

    @property
    def judged(self) -> bool:
        """False: engine or harness failed, so the scores say nothing about the agent."""
        return self.error_code == 0


class DatasetRecord(_Record):
    """The tasks of a run."""

    name: str
    """Version of the dataset, or path of a task file."""
    digest: str
    """SHA-256 of the task file."""
    task_ids: list[str]
    """The selected tasks, in order."""


class HostRecord(_Record):
    """The machine a session ran on."""

    operating_system: str
    architecture: str
    cpu: str
    cores: int
    memory_gib: float


class SessionRecord(_Record):
    """One start of the run: the first one, or a resumption."""

    session_id: str
    started_at: str
    versions: dict[str, str]
    versions_digest: str
    """Names the versions in every line that was written then."""
    scene_data_digest: str | None
    ros_domain_id: str | None
    host: HostRecord


class Manifest(_Record):
    """manifest.json: what was run, and with what."""

    format: Literal[1] = 1
    run_id: str
    created_at: str
    planner: str
    profile: str
    player: str
    repeat: int
    seed: int
    seeds: list[int]
    """One a repeat."""
    arguments: dict[str, str]
    """As given."""
    dataset: DatasetRecord
    episode_count: int
    sessions: list[SessionRecord]
