"""Runs one node until it is told to stop.

SIGINT and SIGTERM end the process with exit code 0 at any moment, also during the slow imports,
while the node is made, or twice in a row. Settings that can't be used give one sentence and exit
code 2. Any other exception is a bug and ends the process with its traceback.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

EXIT_USAGE = 2


class _Signals:
    """What a signal does in the phases of the process."""

    def __init__(self) -> None:
        self._started = False
        self._leaving = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def node_starts(self) -> None:
        """From now on there is something to clean up."""
        self._started = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._started:
            os._exit(0)  # nothing exists yet; an exception out of an import would be printed
        if not self._leaving:
            self._leaving = True
            raise KeyboardInterrupt


def run(load: Callable[[], Callable[[], Any]], args: Sequence[str] | None = None) -> int:
    """Run a node and return the exit code of the process.

    Args:
        load: imports what the node needs and returns its constructor.
        args: command line for rclpy; None: the process's own.
    """
    signals = _Signals()
    import rclpy
    from rclpy.exceptions import ParameterException
    from rclpy.executors import ExternalShutdownException

    from milo_core.errors import MiloError

    make_node = load()
    signals.node_starts()
    node = None
    try:
        rclpy.init(args=args)
        node = make_node()
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except (MiloError, ParameterException) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    except Exception:
        # A shutdown in the middle of a call surfaces as an error of that call.
        if rclpy.ok():
            raise
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
