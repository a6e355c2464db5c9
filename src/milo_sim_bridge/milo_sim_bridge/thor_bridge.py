"""Entry point of the node thor_bridge.

Exit code 0: told to stop, at whatever moment. 2: a parameter can't be used; one sentence on
standard error says why.
"""

import sys
from typing import TYPE_CHECKING

from milo_sim_bridge.startup import QuietSignals

if TYPE_CHECKING:
    from milo_sim_bridge.bridge_node import ThorBridge

EXIT_USAGE = 2


def main(args: list[str] | None = None) -> int:
    """Run the node; returns the exit code."""
    signals = QuietSignals()
    from milo_ros.node_main import run_node
    from milo_sim_bridge import bridge_node  # noqa: F401 - slow, and no node exists yet

    signals.node_starts()
    return run_node(_make_node, args)


def _make_node() -> "ThorBridge":
    from rclpy.exceptions import ParameterException

    from milo_core.errors import MiloError
    from milo_sim_bridge.bridge_node import ThorBridge

    try:
        return ThorBridge()
    except (MiloError, ParameterException) as error:
        print(error, file=sys.stderr)
        raise SystemExit(EXIT_USAGE) from error


if __name__ == "__main__":
    raise SystemExit(main())
