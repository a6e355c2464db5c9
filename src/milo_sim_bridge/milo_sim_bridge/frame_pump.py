"""Pictures at a rate while the robot rests."""

import contextlib
import threading
from collections.abc import Callable

from milo_sim_bridge.engine import Engine
from milo_sim_bridge.errors import EngineFailure


class FramePump:
    """Lets the engine take a picture at each tick when somebody looks.

    Pictures queue up behind skills like any other job, one at a time. Where the engine is slower
    than the ticks, the next picture is begun as soon as the last one is done.

    Args:
        engine: takes the pictures.
        is_wanted: whether anybody looks (any thread).
    """

    def __init__(self, engine: Engine, is_wanted: Callable[[], bool]) -> None:
        self._engine = engine
        self._is_wanted = is_wanted
        self._lock = threading.Lock()
        self._busy = False
        self._late = False

    def tick(self) -> None:
        """A picture is due."""
        if not self._is_wanted() or self._engine.blindness:
            return
        with self._lock:
            self._late = self._busy
            if self._busy:
                return
            self._busy = True
        self._engine.submit(self._job)

    def take(self) -> None:
        """Take a picture now, in the engine's thread."""
        # Without a player there is nothing to see; the next reset starts a new one.
        with contextlib.suppress(EngineFailure):
            self._engine.step("Pass")

    def _job(self) -> None:
        try:
            self.take()
        finally:
            with self._lock:
                self._busy, self._late = self._late, False
                again = self._busy
            if again:
                self._engine.submit(self._job)
