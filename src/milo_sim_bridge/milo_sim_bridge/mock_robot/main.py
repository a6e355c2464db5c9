"""Entry point of mock_robot."""

import sys

from milo_ros.node_main import run_node


def main() -> int:
    """Run the node."""
    return run_node("milo_sim_bridge.mock_robot.node", "MockRobot")


if __name__ == "__main__":
    sys.exit(main())
