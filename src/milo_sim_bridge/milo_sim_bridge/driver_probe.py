"""Looks at a running driver through ROS: who offers what, which messages come, how goals end."""

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.graph import get_action_names_and_types
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from milo_core.errors import MiloError
from milo_ros.conversions import seconds
from milo_sim_bridge.contract import Contract, Interface
from milo_sim_bridge.contract_findings import Endpoint, GoalEnd, Observed, Sample
from milo_sim_bridge.message_facts import frame_of, interface_class, payload_of, stamp_of

_SCAN_PERIOD = 0.5
"""Seconds between looks at the graph; it tells nobody when a name appears."""
_PATIENCE = 2.0
"""Seconds for the response to a goal."""
_DEPTH = 50
_CLOCK_TYPE = "rosgraph_msgs/msg/Clock"
_FEEDBACK = "_FeedbackMessage"


class ProbeError(MiloError):
    """The driver can't be looked at as asked."""


class DriverProbe:
    """Observes the driver in one namespace.

    Args:
        node: a node in the driver's domain; this spins it.
        contract: what to look at.
        namespace: the driver's, e.g. `/left`; empty: the root.
        read_only: listen only; send no goals.
    """

    def __init__(
        self, node: Node, contract: Contract, namespace: str = "", read_only: bool = False
    ) -> None:
        self._node = node
        self._prefix = f"/{namespace.strip('/')}".rstrip("/")
        self._interfaces = contract.checked(read_only)
        self._groups = contract.groups(self._interfaces)
        self._observed = {i.name: Observed() for i in self._interfaces}
        self._names: dict[str, str] = {}
        self._subscribed: dict[str, float] = {}
        self._trials: dict[str, _Trial] = {}
        self._simulated_now: float | None = None
        self._clocks = [i.name for i in self._interfaces if i.type == _CLOCK_TYPE]
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)

    @property
    def observed(self) -> dict[str, Observed]:
        """What was seen so far, by the interface's name in the contract."""
        return self._observed

    def close(self) -> None:
        """Stop spinning the node."""
        self._executor.shutdown()

    def wait_until_present(self, timeout: float) -> bool:
        """Wait for everything that is required; False: something is still missing."""
        deadline = time.monotonic() + timeout
        while not self._is_complete():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            self._spin(min(_SCAN_PERIOD, remaining))
        return True

    def load_scene(self, scene: str, timeout: float) -> None:
        """Let a simulator load a scene.

        Raises:
            ProbeError: there is no such service, or it refuses.
        """
        from milo_msgs.srv import ResetScene

        name = self._resolve("reset_scene")
        client = self._node.create_client(ResetScene, name)
        if not self._until(client.service_is_ready, timeout):
            raise ProbeError(f"Nothing serves {name}; leave the scene out for a robot.")
        future = client.call_async(ResetScene.Request(scene=scene))
        if not self._until(future.done, timeout):
            raise ProbeError(f"{name} gave no answer within {timeout:g} s; see the driver's log.")
        response = future.result()
        if not response.success:
            raise ProbeError(f"{name} refused: {response.error_msg}")

    def listen(self, duration: float) -> None:
        """Take the messages of all topics for some seconds."""
        end = time.monotonic() + duration
        while time.monotonic() < end:
            self._scan()
            self._subscribe()
            self._prepare_trials()
            self._spin(min(_SCAN_PERIOD, end - time.monotonic()))
        now = time.monotonic()
        for name, begin in self._subscribed.items():
            self._observed[name].duration = now - begin

    def try_refusals(self, timeout: float) -> None:
        """Send every action a goal that can't be fulfilled, one after the other."""
        self._prepare_trials()
        trials = list(self._trials.values())
        self._until(lambda: all(trial.ready() for trial in trials), timeout)
        for trial in trials:
            self._try(trial, timeout)
            trial.close()
        self._trials.clear()

    def _try(self, trial: "_Trial", timeout: float) -> None:
        begin = time.monotonic()
        trial.send()
        # A server that has not yet met the client's end throws its first response away.
        if not self._until(trial.responded, min(timeout, _PATIENCE)):
            trial.send()
        self._until(trial.ended, timeout)
        self._observed[trial.interface.name].end = trial.end(time.monotonic() - begin)
        if not trial.ended():
            # A driver may do one thing at a time; the next goal is not to wait for this one.
            trial.cancel()
            self._until(trial.ended, min(timeout, _PATIENCE))

    def _prepare_trials(self) -> None:
        """Make a client of every action that is there; the sooner, the better they are met."""
        for interface in self._interfaces:
            name = interface.name
            if interface.refuses is None or name in self._trials:
                continue
            if _has_type(self._observed[name], interface.type):
                self._trials[name] = _Trial(self._node, self._resolve(name), interface)

    # -- the graph ---------------------------------------------------------------------------

    def _resolve(self, name: str) -> str:
        return name if name.startswith("/") else f"{self._prefix}/{name}"

    def _is_complete(self) -> bool:
        self._scan()
        seen = self._observed
        required = all(seen[i.name].endpoints for i in self._interfaces if i.required)
        return required and all(
            any(seen[member.name].endpoints for member in members)
            for members in self._groups.values()
        )

    def _scan(self) -> None:
        actions = dict(get_action_names_and_types(self._node))
        services = dict(self._node.get_service_names_and_types())
        for interface in self._interfaces:
            name = self._resolve(interface.name)
            match interface.kind:
                case "topic":
                    name, found = self._publishers(interface)
                    self._names[interface.name] = name
                case "subscription":
                    found = self._ends(self._node.get_subscriptions_info_by_topic(name))
                case "service":
                    serving = self._node.count_services(name)
                    found = [
                        Endpoint("", kind, "reliable", "volatile")
                        for kind in services.get(name, ())
                        if serving
                    ]
                case _:
                    feedback = f"{name}/_action/feedback"
                    servers = self._ends(self._node.get_publishers_info_by_topic(feedback))
                    found = [_of_action(end) for end in servers if name in actions]
            self._observed[interface.name].endpoints = found

    def _publishers(self, interface: Interface) -> tuple[str, list[Endpoint]]:
        """Return where a topic is, and who publishes it there."""
        name = self._resolve(interface.name)
        found = self._ends(self._node.get_publishers_info_by_topic(name))
        absolute = f"/{interface.name}"
        if not found and interface.global_name and name != absolute:
            # In the root it may also be another graph's.
            ends = self._ends(self._node.get_publishers_info_by_topic(absolute))
            found = [end for end in ends if end.node.startswith(f"{self._prefix}/")]
            name = absolute if found else name
        return name, found

    def _ends(self, infos: list[Any]) -> list[Endpoint]:
        own = self._node.get_fully_qualified_name()
        ends = []
        for info in infos:
            node = f"{info.node_namespace.rstrip('/')}/{info.node_name}"
            if node != own:
                qos = info.qos_profile
                ends.append(
                    Endpoint(
                        node,
                        info.topic_type,
                        "best_effort"
                        if qos.reliability == ReliabilityPolicy.BEST_EFFORT
                        else "reliable",
                        "transient_local"
                        if qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
                        else "volatile",
                    )
                )
        return ends

    # -- messages ----------------------------------------------------------------------------

    def _subscribe(self) -> None:
        for interface in self._interfaces:
            seen = self._observed[interface.name]
            if interface.kind != "topic" or interface.name in self._subscribed:
                continue
            if not _has_type(seen, interface.type):
                continue
            self._subscribed[interface.name] = time.monotonic()
            self._node.create_subscription(
                interface_class(interface.type),
                self._names[interface.name],
                self._taker(interface, seen),
                _matching_qos(seen.endpoints),
            )

    def _taker(self, interface: Interface, seen: Observed) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            if isinstance(message, Clock):
                self._simulated_now = seconds(message.clock)
            child = getattr(message, "child_frame_id", None)
            seen.samples.append(
                Sample(
                    received=time.monotonic(),
                    now=self._now(),
                    stamp=stamp_of(message),
                    frame=frame_of(message),
                    child_frame=child,
                    payload=payload_of(interface.content, message),
                )
            )

        return take

    def _now(self) -> float:
        if self._simulated_now is not None:
            return self._simulated_now
        if any(self._observed[name].endpoints for name in self._clocks):
            return math.nan  # it has not ticked yet
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def _spin(self, seconds: float) -> None:
        self._until(lambda: False, seconds)

    def _until(self, condition: Callable[[], bool], timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while not condition():
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            self._executor.spin_once(timeout_sec=min(remaining, 0.05))
        return True


class _Trial:
    """One goal that can't be fulfilled."""

    def __init__(self, node: Node, name: str, interface: Interface) -> None:
        self.interface = interface
        self._kind = interface_class(interface.type)
        self._client = ActionClient(node, self._kind, name)
        self._response: Any = None
        self._result: Any = None

    def ready(self) -> bool:
        return bool(self._client.server_is_ready())

    def send(self) -> None:
        assert self.interface.refuses is not None
        goal = self._kind.Goal(**self.interface.refuses.goal)
        self._response = self._client.send_goal_async(goal)
        self._response.add_done_callback(self._on_response)

    def _on_response(self, future: Any) -> None:
        handle = future.result()
        if handle is not None and handle.accepted:
            self._result = handle.get_result_async()

    def responded(self) -> bool:
        return bool(self._response.done())

    def ended(self) -> bool:
        if self._result is not None:
            return bool(self._result.done())
        return bool(self._response.done() and not self._response.result().accepted)

    def end(self, waited: float) -> GoalEnd:
        if not self._response.done():
            return GoalEnd(accepted=True, answered=False, waited=waited)
        if self._result is None:
            return GoalEnd(accepted=False)
        if not self._result.done():
            return GoalEnd(accepted=True, answered=False, waited=waited)
        outcome = self._result.result()
        result = outcome.result
        return GoalEnd(True, outcome.status, result.error_code, result.error_msg)

    def cancel(self) -> None:
        if self._result is not None:
            self._response.result().cancel_goal_async()

    def close(self) -> None:
        self._client.destroy()


def _has_type(seen: Observed, wanted: str) -> bool:
    return bool(seen.endpoints) and all(end.type == wanted for end in seen.endpoints)


def _of_action(end: Endpoint) -> Endpoint:
    return Endpoint(end.node, end.type.removesuffix(_FEEDBACK), end.reliability, end.durability)


def _matching_qos(ends: list[Endpoint]) -> QoSProfile:
    """A profile that gets the messages of all publishers, whatever they offer."""
    reliable = all(end.reliability == "reliable" for end in ends)
    kept = all(end.durability == "transient_local" for end in ends)
    return QoSProfile(
        depth=_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if kept else DurabilityPolicy.VOLATILE,
    )
