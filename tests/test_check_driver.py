"""check_driver on a sound driver, and on drivers with one fault each."""

import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from graph_harness import Graph, Probe, wait_for

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from ament_index_python.packages import get_package_prefix, get_package_share_directory
from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosgraph_msgs.msg import Clock

from milo_ros.qos import LATCHED, SENSOR
from milo_sim_bridge.check_driver import check
from milo_sim_bridge.contract import load
from milo_sim_bridge.contract_findings import Finding, Status
from milo_sim_bridge.contract_rules import failed
from milo_sim_bridge.message_facts import interface_class

pytestmark = [pytest.mark.graph, pytest.mark.timeout(120)]
PACKAGE = "milo_sim_bridge"
COLOR, INFO = "camera/color/image_raw", "camera/color/camera_info"
DEPTH = "camera/depth/image_raw"
FAULTS: dict[str, dict[tuple[str, str], str]] = {
    "none": {},
    # The calibration can't be that of an image in another frame.
    "wrong_frame": {
        (COLOR, "frame"): "must be 'camera_color_optical_frame'",
        (INFO, "content"): "must be the same",
    },
    "wrong_encoding": {(COLOR, "content"): "must be rgb8 or bgr8"},
    "stale_stamp": {("odom", "stamps"): "old when its message comes"},
    "stamps_go_back": {(DEPTH, "stamps"): "go back by 1.000 s"},
    "best_effort_facts": {("object_states", "qos"): "publish it reliable"},
    "missing_action": {("pick", "present"): "Nothing serves the action pick"},
    "wrong_type": {("odom", "type"): "it must be nav_msgs/msg/Odometry"},
    "wrong_camera_model": {(INFO, "content"): "describes 640x24 pixels, the image has 32x24"},
    "broken_tree": {("tf", "frame"): "odom and base_link are not connected"},
    "millimetres": {(DEPTH, "content"): "millimetres are 16UC1"},
    "accepts_garbage": {("pick", "refusal"): "reports success for an impossible goal"},
    "code_without_reason": {("place", "refusal"): "without a reason"},
    "never_answers": {("set_open", "refusal"): "has not ended an impossible goal"},
    "too_slow": {(COLOR, "rate"): "at least 1 Hz"},
}
"""Fault -> the rows that must fail, and what they must say."""


def test_every_seeded_fault_is_named_by_its_row(graph: Graph) -> None:
    script = str(Path(__file__).with_name("faulty_robots.py"))
    graph.start("robots", sys.executable, script, *FAULTS)
    contract = load()

    def check_one(fault: str) -> list[Finding]:
        # The image that is too slow must be waited for until it could have come.
        return failed(check(contract, fault, duration=2.5, timeout=5.0, domain=graph.domain))

    with ThreadPoolExecutor(4) as pool:
        found = dict(zip(FAULTS, pool.map(check_one, FAULTS), strict=True))
    for fault, expected in FAULTS.items():
        rows = {(f.interface, str(f.check)): f.detail for f in found[fault]}
        assert set(rows) == set(expected), f"{fault}: {rows}"
        for row, words in expected.items():
            assert words in rows[row], f"{fault}: {rows[row]}"


def run_check(graph: Graph, name: str, *options: str) -> tuple[int, str]:
    path = Path(get_package_prefix(PACKAGE), "lib", PACKAGE, "check_driver")
    process = graph.start(name, str(path), *options)
    graph.may_end(name)
    wait_for(lambda: process.poll() is not None, "the end of the check", 60.0)
    del graph.processes[name]
    return process.returncode, graph.log(name)


def test_the_command_and_its_exit_codes(graph: Graph, probe: Probe, tmp_path: Path) -> None:
    graph.start_executable("milo_sim_bridge", "mock_robot")
    probe.until(lambda: "mock_robot" in probe.node.get_node_names(), "the robot")
    code, text = run_check(graph, "kept", "--duration", "1.5")
    assert code == 0, text
    assert "The driver keeps the contract." in text
    code, text = run_check(graph, "listening", "--read-only", "--duration", "1.5", "--json")
    assert code == 0, text
    findings = json.loads(text)
    assert {f["interface"] for f in findings} >= {"odom", "tf"}
    assert not any(f["interface"] == "pick" for f in findings)
    code, text = run_check(
        graph, "elsewhere", "--namespace", "nobody", "--timeout", "0.5", "--duration", "0.5"
    )
    assert code == 1
    assert "Nothing of the contract was found" in text
    wrong = tmp_path / "contract.yaml"
    wrong.write_text("name: x\n")
    code, text = run_check(graph, "wrong", "--contract", str(wrong))
    assert code == 2
    assert len(text.strip().splitlines()) == 1


