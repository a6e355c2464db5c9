import math

import pytest
from bridge_scripted_player import APPLE, MUG
from bridge_world_engine import WorldEngine

from milo_core.error_codes import EngineError, NavigateToError
from milo_sim_bridge.queries import QueryError, interactable_poses, reachable_positions


def test_interactable_poses_keep_the_order() -> None:
    poses = interactable_poses(WorldEngine(), APPLE)
    assert [pose["z"] for pose in poses] == [0.25, 0.5]
    assert len(interactable_poses(WorldEngine(), APPLE, max_poses=1)) == 1
    assert interactable_poses(WorldEngine(), MUG) == []


@pytest.mark.parametrize(
    ("object_id", "code"),
    [("", NavigateToError.INVALID_GOAL), ("Mug|0", NavigateToError.OBJECT_NOT_FOUND)],
)
def test_poses_of_nothing(object_id: str, code: int) -> None:
    with pytest.raises(QueryError) as caught:
        interactable_poses(WorldEngine(), object_id)
    assert caught.value.code == code


def test_reachable_positions_pass_the_grid_size() -> None:
    assert [p["x"] for p in reachable_positions(WorldEngine())] == [0.0, 0.25]
    assert [p["x"] for p in reachable_positions(WorldEngine(), 0.5)] == [0.0, 0.5]


@pytest.mark.parametrize("grid_size", [math.nan, math.inf, -0.25])
def test_a_grid_size_must_be_a_length(grid_size: float) -> None:
    with pytest.raises(QueryError) as caught:
        reachable_positions(WorldEngine(), grid_size)
    assert caught.value.code == EngineError.INVALID_REQUEST
