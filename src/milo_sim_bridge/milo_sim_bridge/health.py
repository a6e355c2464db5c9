"""What the bridge reports about itself on `/diagnostics`."""

import time
from collections import deque
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from milo_sim_bridge.engine import Engine, StepResult
from milo_sim_bridge.errors import EngineFailure

_WINDOW = 5.0
"""Seconds over which rates are counted."""


@dataclass(frozen=True)
class _Event:
    time: float
    has_picture: bool


class Health:
    """Counts engine actions and pictures, and writes the node's diagnostics."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._name = name
        self._engine = engine
        self._events: deque[_Event] = deque(maxlen=10_000)

    def count(self, result: StepResult) -> None:
        """Take note of an engine action (any thread)."""
        self._events.append(_Event(time.monotonic(), result.pictures.color is not None))

    def report(self) -> DiagnosticArray:
        """Return the diagnostics; the stamp is the caller's to set."""
        return DiagnosticArray(status=[self._simulator(), self._camera()])

    def _recent(self) -> list[_Event]:
        begin = time.monotonic() - _WINDOW
        return [event for event in tuple(self._events) if event.time >= begin]

    def _simulator(self) -> DiagnosticStatus:
        try:
            latest = self._engine.latest
        except EngineFailure as failure:
            return self._status("simulator", DiagnosticStatus.WARN, str(failure), {})
        values = {
            "scene": latest.snapshot.scene,
            "episode": str(latest.episode),
            "step": str(latest.step),
            "last_action": latest.action,
            "actions_per_second": f"{len(self._recent()) / _WINDOW:.1f}",
        }
        return self._status("simulator", DiagnosticStatus.OK, "A scene is loaded.", values)

    def _camera(self) -> DiagnosticStatus:
        blindness = self._engine.blindness
        if blindness:
            return self._status("camera", DiagnosticStatus.ERROR, blindness, {})
        pictures = sum(event.has_picture for event in self._recent())
        values = {"pictures_per_second": f"{pictures / _WINDOW:.1f}"}
        text = "Pictures are sent." if pictures else "Nobody asks for pictures."
        return self._status("camera", DiagnosticStatus.OK, text, values)

    def _status(
        self, part: str, level: bytes, message: str, values: dict[str, str]
    ) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=level,
            name=f"{self._name}: {part}",
            message=message,
            hardware_id=self._engine.player,
            values=[KeyValue(key=key, value=value) for key, value in values.items()],
        )
