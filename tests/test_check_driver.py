"""check_driver on a sound driver, and on drivers with one fault each."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from graph_harness import Graph, Probe, wait_for

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from ament_index_python.packages import get_package_prefix

from milo_sim_bridge.check_driver import check
from milo_sim_bridge.contract import load
from milo_sim_bridge.contract_findings import Finding
from milo_sim_bridge.contract_rules import failed

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
