"""The node thor_bridge: AI2-THOR or milo_sim behind services and skill actions."""

import math
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import Future as JobFuture
from dataclasses import dataclass
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock as ClockMsg

from milo_core.error_codes import CODES_OF_ACTION, NONE, EngineError
from milo_core.goals import FIND_VERBS, RULES, all_satisfied, evaluate_all
from milo_core.side_effects import side_effects
from milo_core.strict_goals import evaluate_strict
from milo_core.tasks import SubGoal
from milo_msgs.action import (
    LookAt,
    NavigateTo,
    Pick,
    Place,
    Release,
    SetOpen,
    SetToggled,
    Slice,
)
from milo_msgs.msg import SimMetadata
from milo_msgs.srv import EvaluateGoal, QueryPoses, QueryReachable, ResetScene
from milo_ros.conversions import sub_goal_from_msg
from milo_ros.waiting import result_of
from milo_sim_bridge import conversions, looking, navigation, queries, skills
from milo_sim_bridge.cmd_vel import VelocityFollower
from milo_sim_bridge.digest import scene_digest
from milo_sim_bridge.engine import Engine, StepResult
from milo_sim_bridge.errors import EngineFailure
from milo_sim_bridge.evidence import EpisodeEvidence
from milo_sim_bridge.frame_pump import FramePump
from milo_sim_bridge.health import Health
from milo_sim_bridge.parameters import declare
from milo_sim_bridge.queries import QueryError
from milo_sim_bridge.sensors import CameraPublisher, MotionPublisher
from milo_sim_bridge.shortest_way import shortest_way
from milo_sim_bridge.skill_run import Control, SkillResult, canceled

