"""The end of a node's process."""

import os
import sys

import pytest
from graph_harness import Graph, cut_short

pytest.importorskip("rclpy", reason="needs ROS 2")

pytestmark = [pytest.mark.graph, pytest.mark.timeout(60)]

NODE_THAT_HANGS = """
import threading

from rclpy.node import Node


class Hangs(Node):
    def __init__(self):
        super().__init__("hangs")
        self.create_timer(0.0, lambda: print("spins", flush=True))

    def destroy_node(self):
        threading.Event().wait()
"""


def test_a_clean_up_that_hangs_is_cut_short(graph: Graph) -> None:
    (graph.folder / "node_that_hangs.py").write_text(NODE_THAT_HANGS)
    run = "from milo_ros import node_main; node_main.run_node('node_that_hangs', 'Hangs')"
    path = f"{graph.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    graph.start("hangs", sys.executable, "-c", run, env={"PYTHONPATH": path})
    graph.wait_for(lambda: "spins" in graph.log("hangs"), "the node")
    codes = graph.stop()
    assert cut_short(codes["hangs"], graph.log("hangs"))
    assert "destroy_node" in graph.log("hangs")
    graph.processes.clear()
