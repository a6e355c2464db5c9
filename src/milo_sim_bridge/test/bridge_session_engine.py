"""The engine's interface on milo_sim in this process: no pipes, no pictures, no ROS."""

from collections.abc import Callable
from typing import Any

import msgpack

from milo_core.snapshot import Snapshot
from milo_sim.actions import make_dispatcher
from milo_sim.metadata import MetadataEncoder
from milo_sim.session import Outcome, Session
from milo_sim_bridge.engine import StepResult

Refuse = Callable[[str, Snapshot], str]


class SessionEngine:
    """One scene of milo_sim.

    Args:
        scene: its name.
        refuse: may refuse an action, given its name and the state before; returns the message.
    """

    def __init__(self, scene: str, refuse: Refuse = lambda action, state: "") -> None:
        self._session = Session(make_dispatcher())
        self._encoder = MetadataEncoder()
        self._refuse: Refuse = lambda action, state: ""
        self.episode = 1
        self.step_count = 0
        self.grid_size = 0.25
        self.reach = 1.5
        self.actions: list[str] = []
        self.visited: list[tuple[float, float]] = []
        self._do("Reset", {"sceneName": scene})
        self.latest = self._do("Initialize", {"renderImage": False})
        self._refuse = refuse
        self.actions.clear()

    def step(self, action: str, **arguments: object) -> StepResult:
        message = self._refuse(action, self.latest.snapshot)
        if message:
            self.latest = self._read(Outcome(action, False, message))
        else:
            self.latest = self._do(action, arguments)
        self.actions.append(action)
        x, _, z = self.latest.snapshot.agent_position
        self.visited.append((round(x, 3), round(z, 3)))
        return self.latest

    def metadata(self, object_id: str) -> dict[str, Any]:
        """The engine's own entry of an object."""
        objects = self._event(Outcome("", True))["objects"]
        return next(entry for entry in objects if entry["objectId"] == object_id)

    def _do(self, action: str, arguments: dict[str, Any]) -> StepResult:
        return self._read(self._session.step({"action": action, **arguments}))

    def _event(self, outcome: Outcome) -> dict[str, Any]:
        event: dict[str, Any] = msgpack.unpackb(self._encoder.event(self._session, outcome))
        return event["agents"][0]

    def _read(self, outcome: Outcome) -> StepResult:
        self.step_count += 1
        return StepResult(
            step=self.step_count,
            episode=self.episode,
            action=outcome.action,
            success=outcome.success,
            error_code=outcome.error_code or "",
            error_message=outcome.error_message,
            action_return=outcome.action_return,
            snapshot=Snapshot.from_metadata(self._event(outcome)),
        )
