"""Entry point of the node thor_bridge."""

from milo_ros.node_main import run_node


def main() -> int:
    """Run the node; returns the exit code."""
    return run_node("milo_sim_bridge.thor_bridge", "ThorBridge")
