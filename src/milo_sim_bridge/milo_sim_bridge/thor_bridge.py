"""Entry point of the node thor_bridge."""

from collections.abc import Callable, Sequence
from typing import Any

from milo_sim_bridge.node_main import run


def _load() -> Callable[[], Any]:
    from milo_sim_bridge.bridge_node import ThorBridge

    return ThorBridge


def main(args: Sequence[str] | None = None) -> int:
    """Run the node; returns the exit code."""
    return run(_load, args)


if __name__ == "__main__":
    raise SystemExit(main())
