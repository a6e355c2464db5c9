"""One thread that does jobs in the order in which they were handed in."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """A thread with a queue.

    Unlike `concurrent.futures.ThreadPoolExecutor` its thread starts at once, lives until `close`,
    and never holds up the end of the program when a job hangs in a foreign library.
    """

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._jobs = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Queue a job; the future may be cancelled until the job begins."""
        future: Future[T] = Future()
        self._jobs.put((future, job))
        return future

    def close(self, timeout: float) -> bool:
        """Let the queued jobs finish; False: they did not within `timeout` seconds."""
        self._jobs.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (entry := self._jobs.get()) is not None:
            self._do(*entry)
            del entry  # neither job nor result may outlive its use here

    @staticmethod
    def _do(future: Future[T], job: Callable[[], T]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = job()
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)
