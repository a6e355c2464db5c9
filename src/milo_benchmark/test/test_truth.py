import pytest

pytest.importorskip("milo_msgs.msg", reason="milo_msgs is not built")

from rclpy.serialization import serialize_message

from milo_benchmark import truth
from milo_benchmark.truth import TruthLog, read_head
from milo_msgs.msg import ObjectState, SimMetadata


def metadata(step, x=0.0, y=0.0, action="MoveAhead", **values):
    message = SimMetadata(step=step, last_action=action, **values)
    message.robot_pose.position.x, message.robot_pose.position.y = x, y
    return serialize_message(message)


def log_of(*messages):
    log = TruthLog()
    for message in messages:
        log.add(message)
    return log


@pytest.mark.parametrize("scene", ["", "F", "FloorPlan1", "FloorPlan301"])
@pytest.mark.parametrize("error", ["", "No valid positions", "ä"])
@pytest.mark.parametrize("action", ["Pass", "TeleportFull"])
def test_the_head_is_read_whatever_the_texts_are(scene, error, action):
    message = SimMetadata(
        step=2**40,
        episode=3,
        scene=scene,
        last_action=action,
        error_message=error,
        error_code=error,
        objects=[ObjectState(object_id="Mug|1")],
    )
    message.header.frame_id = "map"
    message.robot_pose.position.x, message.robot_pose.position.y = 1.25, -3.5
    head = read_head(serialize_message(message))
    assert (head.step, head.action, head.x, head.y) == (2**40, action, 1.25, -3.5)


def test_other_encodings_are_decoded_as_a_whole(monkeypatch):
    whole = SimMetadata(step=5, last_action="Pass")
    monkeypatch.setattr(truth, "deserialize_message", lambda data, kind: whole)
    assert read_head(b"\0\7\0\0").step == 5


def test_the_way_is_what_was_driven():
    log = log_of(
        metadata(9, 5.0),
        metadata(10, 0.0, action="Initialize"),
        metadata(11, 0.25),
        metadata(12, 0.25, action="RotateLeft"),
        metadata(13, 0.25, 0.5),
        metadata(14, 9.0, 9.0, action="TeleportFull"),
        metadata(15, 9.0, 9.25),
        metadata(16, 9.0, 20.0),
    )
    log.begin(10)
    assert log.path_length(10, 15) == pytest.approx(1.0)
    assert log.path_length(10, 10) == 0.0
    assert log.last_step == 16


def test_states_are_decoded_when_asked_for():
    objects = [ObjectState(object_id="Mug|1", object_type="Mug", is_open=-1)]
    log = log_of(metadata(3, held_object_id="Mug|1", objects=objects))
    world = log.world(3)
    assert (world.held_id, list(world.objects), world.step) == ("Mug|1", ["Mug|1"], 3)
    assert log.world(3) is world
    assert log.world(4) is None


def test_a_new_episode_forgets_the_last_one():
    log = log_of(metadata(1), metadata(2), metadata(3))
    assert log.world(1) is not None
    log.begin(3)
    assert [log.world(step) is None for step in (1, 2, 3)] == [True, True, False]


def test_the_first_and_the_newest_states_are_kept(monkeypatch):
    monkeypatch.setattr(truth, "KEPT", 3)
    log = TruthLog()
    log.begin(1)
    for step in range(1, 8):
        log.add(metadata(step, 0.25 * step))
    assert [step for step in range(1, 8) if log.world(step)] == [1, 6, 7]
    assert log.path_length(1, 7) == pytest.approx(1.5)
