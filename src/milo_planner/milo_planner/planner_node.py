"""The node planner: plans tasks and carries them out through the driver's skills."""

import threading
import traceback
from concurrent.futures import Future as JobFuture
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.parameter import Parameter

from milo_core.error_codes import RunTaskError
from milo_core.errors import MiloError
from milo_core.profiles import Profile, UnknownProfileError, get_profile
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_msgs.action import RunTask
from milo_msgs.msg import Plan, TreeSnapshot, WorldState
from milo_planner.conversions import outcome_msg, plan_msg, plan_step_msg, recovery_msg, tree_msg
from milo_planner.execution import StaleWorldError, StepRecord
from milo_planner.interruption import TaskWaiter
from milo_planner.pddl_engines import ENGINES
from milo_planner.planning import Planner
from milo_planner.policy import TreeRecord
from milo_planner.reactive_runner import ReactiveRunner
from milo_planner.registry import PLANNERS, make_planner
from milo_planner.skill_clients import SkillClients
from milo_planner.task_records import SubGoalRecord, TaskOutcome
from milo_planner.task_runner import TaskRunner
from milo_ros.conversions import sub_goal_from_msg, world_model_from_msg
from milo_ros.qos import LATCHED
from milo_ros.waiting import result_of


class WorldStateCache:
    """The newest WorldState, for a task's thread; implements execution.Observations."""

    def __init__(self, waiter: TaskWaiter, timeout: float) -> None:
        self._waiter = waiter
        self._timeout = timeout
        self._message: WorldState | None = None
        self._model: WorldModel | None = None

    def update(self, message: WorldState) -> None:
        """Take a newer message."""
        self._message = message
        self._waiter.notify()

    def current(self, min_step: int) -> WorldModel:
        """Return the world at that engine step or later; see execution.Observations."""
        if not self._waiter.wait(lambda: self._is_new(min_step), self._timeout):
            raise StaleWorldError(
                f"No WorldState of engine step {min_step} or later came within "
                f"{self._timeout:g} s; is the world_model node running?"
            )
        message = self._message
        assert message is not None  # the predicate saw it
        if self._model is None or self._model.step != message.step:
            self._model = world_model_from_msg(message)
        return self._model

    def _is_new(self, min_step: int) -> bool:
        return self._message is not None and self._message.step >= min_step