T = TypeVar("T")
EVERY_STEP = QoSProfile(
    depth=50,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""A late subscriber gets the newest states, a slow one does not miss any."""
DIAGNOSTICS_PERIOD = 1.0
"""Wall seconds between diagnostics."""
CLOCK_PERIOD = 0.1
"""Wall seconds between repetitions of the present simulated time, for nodes that come later."""


@dataclass(frozen=True)
class _Skill:
    name: str
    action: Any
    run: Callable[[Any, Control, Any], SkillResult]
    read_goal: Callable[[Any], Any]
    write_result: Callable[[SkillResult, Any], Any]


_SKILLS = (
    _Skill(
        "navigate_to",
        NavigateTo,
        navigation.navigate_to,
        conversions.navigate_goal,
        conversions.navigate_result,
    ),
    _Skill("pick", Pick, skills.pick, conversions.pick_goal, conversions.pick_result),
    _Skill("place", Place, skills.place, conversions.place_goal, conversions.place_result),
    _Skill(
        "set_open", SetOpen, skills.set_open, conversions.set_open_goal, conversions.set_open_result
    ),
    _Skill(
        "set_toggled",
        SetToggled,
        skills.set_toggled,
        conversions.set_toggled_goal,
        conversions.set_toggled_result,
    ),
    _Skill("slice", Slice, skills.slice_object, conversions.slice_goal, conversions.slice_result),
    _Skill(
        "look_at", LookAt, looking.look_at, conversions.look_at_goal, conversions.look_at_result
    ),
    _Skill(
        "release", Release, skills.release, conversions.release_goal, conversions.release_result
    ),
)


class ThorBridge(Node):
    """One robot in one simulator.

    Whatever needs the engine is a job for its one thread: a skill as a whole, a reset, a query.
    Jobs run in the order of their arrival, so that a second skill waits for the first one to end
    and a reset never comes between two steps of a skill; a waiting skill can be cancelled at once.
    The executor only awaits the jobs and stays free for cancel requests and other services.
    """

    def __init__(self) -> None:
        super().__init__("thor_bridge")
        config = declare(self)
        self._step_duration = config.step_duration
        self._waiting: dict[bytes, JobFuture[SkillResult]] = {}
        self._group = ReentrantCallbackGroup()
        self._writer = conversions.MetadataWriter()
        self._metadata = self.create_publisher(SimMetadata, "sim/metadata", EVERY_STEP)
        self._clock_publisher = self.create_publisher(ClockMsg, "/clock", 10)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._camera = CameraPublisher(self, config.streams)
        self._motion = MotionPublisher(self, config.step_duration * 1e-9)
        self._engine = Engine(config.engine, self._publish, self._camera.wanted)
        self._evidence = EpisodeEvidence()
        self._health = Health(self.get_fully_qualified_name(), self._engine)
        self._velocity = VelocityFollower(
            self, self._engine, config.velocity, stamped=config.stamped_velocity
        )
        self._create_services()
        self._actions = [self._create_action(skill) for skill in _SKILLS]
        self._frames = FramePump(self._engine, self._is_watched)
        self._create_timers(config.rate)

    def _create_timers(self, rate: float) -> None:
        # Wall time: simulated time stands still while nothing happens.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(CLOCK_PERIOD, self._publish_clock, clock=steady)
        self.create_timer(DIAGNOSTICS_PERIOD, self._publish_diagnostics, clock=steady)
        if rate > 0:
            self.create_timer(1.0 / rate, self._frames.tick, clock=steady)

    def _create_services(self) -> None:
        for kind, name, callback in (
            (ResetScene, "reset_scene", self._reset_scene),
            (EvaluateGoal, "evaluate_goal", self._evaluate_goal),
            (QueryPoses, "query_poses", self._query_poses),
            (QueryReachable, "query_reachable", self._query_reachable),
        ):
            self.create_service(kind, name, callback, callback_group=self._group)

    def _create_action(self, skill: _Skill) -> ActionServer:
        async def execute(handle: ServerGoalHandle) -> Any:
            return await self._execute(skill, handle)

        return ActionServer(
            self,
            skill.action,
            skill.name,
            execute,
            callback_group=self._group,
            cancel_callback=self._cancel,
        )

    def destroy_node(self) -> None:
        """Stop the player, then the node."""
        self._engine.close()
        super().destroy_node()

    # -- time and truth: in the engine's thread ----------------------------------------------

    def _stamp(self, step: int) -> Any:
        return conversions.time_of(step * self._step_duration)

    def _publish(self, result: StepResult) -> None:
        self._evidence.observe(result)
        if not self.context.ok():
            return
        stamp = self._stamp(result.step)
        self._clock_publisher.publish(ClockMsg(clock=stamp))
        self._motion.publish(result, stamp)
        self._camera.publish(result, stamp)
        self._metadata.publish(self._writer.write(result, stamp))
        self._health.count(result)

    def _publish_clock(self) -> None:
        self._clock_publisher.publish(ClockMsg(clock=self._stamp(self._engine.step_count)))

    def _is_watched(self) -> bool:
        return bool(self._camera.wanted())

    def _publish_diagnostics(self) -> None:
        report = self._health.report()
        report.header.stamp = self._stamp(self._engine.step_count)
        self._diagnostics.publish(report)

    # -- skills ------------------------------------------------------------------------------

    async def _execute(self, skill: _Skill, handle: ServerGoalHandle) -> Any:
        goal_id = bytes(handle.goal_id.uuid)
        job = self._engine.submit(lambda: self._run_skill(skill, handle))
        self._waiting[goal_id] = job
        try:
            result = await result_of(self, job)
        except CancelledError:
            result = canceled(skill.action.__name__, self._engine)
        finally:
            del self._waiting[goal_id]
        if result.error_code == NONE:
            handle.succeed()
        elif result.error_code == CODES_OF_ACTION[skill.action.__name__]["CANCELED"]:
            handle.canceled()
        else:
            handle.abort()
        return skill.write_result(result, self._stamp(result.step))

    def _run_skill(self, skill: _Skill, handle: ServerGoalHandle) -> SkillResult:
        def feedback(stage: str, distance: float) -> None:
            message = skill.action.Feedback(stage=stage)
            if hasattr(message, "distance_remaining"):
                message.distance_remaining = distance
            handle.publish_feedback(message)

        control = Control(canceled=lambda: handle.is_cancel_requested, feedback=feedback)
        self._evidence.act()
        try:
            result = skill.run(self._engine, control, skill.read_goal(handle.request))
        except Exception as error:
            message = self._report(error)
            unknown = CODES_OF_ACTION[skill.action.__name__]["UNKNOWN"]
            return SkillResult(
                error_code=int(unknown),
                error_msg=message,
                step=self._engine.step_count,
                snapshot=None,
            )
        if result.type_forced:
            self.get_logger().info(
                f"Step {result.step}: {_type_of(result.object_id)} went into or onto "
                f"{_type_of(result.receptacle_id)}; the engine's table of types was overruled."
            )
        return result

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        waiting = self._waiting.get(bytes(handle.goal_id.uuid))
        if waiting is not None:
            waiting.cancel()  # does nothing once the engine has begun with it
        return CancelResponse.ACCEPT

    # -- services ----------------------------------------------------------------------------

    async def _reset_scene(
        self, request: ResetScene.Request, response: ResetScene.Response
    ) -> ResetScene.Response:
        def reset() -> None:
            result = self._engine.reset(request.scene, request.seed)
            if self._is_watched():
                self._frames.take()
            response.scene_digest = scene_digest(result.snapshot)
            response.robot_pose = conversions.robot_pose(result.snapshot)
            response.episode = result.episode
            self.get_logger().info(
                f"Episode {result.episode}: {result.snapshot.scene}, seed {request.seed}, "
                f"step {result.step}."
            )

        response.player = self._engine.player
        return await self._answer(response, reset)

    async def _evaluate_goal(
        self, request: EvaluateGoal.Request, response: EvaluateGoal.Response
    ) -> EvaluateGoal.Response:
        rule = request.rule or EvaluateGoal.Request.RULE_MILO
        response.shortest_length = math.nan
        if rule not in (rules := (*RULES, EvaluateGoal.Request.RULE_STRICT)):
            text = f"There is no scoring rule '{rule}'; use {', '.join(rules)}."
            return _refused(response, EngineError.INVALID_REQUEST, text)
        goals = tuple(sub_goal_from_msg(goal) for goal in request.goals)
        length = request.with_shortest_length
        if rule == EvaluateGoal.Request.RULE_STRICT or length:
            return await self._answer(
                response, lambda: self._judge_all(response, goals, rule, with_length=length)
            )
        try:
            self._judge(response, goals, rule)
        except EngineFailure as error:
            return _refused(response, error.code, error)
        except Exception as error:
            return _refused(response, EngineError.HARNESS_EXCEPTION, self._report(error))
        response.success = True
        return response

    def _judge(
        self, response: EvaluateGoal.Response, goals: tuple[SubGoal, ...], rule: str
    ) -> None:
        """Judge on the newest state alone; in any thread, so that it waits for no skill."""
        latest = self._engine.latest
        verdicts = evaluate_all(goals, latest.snapshot, rule)
        response.verdicts = [conversions.verdict_message(verdict) for verdict in verdicts]
        response.all_satisfied = all_satisfied(verdicts)
        response.step = latest.step
        initial = self._evidence.initial(latest.episode)
        if initial is not None:
            response.side_effects = list(side_effects(goals, initial, latest.snapshot))

    def _judge_all(
        self,
        response: EvaluateGoal.Response,
        goals: tuple[SubGoal, ...],
        rule: str,
        *,
        with_length: bool,
    ) -> None:
        """Judge on everything since the reset and measure; in the engine's thread."""
        looks = any(goal.goal.strip().lower() in FIND_VERBS for goal in goals)
        evidence = self._evidence.collect(self._engine, look=looks)
        latest = self._engine.latest
        initial = self._evidence.initial(latest.episode) or latest.snapshot
        if rule == EvaluateGoal.Request.RULE_STRICT:
            judgement = evaluate_strict(goals, evidence)
            response.verdicts = [conversions.verdict_message(v) for v in judgement.verdicts]
            response.all_satisfied = judgement.satisfied
            response.error_msg = judgement.reason
            response.held_at_reset = list(judgement.held_at_reset)
            response.side_effects = list(side_effects(goals, initial, latest.snapshot))
        else:
            self._judge(response, goals, rule)
        if with_length:
            response.shortest_length = shortest_way(self._engine, goals, initial, evidence.seen)

    async def _query_poses(
        self, request: QueryPoses.Request, response: QueryPoses.Response
    ) -> QueryPoses.Response:
        def query() -> None:
            poses = queries.interactable_poses(self._engine, request.object_id, request.max_poses)
            response.poses = [conversions.engine_base_pose(pose) for pose in poses]
            response.camera_pitch = [math.radians(pose["horizon"]) for pose in poses]
            response.standing = [bool(pose["standing"]) for pose in poses]

        return await self._answer(response, query)

    async def _query_reachable(
        self, request: QueryReachable.Request, response: QueryReachable.Response
    ) -> QueryReachable.Response:
        def query() -> None:
            positions = queries.reachable_positions(self._engine, request.grid_size)
            response.positions = conversions.floor_points(positions)

        return await self._answer(response, query)

    async def _answer(self, response: Any, job: Callable[[], None]) -> Any:
        """Let the engine's thread fill a response and complete it with the outcome."""
        try:
            await result_of(self, self._engine.submit(job))
        except (EngineFailure, QueryError) as error:
            _refused(response, error.code, error)
        except Exception as error:
            _refused(response, EngineError.HARNESS_EXCEPTION, self._report(error))
        else:
            response.success = True
        response.step = self._engine.step_count
        return response

    def _report(self, error: Exception) -> str:
        """Log an exception that nothing foresaw; returns a sentence for the client."""
        self.get_logger().error("".join(traceback.format_exception(error)))
        return f"An error in the bridge ({type(error).__name__}): {error}"


def _type_of(object_id: str) -> str:
    """Return the type of an object; AI2-THOR's ids begin with it."""
    return object_id.partition("|")[0]


def _refused(response: Any, code: int, reason: Exception | str) -> Any:
    response.success = False
    response.error_code = int(code)
    response.error_msg = str(reason)
    return response
