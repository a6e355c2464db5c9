"""Waiting in a node's callback for work that another thread does."""

from concurrent.futures import Future as JobFuture
from typing import TypeVar

from rclpy.node import Node
from rclpy.task import Future

T = TypeVar("T")


async def result_of(node: Node, job: JobFuture[T]) -> T:
    """Await a job of another thread without holding up the node's executor.

    Raises:
        Exception: whatever the job raised.
    """
    executor = node.executor
    done: Future = Future(executor=executor)

    def wake(_: JobFuture[T]) -> None:
        # An awaiting callback is looked at only when the executor goes round once more. The result
        # must be there before the executor is woken, or it may look too early and then sleep on.
        done.set_result(None)
        executor.wake()

    job.add_done_callback(wake)
    await done
    return job.result()
