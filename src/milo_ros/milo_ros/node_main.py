"""The main function of every MILO node."""

import signal
from collections.abc import Callable

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node


def run_node(
    make_node: Callable[[], Node],
    args: list[str] | None = None,
    executor_factory: Callable[[], Executor] = SingleThreadedExecutor,
) -> int:
    """Run a node until it is told to stop; return the process's exit code.

    SIGINT and SIGTERM end it with 0 at any moment after the imports, also when they come twice
    (a launcher and the terminal both send SIGINT). A node may end its own run by raising
    SystemExit in a callback; its code is returned. Another exception in a callback is raised.
    """
    node: Node | None = None
    executor: Executor | None = None
    try:
        rclpy.init(args=args)
        node = make_node()
        executor = executor_factory()
        executor.add_node(node)
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except SystemExit as exit_request:
        return exit_request.code if isinstance(exit_request.code, int) else 1
    except Exception:
        # A shutdown in the middle of a constructor surfaces as one of several rclpy errors.
        if rclpy.ok():
            raise
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if executor is not None:
            executor.shutdown(timeout_sec=2.0)
        if node is not None:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0
