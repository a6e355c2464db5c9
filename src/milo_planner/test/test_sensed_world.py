from typing import Any

import pytest

pytest.importorskip("milo_msgs", reason="needs the built message package")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose

from milo_msgs.msg import ObjectState, WorldState
from milo_planner.sensed_world import SensedWorld

SENSED, SIMULATED = ObjectState.PROVENANCE_SENSED, ObjectState.PROVENANCE_SIMULATED


def fact(name: str, at: float, seen: int, provenance: int = SENSED) -> ObjectState:
    pose = Pose(position=Point(x=at))
    return ObjectState(
        object_id=name, pose=pose, observed=Time(sec=seen), provenance=provenance, distance=99.0
    )


def message(*facts: ObjectState, episode: int = 1, robot: float = 0.0, **fields: Any) -> WorldState:
    pose = Pose(position=Point(x=robot))
    return WorldState(objects=list(facts), episode=episode, robot_pose=pose, **fields)


def places(world: WorldState) -> dict[str, float]:
    return {obj.object_id: obj.pose.position.x for obj in world.objects}


def test_what_is_left_out_stays_believed_and_old_news_change_nothing() -> None:
    world = SensedWorld()
    world.fold(message(fact("mug", 1.0, 5), fact("cup", 2.0, 5)))
    after = world.fold(message(fact("mug", 3.0, 6), step=7, held_object_id="mug", scene="home"))
    assert places(after) == {"mug": 3.0, "cup": 2.0}
    assert (after.step, after.held_object_id, after.scene) == (7, "mug", "home")
    assert after.world_source == "sensed"
    assert places(world.fold(message(fact("mug", 9.0, 4)))) == {"mug": 3.0, "cup": 2.0}
    assert places(world.fold(message(fact("mug", 4.0, 6)))) == {"mug": 4.0, "cup": 2.0}


def test_distances_follow_the_robot() -> None:
    world = SensedWorld()
    world.fold(message(fact("mug", 3.0, 1)))
    after = world.fold(message(robot=1.0))
    assert [obj.distance for obj in after.objects] == [pytest.approx(2.0)]


def test_a_new_episode_forgets() -> None:
    world = SensedWorld()
    world.fold(message(fact("mug", 1.0, 5)))
    assert places(world.fold(message(fact("cup", 1.0, 1), episode=2))) == {"cup": 1.0}


def test_simulator_truth_is_no_observation() -> None:
    world = SensedWorld()
    after = world.fold(message(fact("mug", 1.0, 5, SIMULATED), fact("cup", 2.0, 5)))
    assert places(after) == {"cup": 2.0}
    assert world.refused == {"mug"}
