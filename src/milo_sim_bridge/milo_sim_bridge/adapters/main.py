"""Entry point of standard_interfaces."""

from typing import NoReturn

from milo_ros.node_main import run_node


def main() -> NoReturn:
    """Run the node."""
    run_node("milo_sim_bridge.adapters.node", "StandardInterfaces")


if __name__ == "__main__":
    main()
