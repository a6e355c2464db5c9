"""Entry point of standard_interfaces."""

import sys

from milo_ros.node_main import run_node


def main() -> int:
    """Run the node."""
    return run_node("milo_sim_bridge.adapters.node", "StandardInterfaces")


if __name__ == "__main__":
    sys.exit(main())