def test_the_simulator_keeps_the_contract_too(graph: Graph) -> None:
    graph.start_executable("milo_sim_bridge", "thor_bridge", namespace="/sim")
    findings = check(
        load(), "sim", scene="FloorPlan1", duration=2.5, timeout=15.0, domain=graph.domain
    )
    assert failed(findings) == []
    passed = {(f.interface, str(f.check)) for f in findings if f.status is Status.PASSED}
    assert passed >= {("sim/metadata", "rate"), ("look_at", "refusal"), ("clock", "present")}


def package_of(kind: Any) -> str:
    return str(kind.__module__).split(".")[0]


def definition(kind: Any) -> str:
    """The text of a message's own file; what it nests is not needed to play raw messages."""
    share = Path(get_package_share_directory(package_of(kind)))
    return (share / "msg" / f"{kind.__name__}.msg").read_text()


class Bag:
    """A rosbag2 folder (MCAP) of some topics, recorded as they were sent, and its player."""

    def __init__(self, probe: Probe, folder: Path, topics: dict[str, tuple[Any, Any]]) -> None:
        self._probe = probe
        self._folder = folder
        self._topics = topics
        self._messages: list[tuple[str, int, bytes]] = []
        self._hashes: dict[str, str] = {}
        for name, (kind, qos) in topics.items():
            probe.node.create_subscription(kind, name, self._taker(name), qos, raw=True)

    def _taker(self, name: str) -> Callable[[bytes], None]:
        return lambda data: self._messages.append((name, time.time_ns(), bytes(data)))

    def record(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._probe.until(lambda: time.monotonic() > end, "the recording", seconds + 5)
        for name in self._topics:
            (sender, *_) = self._probe.node.get_publishers_info_by_topic(name)
            self._hashes[name] = str(sender.topic_type_hash)
        with Writer(self._folder, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
            connections = {
                name: bag.add_connection(
                    name,
                    f"{package_of(kind)}/msg/{kind.__name__}",
                    msgdef=definition(kind),
                    rihs01=self._hashes[name],
                )
                for name, (kind, _) in self._topics.items()
            }
            for name, received, data in self._messages:
                bag.write(connections[name], received, data)

    def play(self, namespace: str, until: Callable[[], bool]) -> None:
        """Publish the bag's messages in their rhythm, with the clock of the recording."""
        node = self._probe.node
        publishers = {
            name: node.create_publisher(kind, f"{namespace}/{name}", qos)
            for name, (kind, qos) in self._topics.items()
        }
        clock = node.create_publisher(Clock, f"{namespace}/clock", 10)
        with Reader(self._folder) as bag:
            lag = time.time_ns() - bag.start_time
            for connection, received, data in bag.messages():
                while time.time_ns() - lag < received and not until():
                    self._probe.executor.spin_once(timeout_sec=0.01)
                    seconds, rest = divmod(time.time_ns() - lag, 10**9)
                    clock.publish(Clock(clock=Time(sec=seconds, nanosec=rest)))
                if until():
                    break
                publishers[connection.topic].publish(bytes(data))
            assert until(), f"the bag of {bag.duration / 1e9:.1f} s was too short"


def test_the_read_only_part_on_a_bag_that_is_played(
    graph: Graph, probe: Probe, tmp_path: Path
) -> None:
    parameters = {"width": 32, "height": 24}
    graph.start_executable("milo_sim_bridge", "mock_robot", parameters=parameters)
    kinds = {i.name: (interface_class(i.type), i) for i in load().checked(read_only=True)}
    wanted = [COLOR, DEPTH, INFO, "odom", "tf", "tf_static", "object_states"]
    qos = dict.fromkeys((COLOR, DEPTH, INFO, "odom"), SENSOR)
    qos |= {"tf": QoSProfile(depth=100), "tf_static": LATCHED, "object_states": LATCHED}
    bag = Bag(probe, tmp_path / "bag", {name: (kinds[name][0], qos[name]) for name in wanted})
    bag.record(9.0)
    graph.stop()
    graph.processes.clear()

    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(
            check,
            load(),
            "bag",
            read_only=True,
            duration=2.0,
            timeout=4.0,
            domain=graph.domain,
        )
        bag.play("bag", checking.done)
        findings = checking.result()
    assert failed(findings) == []
    assert {f.interface for f in findings if f.status is Status.PASSED} == {*wanted, "clock"}
