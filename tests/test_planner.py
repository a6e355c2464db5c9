"""planner and world_model as processes, with the test's own node as the driver."""

from typing import Any

import pytest
from graph_harness import Graph, Probe

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from action_msgs.msg import GoalStatus
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter
from rclpy.task import Future

from milo_core.error_codes import EngineError, PickError, RunTaskError
from milo_msgs.action import NavigateTo, Pick, Place, Release, RunTask, SetOpen
from milo_msgs.msg import ObjectState, Plan, PlanStep, SimMetadata, SubGoal, WorldState
from milo_ros.qos import LATCHED

pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]
STORE = SubGoal(goal="store", object="mug", target="drawer")
SKILLS = {
    "navigate_to": NavigateTo,
    "pick": Pick,
    "place": Place,
    "set_open": SetOpen,
    "release": Release,
}


class Driver:
    """A symbolic robot: offers the skills and publishes what they changed as metadata."""

    def __init__(self, probe: Probe) -> None:
        self.step = 1
        self.calls: list[tuple[str, str]] = []
        self.answers: dict[str, tuple[int, str]] = {}
        self.held_back: dict[str, Future] = {}
        self.silent = False
        self.objects = {
            "Mug|1": ObjectState(object_id="Mug|1", object_type="Mug", pickupable=True),
            "Drawer|1": ObjectState(
                object_id="Drawer|1", object_type="Drawer", openable=True, receptacle=True
            ),
        }
        self.held = ""
        self.probe = probe
        self.publisher = probe.node.create_publisher(SimMetadata, "sim/metadata", LATCHED)
        group = ReentrantCallbackGroup()
        self.servers = [
            ActionServer(
                probe.node,
                kind,
                name,
                self._execute(name, kind),
                callback_group=group,
                cancel_callback=self._cancel,
            )
            for name, kind in SKILLS.items()
        ]
        self.publish()

    def publish(self) -> None:
        self.publisher.publish(
            SimMetadata(
                step=self.step,
                scene="FloorPlan1",
                held_object_id=self.held,
                objects=list(self.objects.values()),
            )
        )

    def hold_back(self, skill: str) -> None:
        """Let a skill run until it is canceled."""
        self.held_back[skill] = Future(executor=self.probe.executor)

    def _cancel(self, _: Any) -> CancelResponse:
        for future in self.held_back.values():
            future.set_result(None)
        return CancelResponse.ACCEPT

    def _execute(self, name: str, kind: Any) -> Any:
        async def execute(handle: Any) -> Any:
            request = handle.request
            subject = getattr(request, "receptacle_id", "") or request.object_id
            self.calls.append((name, subject))
            if name in self.held_back:
                await self.held_back[name]
                handle.canceled()
                return kind.Result(error_code=103, error_msg="Canceled.", step=self.step)
            code, text = self.answers.get(name, (0, ""))
            if not code:
                self._apply(name, request)
            self.step += 1
            if not self.silent:
                self.publish()
            handle.abort() if code else handle.succeed()
            return kind.Result(error_code=code, error_msg=text, step=self.step)

        return execute

    def _apply(self, name: str, request: Any) -> None:
        if name == "pick":
            self.held = request.object_id
        elif name == "place":
            self.objects[self.held].parent_receptacles = [request.receptacle_id]
            self.held = ""
        elif name == "set_open":
            self.objects[request.object_id].is_open = int(request.openness > 0)


@pytest.fixture
def driver(probe: Probe) -> Driver:
    return Driver(probe)


@pytest.fixture
def nodes(graph: Graph, driver: Driver) -> None:
    graph.start_executable("milo_planner", "world_model")
    timeouts = {"world_state_timeout": 2.0, "skill_timeout": 20.0}
    graph.start_executable("milo_planner", "planner", parameters=timeouts)


def statuses(plan: Plan) -> list[int]:
    return [step.status for step in plan.steps]


def test_a_store_task_and_what_is_published_of_it(nodes: None, driver: Driver, probe: Probe):
    plans = probe.collect(Plan, "plan", LATCHED)
    worlds = probe.collect(WorldState, "world_state", LATCHED)
    run = probe.send(RunTask, "run_task", goals=[STORE], profile="milo", min_step=1)
    result = run.result()
    assert (result.error_code, result.failure_cause) == (0, "")
    assert result.plan_success
    assert result.execution_success
    assert statuses(result.plans[0]) == [PlanStep.SUCCEEDED] * 8
    assert result.step == driver.step
    assert [name for name, _ in driver.calls] == [
        *("navigate_to", "pick", "navigate_to", "set_open", "place", "set_open")
    ]
    expected = [(n, s) for n in range(1, 9) for s in (PlanStep.RUNNING, PlanStep.SUCCEEDED)]
    seen = [(f.step.step_id, f.step.status) for f in run.feedback]
    # Feedback is lost before the two ends have met, and after the result.
    assert seen == [entry for entry in expected if entry in seen]
    assert len(seen) >= 4
    probe.until(lambda: plans and plans[-1].status == Plan.SUCCEEDED, "the final plan")
    probe.until(lambda: worlds and worlds[-1].step == driver.step, "the final world state")
    assert worlds[-1].world_source == "simulated"


