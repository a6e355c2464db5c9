"""The main function of every MILO node.

Light to import: it is in force before the node's own slow imports begin.
"""

import faulthandler
import gc
import importlib
import os
import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from rclpy.executors import Executor
    from rclpy.node import Node

EXIT_USAGE = 2
WAKE_PERIOD = 0.5
"""Seconds after which a signal is noticed at the latest."""
CLEAN_UP_LIMIT = 8.0
"""Seconds after which a clean-up that hangs is cut short."""


class _StopRequests:
    """Whether SIGINT or SIGTERM came.

    Until `node_starts` the process ends at once with 0: nothing exists yet, and an exception out
    of an import would be printed. Later rclpy's own handler shuts the context down, which ends the
    spinning; raising KeyboardInterrupt as well could hit any line of the clean-up.
    """

    def __init__(self) -> None:
        self.received = False
        self._started = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def node_starts(self) -> None:
        """From now on there is something to clean up."""
        self._started = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.received = True
        if not self._started:
            os._exit(0)


def run_node(module: str, node_class: str, args: list[str] | None = None) -> NoReturn:
    """Run a node until it is told to stop, then end the process.

    Exit codes: 0: told to stop by SIGINT or SIGTERM, at whatever moment and however often. 2:
    arguments or parameters can't be used; one sentence on standard error says why. 1: the clean-up
    took more than CLEAN_UP_LIMIT seconds; the stacks of all threads are on standard error. Any
    other exception is a bug and is raised.

    Args:
        module: name of the module that holds the node.
        node_class: name of the node's class, constructed without arguments. It raises MiloError
            for a parameter that can't be used.
        args: command line for rclpy; None: the process's own.
    """
    code = _run(module, node_class, args)
    # Threads of a task may still be inside rclpy, where the end of the interpreter crashes them.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run(module: str, node_class: str, args: list[str] | None) -> int:
    requests = _StopRequests()
    import rclpy
    from rclpy.clock import Clock, ClockType
    from rclpy.exceptions import ParameterException
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from milo_core.errors import MiloError

    make_node = getattr(importlib.import_module(module), node_class)
    requests.node_starts()
    try:
        rclpy.init(args=args)
    except Exception as error:
        return 0 if requests.received else _refuse(f"The ROS arguments can't be used: {error}")
    node: Node | None = None
    executor: Executor | None = None

    def told_to_stop() -> bool:
        # rclpy's handler may have shut the context down before Python comes to run its own.
        return requests.received or not rclpy.ok()

    try:
        node = make_node()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        # rclpy's handler wakes the executor before it shuts the context down, so that the executor
        # may look too early and go back to waiting; the timer makes it look again.
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(WAKE_PERIOD, lambda: None, clock=steady)
        if not told_to_stop():  # it may have come before rclpy's handler was there
            executor.spin()
    except ExternalShutdownException:
        pass
    except (MiloError, ParameterException) as error:
        return 0 if told_to_stop() else _refuse(str(error))
    except Exception:
        # A shutdown in the middle of a call surfaces as an error of that call.
        if not told_to_stop():
            raise
    finally:
        # Fast DDS can deadlock in the destruction of readers and writers while many processes come
        # and go (eProsima/Fast-DDS issue 6193), with the interpreter's lock held: only a thread of
        # C, as faulthandler's, can end that.
        faulthandler.dump_traceback_later(CLEAN_UP_LIMIT, exit=True)
        if executor is not None:
            executor.shutdown(timeout_sec=2.0)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
        # What this process has in shared memory goes with the context, and the context with the
        # last thing that refers to it.
        del executor, node
        gc.collect()
        rclpy.get_default_context().destroy()
    return 0


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return EXIT_USAGE
