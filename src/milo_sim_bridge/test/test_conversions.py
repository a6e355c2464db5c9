"""Messages of the simulator's state, and the numbered codes of the interface files."""

import math

import bridge_scripted_player as scripted
import pytest

pytest.importorskip("milo_msgs", reason="needs the built message package")


from milo_core.error_codes import CODES_OF_ACTION, EngineError
from milo_core.goals import Verdict
from milo_core.snapshot import Snapshot
from milo_core.tasks import SubGoal
from milo_msgs import action as actions
from milo_msgs.action import NavigateTo, Place, SetOpen
from milo_msgs.msg import GoalVerdict, ObjectState, SimMetadata
from milo_msgs.msg import SubGoal as SubGoalMsg
from milo_sim_bridge import conversions
from milo_sim_bridge.digest import scene_digest
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skill_run import SkillResult

STAMP = conversions.time_of(1_250_000_000)


def snapshot_of(world: scripted.World) -> Snapshot:
    return Snapshot.from_metadata(world.metadata())


@pytest.mark.parametrize("name", sorted(CODES_OF_ACTION))
def test_the_codes_of_the_interface_files_are_those_of_the_core(name: str) -> None:
    result = getattr(actions, name).Result
    declared = {
        key: getattr(result, key)
        for key in dir(type(result))
        if key.isupper() and not key.startswith("_")
    }
    engine = {code.name: code.value for code in EngineError if code.name in declared}
    assert declared == {"NONE": 0, **CODES_OF_ACTION[name].__members__, **engine}
    if min(CODES_OF_ACTION[name]) < 1000:  # a skill
        assert set(engine) == {"ENGINE_DIED", "ENGINE_TIMEOUT", "ENGINE_NOT_READY"}


def test_time() -> None:
    assert (STAMP.sec, STAMP.nanosec) == (1, 250_000_000)


def test_sim_metadata() -> None:
    world = scripted.World()
    world.step({"action": "OpenObject", "objectId": scripted.DRAWER, "openness": 0.5})
    world.step({"action": "PickupObject", "objectId": scripted.APPLE})
    world.agent |= {"x": 1.0, "z": 2.0, "rotation": 90.0, "horizon": 30.0}
    result = StepResult(7, 3, "PickupObject", True, "", "", None, snapshot_of(world))
    message = conversions.MetadataWriter().write(result, STAMP)
    assert (message.header.stamp, message.header.frame_id) == (STAMP, "map")
    assert (message.step, message.episode, message.scene) == (7, 3, "FloorPlan1")
    assert (message.last_action, message.last_action_success) == ("PickupObject", True)
    assert message.held_object_id == scripted.APPLE
    assert message.standing
    assert message.camera_pitch == pytest.approx(math.radians(30))
    robot = message.robot_pose
    assert (robot.position.x, robot.position.y) == (2.0, -1.0)
    assert robot.position.z == pytest.approx(0.0, abs=1e-6)
    assert 2 * math.atan2(robot.orientation.z, robot.orientation.w) == pytest.approx(-math.pi / 2)
    objects = {o.object_id: o for o in message.objects}
    assert list(objects) == list(world.objects)
    apple, drawer = objects[scripted.APPLE], objects[scripted.DRAWER]
    assert (apple.object_type, apple.is_picked_up) == ("Apple", ObjectState.YES)
    assert apple.is_open == ObjectState.UNKNOWN
    assert math.isnan(apple.openness)
    assert (drawer.is_open, drawer.openness) == (ObjectState.YES, 0.5)
    assert list(drawer.receptacle_object_ids) == [scripted.MUG]
    assert list(objects[scripted.MUG].parent_receptacles) == [scripted.DRAWER]
    assert drawer.provenance == ObjectState.PROVENANCE_SIMULATED
    assert drawer.observed == STAMP
    assert (drawer.pose.position.x, drawer.pose.position.y, drawer.pose.position.z) == (1, -2, 0.5)
    assert (drawer.box_size.x, drawer.box_size.y, drawer.box_size.z) == (0.3, 0.1, 0.2)


def test_a_kept_object_message_equals_a_new_one() -> None:
    writer, world = conversions.MetadataWriter(), scripted.World()

    def write(step: int, *, by: conversions.MetadataWriter) -> SimMetadata:
        result = StepResult(step, 1, "Pass", True, "", "", None, snapshot_of(world))
        return by.write(result, conversions.time_of(step * 100_000_000))

    first = write(1, by=writer)
    kept = {o.object_id: o for o in first.objects}
    world.step({"action": "PickupObject", "objectId": scripted.APPLE})
    for obj in world.objects.values():
        obj |= {"distance": 2.5, "visible": False}
    second = write(2, by=writer)
    fresh = write(2, by=conversions.MetadataWriter())
    # As texts: a NaN differs from itself.
    assert repr(second) == repr(fresh)
    again = {o.object_id for o in second.objects if o is kept[o.object_id]}
    assert again == {scripted.DRAWER, scripted.MUG, scripted.LAMP}
    del world.objects[scripted.MUG]
    assert scripted.MUG not in {o.object_id for o in write(3, by=writer).objects}


