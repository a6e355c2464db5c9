"""The engine's interface on the scripted world, without a process."""

from typing import Any

import bridge_scripted_player as scripted

from milo_core.error_codes import EngineError
from milo_core.snapshot import Snapshot
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.errors import EngineFailure


class WorldEngine:
    """The engine's interface on a world without a process; `lies` answer yes and do nothing."""

    def __init__(self, *lies: str) -> None:
        self.world = scripted.World()
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.lies = lies
        self.failing: str | None = None
        self._latest: StepResult | None = self._result(self.world.metadata())

    def _result(self, metadata: dict[str, Any]) -> StepResult:
        return StepResult(
            step=len(self.calls) + 1,
            episode=1,
            action=metadata["lastAction"],
            success=metadata["lastActionSuccess"],
            error_code=metadata["errorCode"] or "",
            error_message=metadata["errorMessage"],
            action_return=metadata["actionReturn"],
            snapshot=Snapshot.from_metadata(metadata),
        )

    @property
    def latest(self) -> StepResult:
        if self._latest is None:
            raise EngineFailure(EngineError.ENGINE_NOT_READY, "No scene is loaded.")
        return self._latest

    grid_size = 0.25
    reach = 1.5

    @property
    def step_count(self) -> int:
        return len(self.calls) + 1

    def step(self, action: str, **arguments: object) -> StepResult:
        if action == self.failing:
            self._latest = None
            raise EngineFailure(EngineError.ENGINE_DIED, "The player is gone.")
        self.calls.append((action, arguments))
        name = "Pass" if action in self.lies else action
        self._latest = self._result(self.world.step({"action": name, **arguments}))
        return self._latest
