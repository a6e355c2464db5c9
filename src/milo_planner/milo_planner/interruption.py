"""Waiting in a task's thread for things that happen in the node's thread."""

import threading
import time
from collections.abc import Callable

from milo_core.error_codes import RunTaskError
from milo_planner.execution import Interrupted


class TaskWaiter:
    """Lets a task's thread wait for a condition, for cancellation and for its deadline at once.

    Whoever changes something a task may wait for calls `notify`.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._canceled = False
        self._deadline: float | None = None

    def start(self, time_limit: float) -> None:
        """Begin a task; time_limit in seconds of wall clock, 0 for none."""
        with self._condition:
            self._canceled = False
            self._deadline = time.monotonic() + time_limit if time_limit > 0 else None

    def cancel(self) -> None:
        """Ask the task to stop."""
        with self._condition:
            self._canceled = True
            self._condition.notify_all()

    def notify(self) -> None:
        """Wake the task's thread so that it looks at its condition again."""
        with self._condition:
            self._condition.notify_all()

    def check(self) -> None:
        """Raise Interrupted if the task is to stop."""
        if self._canceled:
            raise Interrupted(RunTaskError.CANCELED, "The task was canceled.")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Interrupted(RunTaskError.TIME_LIMIT, "The task ran out of its time limit.")

    def wait(
        self, predicate: Callable[[], bool], timeout: float, *, interruptible: bool = True
    ) -> bool:
        """Wait until the predicate holds; False: the timeout (seconds) came first.

        Raises:
            Interrupted: the task was canceled or its deadline passed, if interruptible.
        """
        end = time.monotonic() + timeout
        with self._condition:
            while not predicate():
                if interruptible:
                    self.check()
                remaining = end - time.monotonic()
                if remaining <= 0:
                    return False
                if interruptible and self._deadline is not None:
                    remaining = min(remaining, max(0.0, self._deadline - time.monotonic()))
                self._condition.wait(remaining)
        return True
