"""Where the working thread waits for everything that happens elsewhere."""

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any


class EpisodeStopped(Exception):
    """Someone wants the episode to stop; it leaves no line and can be played again."""


class WaitTimeout(Exception):
    """What was waited for did not come in time."""


class Mailbox:
    """Events for one working thread, posted by the executor's thread and by signal handlers.

    `post`, `stop` and `cancel` may be called anywhere, also in a signal handler (SimpleQueue.put
    is reentrant). Everything else belongs to the working thread.
    """

    def __init__(self) -> None:
        self._events: SimpleQueue[object] = SimpleQueue()
        self._exit_code: int | None = None
        self._canceled = False

    @property
    def exit_code(self) -> int | None:
        """The exit code that a stop asked for; None: nobody asked for a stop."""
        return self._exit_code

    def post(self, event: object) -> None:
        """Hand over an event."""
        self._events.put(event)

    def stop(self, exit_code: int) -> None:
        """Ask for the end of everything: each wait from now on raises EpisodeStopped."""
        if self._exit_code is None:
            self._exit_code = exit_code
        self._events.put(None)

    def cancel(self) -> None:
        """Ask for the end of the running episode."""
        self._canceled = True
        self._events.put(None)

    def begin(self) -> None:
        """Forget a cancellation that was meant for an earlier episode."""
        self._canceled = False

    def receive(self) -> object:
        """Wait for the next event.

        Raises:
            EpisodeStopped: the process is to stop.
        """
        while True:
            self._check(cancelable=False)
            event = self._events.get()
            if event is not None:
                return event

    def wait(
        self,
        predicate: Callable[[], bool],
        timeout: float,
        on_event: Callable[[Any], None] = lambda _: None,
        *,
        cancelable: bool = True,
    ) -> None:
        """Wait until the predicate holds; it is looked at after every event.

        Args:
            predicate: what to wait for.
            timeout: seconds.
            on_event: gets each event that comes meanwhile.
            cancelable: a cancellation of the episode ends the wait.

        Raises:
            WaitTimeout: it did not come in time.
            EpisodeStopped: a stop or a cancellation came first.
        """
        deadline = time.monotonic() + timeout
        while not predicate():
            self._check(cancelable=cancelable)
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise WaitTimeout
            try:
                event = self._events.get(timeout=remaining)
            except Empty:
                continue
            if event is not None:
                on_event(event)

    def _check(self, *, cancelable: bool) -> None:
        if self._exit_code is not None or (cancelable and self._canceled):
            raise EpisodeStopped
