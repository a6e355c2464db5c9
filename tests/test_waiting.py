"""Between a node's own thread and others."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future as JobFuture
from typing import Any

import pytest

pytestmark = pytest.mark.graph
rclpy = pytest.importorskip("rclpy", reason="no ROS 2")


@pytest.fixture
def node(ros_domain: int) -> Iterator[Any]:
    from rclpy.context import Context

    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    node = rclpy.create_node("waiting", context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


@pytest.fixture
def spinner(node: Any) -> Iterator[threading.Thread]:
    """Spins the node in a thread of its own."""
    from rclpy.executors import SingleThreadedExecutor

    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    yield thread
    executor.shutdown()
    thread.join(10.0)
    assert not thread.is_alive()


def test_calls_are_made_by_the_thread_that_spins(node: Any, spinner: threading.Thread) -> None:
    from milo_ros.waiting import call_in_executor

    assert call_in_executor(node, threading.current_thread).result(10.0) is spinner
    failing = call_in_executor(node, lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failing.result(10.0)
    assert call_in_executor(node, lambda: 7).result(10.0) == 7


def test_nobody_spins(node: Any) -> None:
    from milo_ros.waiting import call_in_executor

    with pytest.raises(RuntimeError, match="Nobody spins the node waiting"):
        call_in_executor(node, lambda: None)


def test_a_callback_waits_for_another_thread(node: Any, spinner: threading.Thread) -> None:
    from milo_ros.waiting import call_in_executor, result_of

    job: JobFuture[int] = JobFuture()
    ended: JobFuture[int] = JobFuture()

    async def wait() -> None:
        ended.set_result(await result_of(node, job))

    node.executor.create_task(wait)
    assert call_in_executor(node, lambda: 1).result(10.0) == 1  # the executor stays free
    job.set_result(5)
    assert ended.result(10.0) == 5