def test_a_refused_skill_fails_its_step_and_skips_the_rest(
    nodes: None, driver: Driver, probe: Probe
):
    driver.answers["pick"] = (int(PickError.NOT_VISIBLE), "Not to be seen.")
    result = probe.do(RunTask, "run_task", goals=[STORE], min_step=1)
    assert result.error_code == RunTaskError.EXECUTION_FAILED
    assert result.failure_cause == "Not to be seen."
    assert result.plan_success
    assert statuses(result.plans[0])[1:] == [
        PlanStep.SUCCEEDED,
        PlanStep.FAILED,
        *[PlanStep.SKIPPED] * 5,
    ]
    assert result.plans[0].steps[2].error_code == PickError.NOT_VISIBLE


def test_an_engine_failure_is_passed_on(nodes: None, driver: Driver, probe: Probe):
    driver.answers["pick"] = (int(EngineError.ENGINE_DIED), "The player died.")
    result = probe.do(RunTask, "run_task", goals=[STORE, STORE], min_step=1)
    assert result.error_code == EngineError.ENGINE_DIED
    assert len(result.plans) == 1


@pytest.mark.parametrize(
    ("goals", "profile", "code", "text"),
    [
        ([], "milo", RunTaskError.INVALID_GOAL, "no goals"),
        ([SubGoal(goal="juggle", object="mug")], "", RunTaskError.UNSUPPORTED_GOAL, "juggle"),
        ([SubGoal(goal="find", object="unicorn")], "", RunTaskError.UNKNOWN_OBJECT_TYPE, "unicorn"),
        ([STORE], "lenient", RunTaskError.INVALID_GOAL, "no profile 'lenient'; use milo"),
        ([SubGoal(goal="find", object="vase")], "", RunTaskError.NO_PLAN, "no instance is known"),
    ],
)
def test_impossible_tasks_get_a_code_and_nothing_moves(
    nodes: None, driver: Driver, probe: Probe, goals, profile, code, text
):
    result = probe.do(RunTask, "run_task", goals=goals, profile=profile, min_step=1)
    assert result.error_code == code
    assert text in result.error_msg
    assert driver.calls == []


def test_cancel_ends_the_skill_and_the_task(nodes: None, driver: Driver, probe: Probe):
    driver.hold_back("pick")
    run = probe.send(RunTask, "run_task", goals=[STORE], min_step=1)
    probe.until(lambda: ("pick", "Mug|1") in driver.calls, "the pick")
    run.cancel()
    outcome = run.outcome()
    assert outcome.status == GoalStatus.STATUS_CANCELED
    assert outcome.result.error_code == RunTaskError.CANCELED
    assert statuses(outcome.result.plans[0])[2] == PlanStep.CANCELED
    driver.held_back.clear()
    assert probe.do(RunTask, "run_task", goals=[STORE], min_step=1).error_code == 0


def test_the_time_limit_ends_the_task(nodes: None, driver: Driver, probe: Probe):
    driver.hold_back("navigate_to")
    result = probe.do(RunTask, "run_task", goals=[STORE], min_step=1, time_limit=0.3)
    assert result.error_code == RunTaskError.TIME_LIMIT


def test_a_second_task_is_rejected_while_one_runs(nodes: None, driver: Driver, probe: Probe):
    driver.hold_back("pick")
    run = probe.send(RunTask, "run_task", goals=[STORE], min_step=1)
    probe.until(lambda: ("pick", "Mug|1") in driver.calls, "the pick")
    client = probe.action(RunTask, "run_task")
    second = probe.until_done(client.send_goal_async(RunTask.Goal(goals=[STORE])), "the answer")
    assert not second.accepted
    run.cancel()
    run.result()


def test_a_world_that_stands_still_is_noticed(nodes: None, driver: Driver, probe: Probe):
    driver.silent = True
    result = probe.do(RunTask, "run_task", goals=[STORE], min_step=1)
    assert result.error_code == RunTaskError.EXECUTION_FAILED
    assert "is the world_model node running?" in result.error_msg


def test_the_planner_parameter_takes_only_known_names(nodes: None, probe: Probe):
    def set_planner(name: str) -> Any:
        parameter = Parameter("planner", value=name).to_parameter_msg()
        return probe.call(SetParameters, "planner/set_parameters", parameters=[parameter])

    refused = set_planner("oracle9").results[0]
    assert not refused.successful
    assert refused.reason.startswith(
        "There is no planner 'oracle9'; use rule_based, behavior_tree, htn"
    )
    assert set_planner("rule_based").results[0].successful


def test_without_a_driver_the_task_says_so(graph: Graph, probe: Probe):
    world = WorldState(step=1, objects=[ObjectState(object_id="Mug|1", object_type="Mug")])
    publisher = probe.node.create_publisher(WorldState, "world_state", LATCHED)
    publisher.publish(world)
    graph.start_executable("milo_planner", "planner", parameters={"driver_timeout": 0.5})
    goal = SubGoal(goal="pick_up", object="mug")
    result = probe.do(RunTask, "run_task", goals=[goal], min_step=1)
    assert result.plans[0].steps[1].error_code == RunTaskError.DRIVER_UNAVAILABLE
    assert "is the bridge or robot driver running?" in result.error_msg


@pytest.mark.parametrize(
    ("executable", "parameter", "text"),
    [
        ("planner", {"planner": "oracle9"}, "no planner 'oracle9'; use rule_based"),
        ("world_model", {"world_source": "guess"}, "no world_source 'guess'; use simulated"),
    ],
)
def test_a_wrong_parameter_ends_the_node_with_one_sentence(
    graph: Graph, executable: str, parameter: dict[str, str], text: str
):
    process = graph.start_executable("milo_planner", executable, parameters=parameter)
    assert process.wait(20) == 2
    assert text in graph.log(executable)
    assert "Traceback" not in graph.log(executable)
    del graph.processes[executable]
