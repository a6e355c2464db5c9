"""Entry point of the node thor_bridge."""

from typing import NoReturn

from milo_ros.node_main import run_node


def main() -> NoReturn:
    """Run the node."""
    run_node("milo_sim_bridge.thor_bridge", "ThorBridge")