def test_verdicts() -> None:
    goal = SubGoal("store", "mug")
    for satisfied, value in ((True, 1), (False, 0), (None, -1)):
        message = conversions.verdict_message(Verdict(goal, satisfied, "Mug|1", None, "so it is"))
        assert (message.satisfied, message.object_id, message.target_id) == (value, "Mug|1", "")
        assert message.sub_goal == SubGoalMsg(goal="store", object="mug")
        assert message.reason == "so it is"
    assert GoalVerdict.UNVERIFIABLE == -1


def skill_result(world: scripted.World, **fields: object) -> SkillResult:
    defaults = {"error_code": 0, "error_msg": "", "step": 5, "snapshot": snapshot_of(world)}
    return SkillResult(**{**defaults, **fields})  # type: ignore[arg-type]


def test_results() -> None:
    world = scripted.World()
    result = skill_result(world, object_id=scripted.APPLE, receptacle_id=scripted.COUNTER)
    place = conversions.place_result(result, STAMP)
    assert isinstance(place, Place.Result)
    assert (place.receptacle_id, place.step) == (scripted.COUNTER, 5)
    assert place.pose.pose.position.z == pytest.approx(0.95)
    assert place.pose.header.stamp == STAMP
    moved = conversions.navigate_result(skill_result(world, poses_found=4), STAMP)
    assert isinstance(moved, NavigateTo.Result)
    assert (moved.poses_found, moved.path_length) == (4, 0.0)
    drawer = conversions.set_open_result(skill_result(world, object_id=scripted.DRAWER), STAMP)
    assert drawer.openness == 0.0
    gone = skill_result(world, error_code=9000, error_msg="The player is gone.", snapshot=None)
    broken = conversions.set_open_result(gone, STAMP)
    assert isinstance(broken, SetOpen.Result)
    assert (broken.error_code, broken.error_msg) == (9000, "The player is gone.")
    assert math.isnan(broken.openness)
    assert conversions.place_result(gone, STAMP).receptacle_id == ""
    assert conversions.pick_result(gone, STAMP).object_id == ""
    assert conversions.release_result(gone, STAMP).error_code == 9000
    assert conversions.navigate_result(gone, STAMP).pose.header.frame_id == ""


def test_goals_read_back() -> None:
    goal = NavigateTo.Goal(object_id="Mug|1", mode="teleport", stop_distance=0.5)
    goal.pose.header.frame_id = "map"
    goal.pose.pose.position.x = 2.0
    read = conversions.navigate_goal(goal)
    assert (read.object_id, read.mode, read.stop_distance) == ("Mug|1", "teleport", 0.5)
    assert read.pose is not None
    assert (read.pose.frame, read.pose.position) == ("map", (2.0, 0.0, 0.0))
    assert read.pose.orientation.w == 1.0
    place = conversions.place_goal(Place.Goal(object_id="a", receptacle_id="b", force=True))
    assert (place.object_id, place.receptacle_id, place.force) == ("a", "b", True)
    assert (place.any_type, place.turn) == (False, 0.0)
    turned = conversions.place_goal(Place.Goal(receptacle_id="b", any_type=True, turn=0.5))
    assert (turned.any_type, turned.turn) == (True, 0.5)


def test_the_pose_of_a_result_can_be_excluded_by_the_next_goal() -> None:
    world = scripted.World()
    world.agent |= {"x": 1.0, "z": 2.0, "rotation": 250.0}
    snapshot = snapshot_of(world)
    goal = NavigateTo.Goal(
        object_id="Mug|1", purpose="place", excluded_poses=[conversions.robot_pose(snapshot)]
    )
    read = conversions.navigate_goal(goal)
    (pose,) = read.excluded
    assert read.purpose == "place"
    assert (pose.position[0], pose.position[2]) == pytest.approx((1.0, 2.0))
    assert pose.yaw % 360.0 == pytest.approx(250.0)


def test_points_on_the_floor() -> None:
    (point,) = conversions.floor_points([{"x": 1.0, "y": scripted.FLOOR_HEIGHT, "z": 2.0}])
    assert (point.x, point.y) == (2.0, -1.0)
    assert point.z == pytest.approx(0.0, abs=1e-9)


def test_the_digest_tells_layouts_apart_and_nothing_else() -> None:
    world = scripted.World()
    digest = scene_digest(snapshot_of(world))
    assert len(digest) == 64
    world.step({"action": "OpenObject", "objectId": scripted.DRAWER})
    world.objects = dict(reversed(world.objects.items()))
    apple = world.objects[scripted.APPLE]
    apple["position"]["x"] += 0.00001
    assert scene_digest(snapshot_of(world)) == digest
    apple["position"]["x"] += 0.001
    assert scene_digest(snapshot_of(world)) != digest
