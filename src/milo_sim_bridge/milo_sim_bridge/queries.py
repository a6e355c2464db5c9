"""Questions to the simulator that change nothing."""

import math
from collections.abc import Sequence
from typing import Any

from milo_core.error_codes import EngineError, NavigateToError, classify_engine_message
from milo_core.errors import MiloError
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skill_run import SkillEngine


class QueryError(MiloError):
    """A question without an answer.

    Attributes:
        code: numbered error code for the response.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def interactable_poses(
    engine: SkillEngine, object_id: str, max_poses: int = 0
) -> Sequence[dict[str, Any]]:
    """Return the engine's poses for interacting with an object, in its order.

    Args:
        engine: the simulator.
        object_id: instance id.
        max_poses: how many to return at most; 0: all.

    Raises:
        QueryError: there is no such object, or the engine refuses.
        EngineFailure: no scene is loaded, or the player died or hung.
    """
    if not object_id:
        raise QueryError(NavigateToError.INVALID_GOAL, "The request names no object_id.")
    if object_id not in engine.latest.snapshot.objects:
        raise QueryError(
            NavigateToError.OBJECT_NOT_FOUND, f"There is no object '{object_id}' in the scene."
        )
    result = _ask(engine, "GetInteractablePoses", objectId=object_id)
    poses = list(result.action_return or ())
    return poses[:max_poses] if max_poses else poses


def reachable_positions(engine: SkillEngine, grid_size: float = 0.0) -> Sequence[dict[str, float]]:
    """Return the agent positions that can be reached on foot, Unity's frame, metres.

    Args:
        engine: the simulator.
        grid_size: width of a cell in metres; 0: the engine's.

    Raises:
        QueryError: the grid size can't be used, or the engine refuses.
        EngineFailure: no scene is loaded, or the player died or hung.
    """
    if not (math.isfinite(grid_size) and grid_size >= 0):
        raise QueryError(EngineError.INVALID_REQUEST, "grid_size must be 0 or a number of metres.")
    arguments = {"gridSize": grid_size} if grid_size else {}
    return list(_ask(engine, "GetReachablePositions", **arguments).action_return or ())


def _ask(engine: SkillEngine, action: str, **arguments: object) -> StepResult:
    result = engine.step(action, **arguments)
    if not result.success:
        message = result.error_message or f"The engine refused {action} without a reason."
        raise QueryError(classify_engine_message("NavigateTo", message), message)
    return result