class PlannerNode(Node):
    """Serves `run_task`, one task at a time; publishes plans on `plan`, trees on `tree`.

    Raises:
        UnknownPlannerError: the parameter `planner` names none.
    """

    def __init__(self) -> None:
        super().__init__("planner")
        choices = f"one of {', '.join(PLANNERS)}"
        self.declare_parameter(
            "planner",
            "rule_based",
            ParameterDescriptor(
                description="Strategy that makes the plans.", additional_constraints=choices
            ),
        )
        self.declare_parameter(
            "pddl_engine",
            "auto",
            ParameterDescriptor(
                description="What solves the problems of the planner pddl.",
                additional_constraints=f"one of {', '.join(ENGINES)}",
            ),
        )
        timeouts = {
            "skill_timeout": (120.0, "Seconds a skill may take."),
            "driver_timeout": (10.0, "Seconds to wait for a driver to serve a skill."),
            "world_state_timeout": (10.0, "Seconds to wait for a WorldState that is new enough."),
        }
        values: dict[str, float] = {}
        for name, (default, text) in timeouts.items():
            descriptor = ParameterDescriptor(description=text, read_only=True)
            values[name] = self.declare_parameter(name, default, descriptor).value
        self.add_on_set_parameters_callback(self._on_parameters)
        self._make_planner()
        self._waiter = TaskWaiter()
        self._world = WorldStateCache(self._waiter, values["world_state_timeout"])
        self._skills = SkillClients(
            self, self._waiter, values["driver_timeout"], values["skill_timeout"]
        )
        self._busy = False
        self._plan_publisher = self.create_publisher(Plan, "plan", LATCHED)
        self._tree_publisher = self.create_publisher(TreeSnapshot, "tree", LATCHED)
        self.create_subscription(WorldState, "world_state", self._world.update, LATCHED)
        self._server = ActionServer(
            self,
            RunTask,
            "run_task",
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )

    def _make_planner(self, **changed: str) -> Planner:
        """Make the planner that the parameters ask for, some of them being about to change."""
        names = ("planner", "pddl_engine")
        values = {name: str(self.get_parameter(name).value) for name in names} | changed
        options = {"engine_name": values["pddl_engine"]} if values["planner"] == "pddl" else {}
        return make_planner(values["planner"], **options)

    def _on_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        changed = {p.name: str(p.value) for p in parameters if p.name in ("planner", "pddl_engine")}
        if changed:
            try:
                self._make_planner(**changed)
            except MiloError as error:
                return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_goal(self, _: RunTask.Goal) -> GoalResponse:
        if self._busy:
            self.get_logger().warning("A task is already running; the new one was rejected.")
            return GoalResponse.REJECT
        self._busy = True
        return GoalResponse.ACCEPT

    def _on_cancel(self, _: Any) -> CancelResponse:
        self._waiter.cancel()
        return CancelResponse.ACCEPT

    async def _execute(self, goal_handle: Any) -> RunTask.Result:
        """Run the task in a thread of its own, so that this node goes on answering."""
        request: RunTask.Goal = goal_handle.request
        try:
            profile = get_profile(request.profile or "milo")
        except UnknownProfileError as error:
            self._busy = False
            goal_handle.abort()
            return RunTask.Result(error_code=RunTaskError.INVALID_GOAL, error_msg=str(error))
        self._waiter.start(request.time_limit)
        runner = self._runner(goal_handle, self._make_planner(), profile)
        goals = [sub_goal_from_msg(goal) for goal in request.goals]
        try:
            outcome = await result_of(self, self._start_task(runner, goals, request.min_step))
        except Exception as error:
            text = f"The planner failed: {type(error).__name__}: {error}."
            self.get_logger().error("".join(traceback.format_exception(error)))
            goal_handle.abort()
            return RunTask.Result(error_code=RunTaskError.UNKNOWN, error_msg=text)
        finally:
            self._busy = False
        return self._finish(goal_handle, outcome)

    def _runner(
        self, goal_handle: Any, planner: Planner, profile: Profile
    ) -> TaskRunner | ReactiveRunner:
        def on_step(record: StepRecord) -> None:
            self._publish_step(goal_handle, record)

        if not (profile.reactive or planner.always_reactive):
            return TaskRunner(
                planner, self._skills, self._world, profile, on_step, self._publish_plan
            )
        return ReactiveRunner(
            planner,
            self._skills,
            self._world,
            profile,
            on_step,
            self._publish_plan,
            self._publish_tree,
            max_steps=goal_handle.request.max_steps,
            seed=goal_handle.request.seed,
        )

    @staticmethod
    def _start_task(
        runner: TaskRunner | ReactiveRunner, goals: list[SubGoal], min_step: int
    ) -> JobFuture[TaskOutcome]:
        """Run a task in a thread that never holds up the end of the process."""
        job: JobFuture[TaskOutcome] = JobFuture()

        def work() -> None:
            try:
                job.set_result(runner.run(goals, min_step))
            except Exception as error:
                job.set_exception(error)

        threading.Thread(target=work, name="task", daemon=True).start()
        return job

    def _finish(self, goal_handle: Any, outcome: TaskOutcome) -> RunTask.Result:
        if outcome.code == RunTaskError.CANCELED and goal_handle.is_cancel_requested:
            goal_handle.canceled()
        elif outcome.code:
            goal_handle.abort()
        else:
            goal_handle.succeed()
        return RunTask.Result(
            plans=[plan_msg(record) for record in outcome.records],
            recoveries=[recovery_msg(record) for record in outcome.recoveries],
            outcomes=[outcome_msg(record) for record in outcome.outcomes],
            tree=self._tree_msg(outcome.tree),
            plan_success=outcome.plan_success,
            execution_success=outcome.execution_success,
            failure_cause=outcome.message,
            step=outcome.engine_step,
            error_code=int(outcome.code),
            error_msg=outcome.message,
        )

    def _publish_step(self, goal_handle: Any, record: StepRecord) -> None:
        goal_handle.publish_feedback(RunTask.Feedback(step=plan_step_msg(record)))

    def _tree_msg(self, tree: TreeRecord | None) -> TreeSnapshot:
        message = tree_msg(tree)
        message.header.stamp = self.get_clock().now().to_msg()
        return message

    def _publish_tree(self, tree: TreeRecord) -> None:
        self._tree_publisher.publish(self._tree_msg(tree))

    def _publish_plan(self, record: SubGoalRecord) -> None:
        self._plan_publisher.publish(plan_msg(record))
