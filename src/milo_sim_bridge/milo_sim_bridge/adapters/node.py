"""The node standard_interfaces: offers what is installed, and says in one sentence what is not."""

import array
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import Image

from milo_core.error_codes import NONE
from milo_msgs.action import NavigateTo, Pick, Release
from milo_msgs.msg import InstanceLabels, SimMetadata, WorldState
from milo_msgs.srv import ResetScene
from milo_ros.qos import LATCHED, SENSOR
from milo_sim_bridge.adapters import translations as to
from milo_sim_bridge.adapters.translations import Unsupported

_SUBSYSTEMS = ("nav2_msgs", "control_msgs", "vision_msgs", "simulation_interfaces")


class StandardInterfaces(Node):
    """Serves the standard interfaces of `translations.INTERFACES` by the robot contract."""

    def __init__(self) -> None:
        super().__init__("standard_interfaces")
        self._half_open: float = self.declare_parameter(
            "gripper_half_open",
            0.02,
            ParameterDescriptor(
                description="Finger position above which a gripper command opens, metres.",
                read_only=True,
            ),
        ).value
        self._group = ReentrantCallbackGroup()
        self._metadata: SimMetadata | None = None
        self._world = WorldState()
        self._labels: dict[int, tuple[str, str]] = {}
        self._sent: dict[bytes, Any] = {}
        for package in _SUBSYSTEMS:
            self._offer(package)

    def _offer(self, package: str) -> None:
        try:
            import_module(package)
        except ImportError:
            interfaces = ", ".join(
                m.interface.rpartition("/")[2] for m in to.INTERFACES if m.package == package
            )
            self.get_logger().info(
                f"{package} is not installed, so {interfaces} are not offered; "
                f"sudo apt-get install ros-$ROS_DISTRO-{package.replace('_', '-')} brings it."
            )
            return
        getattr(self, f"_offer_{package}")()

    def _serve_action(
        self, kind: Any, name: str, execute: Callable[[ServerGoalHandle], Any]
    ) -> None:
        ActionServer(
            self,
            kind,
            name,
            execute,
            callback_group=self._group,
            cancel_callback=self._cancel,
        )

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        sent = self._sent.get(bytes(handle.goal_id.uuid))
        if sent is not None:
            sent.cancel_goal_async()
        return CancelResponse.ACCEPT

    def _client(self, kind: Any, name: str) -> ActionClient:
        return ActionClient(self, kind, name, callback_group=self._group)

    async def _forward(
        self,
        handle: ServerGoalHandle,
        client: ActionClient,
        goal: Any,
        on_feedback: Callable[[Any], None] = lambda _: None,
    ) -> Any:
        """Send a goal on and return its result; None: it was rejected."""
        sent = await client.send_goal_async(
            goal, feedback_callback=lambda message: on_feedback(message.feedback)
        )
        if not sent.accepted:
            return None
        goal_id = bytes(handle.goal_id.uuid)
        self._sent[goal_id] = sent
        try:
            if handle.is_cancel_requested:
                sent.cancel_goal_async()
            return (await sent.get_result_async()).result
        finally:
            del self._sent[goal_id]

    # -- nav2_msgs ---------------------------------------------------------------------------

    def _offer_nav2_msgs(self) -> None:
        kind = import_module("nav2_msgs.action").NavigateToPose
        client = self._client(NavigateTo, "navigate_to")

        async def execute(handle: ServerGoalHandle) -> Any:
            def feedback(message: Any) -> None:
                if math.isfinite(message.distance_remaining):
                    handle.publish_feedback(to.navigation_feedback(message, kind.Feedback()))

            goal = to.navigation_goal(handle.request, NavigateTo.Goal(), NavigateTo.Goal.MODE_PATH)
            outcome = await self._forward(handle, client, goal, feedback)
            result = kind.Result()
            if outcome is None:
                handle.abort()
                result.error_msg = "The driver rejected the goal."
                return result
            _end(handle, outcome.error_code == NONE)
            return to.navigation_result(outcome, result)

        self._serve_action(kind, "navigate_to_pose", execute)

    # -- control_msgs ------------------------------------------------------------------------

    def _offer_control_msgs(self) -> None:
        kind = import_module("control_msgs.action").ParallelGripperCommand
        clients = {"pick": self._client(Pick, "pick"), "release": self._client(Release, "release")}
        goals = {"pick": Pick.Goal, "release": Release.Goal}
        self.create_subscription(WorldState, "world_state", self._on_world, LATCHED)

        async def execute(handle: ServerGoalHandle) -> Any:
            result = kind.Result(state=handle.request.command)
            try:
                skill, object_id = to.gripper_request(
                    handle.request.command.position, self._half_open, self._world
                )
            except Unsupported as error:
                self.get_logger().warning(str(error))
                handle.abort()
                return result
            reached = True
            if skill in clients:
                goal = goals[skill](object_id=object_id)
                outcome = await self._forward(handle, clients[skill], goal)
                reached = outcome is not None and outcome.error_code == NONE
            result.reached_goal, result.stalled = reached, skill == "pick" and reached
            _end(handle, reached)
            return result

        self._serve_action(kind, "gripper_cmd", execute)

    def _on_world(self, message: WorldState) -> None:
        self._world = message

    # -- vision_msgs -------------------------------------------------------------------------

    def _offer_vision_msgs(self) -> None:
        messages = import_module("vision_msgs.msg")
        publisher = self.create_publisher(
            messages.Detection2DArray, "camera/labels/detections", SENSOR
        )

        def on_labels(table: InstanceLabels) -> None:
            self._labels = {e.label: (e.object_id, e.object_type) for e in table.labels}

        def on_image(image: Image) -> None:
            pixels = np.frombuffer(image.data, np.uint16).reshape(image.height, image.step // 2)
            array_message = messages.Detection2DArray(header=image.header)
            for box in to.label_boxes(pixels[:, : image.width]):
                if box.label in self._labels:
                    detection = to.fill_detection(
                        box,
                        *self._labels[box.label],
                        messages.Detection2D(header=image.header),
                        messages.ObjectHypothesisWithPose(),
                    )
                    array_message.detections.append(detection)
            publisher.publish(array_message)

        self.create_subscription(InstanceLabels, "camera/labels/instances", on_labels, LATCHED)
        self.create_subscription(Image, "camera/labels/image_raw", on_image, SENSOR)

    # -- simulation_interfaces ---------------------------------------------------------------

    def _offer_simulation_interfaces(self) -> None:
        services = import_module("simulation_interfaces.srv")
        self._simulation = import_module("simulation_interfaces.msg")
        self._reset = self.create_client(ResetScene, "reset_scene", callback_group=self._group)
        self.create_subscription(SimMetadata, "sim/metadata", self._on_metadata, LATCHED)
        for kind, callback in (
            ("GetSimulatorFeatures", self._features),
            ("LoadWorld", self._load_world),
            ("ResetSimulation", self._reset_simulation),
            ("GetEntities", self._entities),
            ("GetEntityState", self._entity_state),
            ("StepSimulation", self._step),
        ):
            name = next(m.name for m in to.INTERFACES if m.interface == f"srv/{kind}")
            self.create_service(getattr(services, kind), name, callback, callback_group=self._group)

    def _on_metadata(self, message: SimMetadata) -> None:
        self._metadata = message

    def _features(self, _: Any, response: Any) -> Any:
        kind = self._simulation.SimulatorFeatures
        response.features.features = array.array("H", to.features(kind))
        response.features.custom_info = "MILO: worlds are iTHOR scenes, e.g. FloorPlan1"
        return response

    async def _load_world(self, request: Any, response: Any) -> Any:
        try:
            scene = to.world_uri(request)
        except Unsupported as error:
            to.fill_result(response.result, "OPERATION_FAILED", str(error))
            return response
        await self._load(scene, response.result)
        response.world.name = scene
        return response

    async def _reset_simulation(self, _: Any, response: Any) -> Any:
        if self._metadata is None:
            to.fill_result(response.result, "INCORRECT_STATE", "No scene is loaded.")
            return response
        await self._load(self._metadata.scene, response.result)
        return response

    async def _load(self, scene: str, result: Any) -> None:
        if not self._reset.service_is_ready():
            to.fill_result(result, "OPERATION_FAILED", "Nothing serves reset_scene.")
            return
        answer = await self._reset.call_async(ResetScene.Request(scene=scene))
        name = "OK" if answer.success else "OPERATION_FAILED"
        to.fill_result(result, name, answer.error_msg)

    def _entities(self, request: Any, response: Any) -> Any:
        kind = self._simulation.EntityCategory
        numbers = {
            name: getattr(kind, f"CATEGORY_{name}") for name in ("ROBOT", "OBJECT", "STATIC_OBJECT")
        }
        metadata = self._metadata or SimMetadata()
        try:
            response.entities = to.entity_names(request, metadata, numbers)
        except Unsupported as error:
            to.fill_result(response.result, "FEATURE_UNSUPPORTED", str(error))
            return response
        to.fill_result(response.result, "OK")
        return response

    def _entity_state(self, request: Any, response: Any) -> Any:
        metadata = self._metadata or SimMetadata()
        pose = to.entity_pose(request.entity, metadata)
        if pose is None:
            text = f"There is no entity '{request.entity}'."
            to.fill_result(response.result, "NOT_FOUND", text)
            return response
        response.state.header, response.state.pose = metadata.header, pose
        to.fill_result(response.result, "OK")
        return response

    def _step(self, _: Any, response: Any) -> Any:
        text = "Time passes with the robot's actions only; use the skills."
        to.fill_result(response.result, "FEATURE_UNSUPPORTED", text)
        return response


def _end(handle: ServerGoalHandle, success: bool) -> None:
    if success:
        handle.succeed()
    elif handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()
