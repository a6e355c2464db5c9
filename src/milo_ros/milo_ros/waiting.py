"""Between a node's own thread and others."""

from collections.abc import Callable
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


def call_in_executor(node: Node, call: Callable[[], T]) -> JobFuture[T]:
    """Have the thread that spins a node make a call; returns its result to come.

    Goals of actions must be sent that way from other threads. In rclpy 9 `send_goal_async` goes on
    registering the goal after it was sent, and what the server answers in between is lost.

    Raises:
        RuntimeError: nobody spins the node.
    """
    executor = node.executor
    if executor is None:
        raise RuntimeError(f"Nobody spins the node {node.get_name()}.")
    done: JobFuture[T] = JobFuture()

    def run() -> None:
        try:
            done.set_result(call())
        except Exception as error:
            done.set_exception(error)

    executor.create_task(run)
    return done
