"""Plays tasks straight on a player, without ROS.

Planner, executor, skills and engine are those of the nodes; only the messages between them are
left out. That is what task checks, the task generator, the parity check and planner benchmarks
want; episodes that count are played on the graph.
"""

from collections.abc import Callable
from dataclasses import dataclass

from milo_core.frames import to_map, to_unity, yaw_to_map, yaw_to_unity
from milo_core.profiles import Profile
from milo_core.snapshot import Snapshot
from milo_core.strict_goals import StrictJudgement, evaluate_strict
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.execution import Observations, SkillOutcome, Skills, StepOptions
from milo_planner.memory import BasePose
from milo_planner.planning import Planner
from milo_planner.reactive_runner import ReactiveRunner
from milo_planner.task_records import TaskOutcome
from milo_planner.task_runner import TaskRunner
from milo_sim_bridge import skills
from milo_sim_bridge.engine import Engine, StepResult
from milo_sim_bridge.evidence import EpisodeEvidence
from milo_sim_bridge.looking import LookAtGoal, look_at
from milo_sim_bridge.navigation import NavigateGoal, navigate_to
from milo_sim_bridge.skill_run import Control, EnginePose, SkillEngine, SkillResult


class EngineSkills:
    """Implements milo_planner.execution.Skills on an engine."""

    def __init__(self, engine: SkillEngine, on_skill: Callable[[], None] = lambda: None) -> None:
        self._engine = engine
        self._control = Control()
        self._on_skill = on_skill

    def navigate(self, object_id: str, mode: str, options: StepOptions) -> SkillOutcome:
        """See Skills."""
        excluded = tuple(
            EnginePose(to_unity(pose.x, pose.y, 0.0), yaw_to_unity(pose.yaw))
            for pose in options.excluded_poses
        )
        goal = NavigateGoal(object_id, mode=mode, purpose=options.purpose, excluded=excluded)
        return self._outcome(navigate_to(self._engine, self._control, goal))

    def pick(self, object_id: str, force: bool) -> SkillOutcome:
        """See Skills."""
        goal = skills.PickGoal(object_id, force)
        return self._outcome(skills.pick(self._engine, self._control, goal))

    def place(
        self, object_id: str, receptacle_id: str, force: bool, any_type: bool, turn: float
    ) -> SkillOutcome:
        """See Skills."""
        goal = skills.PlaceGoal(receptacle_id, object_id, force, any_type, turn)
        return self._outcome(skills.place(self._engine, self._control, goal))

    def set_open(self, object_id: str, openness: float, force: bool) -> SkillOutcome:
        """See Skills."""
        goal = skills.SetOpenGoal(object_id, openness, force)
        return self._outcome(skills.set_open(self._engine, self._control, goal))

    def set_toggled(self, object_id: str, toggled: bool, force: bool) -> SkillOutcome:
        """See Skills."""
        goal = skills.SetToggledGoal(object_id, toggled, force)
        return self._outcome(skills.set_toggled(self._engine, self._control, goal))

    def slice(self, object_id: str, force: bool) -> SkillOutcome:
        """See Skills."""
        goal = skills.SliceGoal(object_id, force)
        return self._outcome(skills.slice_object(self._engine, self._control, goal))

    def release(self, object_id: str, force: bool) -> SkillOutcome:
        """See Skills."""
        goal = skills.ReleaseGoal(object_id, force)
        return self._outcome(skills.release(self._engine, self._control, goal))

    def look_at(self, object_id: str) -> SkillOutcome:
        """See Skills."""
        return self._outcome(look_at(self._engine, self._control, LookAtGoal(object_id)))

    def _outcome(self, result: SkillResult) -> SkillOutcome:
        self._on_skill()
        snapshot = result.snapshot
        pose = None
        if snapshot is not None:
            x, y, _ = to_map(*snapshot.agent_position)
            pose = BasePose(x, y, yaw_to_map(snapshot.agent_yaw))
        return SkillOutcome(
            result.error_code,
            result.error_msg,
            result.step,
            pose=pose,
            viewing=result.viewing,
            type_forced=result.type_forced,
        )


class EngineObservations:
    """Implements milo_planner.execution.Observations on an engine, which is always up to date."""

    def __init__(self, engine: SkillEngine) -> None:
        self._engine = engine

    def current(self, min_step: int) -> WorldModel:
        """See Observations."""
        latest = self._engine.latest
        return WorldModel.from_snapshot(
            latest.snapshot, step=latest.step, episode=latest.episode, stamp=float(latest.step)
        )


def make_runner(
    planner: Planner,
    skills_: Skills,
    observations: Observations,
    profile: Profile,
    *,
    seed: int = 0,
    max_steps: int = 0,
) -> TaskRunner | ReactiveRunner:
    """Return the runner that a planner needs under a profile."""
    if profile.reactive or planner.always_reactive:
        return ReactiveRunner(
            planner, skills_, observations, profile, seed=seed, max_steps=max_steps
        )
    return TaskRunner(planner, skills_, observations, profile)


@dataclass(frozen=True)
class OfflineEpisode:
    """One episode that was played without ROS."""

    outcome: TaskOutcome
    initial: Snapshot
    final: Snapshot
    judgement: StrictJudgement


def play_offline(
    engine: Engine,
    scene: str,
    goals: tuple[SubGoal, ...],
    planner: Planner,
    profile: Profile,
    seed: int = 0,
    max_steps: int = 0,
) -> OfflineEpisode:
    """Reset, act and judge; runs in the engine's thread.

    Args:
        engine: the player.
        scene: name of an iTHOR scene.
        goals: the sub-goals of one task.
        planner: decides.
        profile: rules of acting.
        seed: of the episode.
        max_steps: after which a planner that observes while it acts gives up; 0: the runner's own.

    Raises:
        EngineFailure: the player died, hung or refused the scene.
    """
    witness = EpisodeEvidence()
    reset = engine.reset(scene, seed)
    witness.observe(reset)
    watched = _Watched(engine, witness)
    skills_ = EngineSkills(watched, witness.act)
    runner = make_runner(
        planner,
        skills_,
        EngineObservations(watched),
        profile,
        seed=seed,
        max_steps=max_steps,
    )
    outcome = runner.run(goals, reset.step)
    evidence = witness.collect(watched)
    judgement = evaluate_strict(goals, evidence)
    return OfflineEpisode(outcome, reset.snapshot, watched.latest.snapshot, judgement)


class _Watched:
    """An engine whose actions a witness sees."""

    def __init__(self, engine: Engine, witness: EpisodeEvidence) -> None:
        self._engine = engine
        self._witness = witness
        self.grid_size = engine.grid_size
        self.reach = engine.reach

    @property
    def latest(self) -> StepResult:
        return self._engine.latest

    @property
    def step_count(self) -> int:
        return self._engine.step_count

    def step(self, action: str, **arguments: object) -> StepResult:
        result = self._engine.step(action, **arguments)
        self._witness.observe(result)
        return result
