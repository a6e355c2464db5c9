import math

import pytest
from bridge_session_engine import SessionEngine

from milo_core.frames import AGENT_CENTRE_HEIGHT, Quaternion
from milo_sim_bridge.camera import (
    CAMERA_HEIGHT,
    OPTICAL_IN_CAMERA,
    Intrinsics,
    Pose2D,
    camera_transform,
    floor_height,
    floor_pose,
    head_pitch,
)
from milo_sim_bridge.odometry import OdometryTracker


def rotate(q: Quaternion, v: tuple[float, float, float]) -> tuple[float, float, float]:
    x, y, z, w = q.x, q.y, q.z, q.w
    m = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    a, b, c = (sum(p * q for p, q in zip(row, v, strict=True)) for row in m)
    return (a, b, c)


def test_the_angle_of_view_is_vertical() -> None:
    camera = Intrinsics.from_vertical_fov(640, 480, 90.0)
    assert camera.focal_length == pytest.approx(240.0)
    assert camera.centre == (319.5, 239.5)
    # The middle of the top edge is 45 degrees up, half a pixel above the first row's centres.
    top = (-0.5 - camera.centre[1]) / camera.focal_length
    assert math.degrees(math.atan(top)) == pytest.approx(-45.0)
    assert Intrinsics.from_vertical_fov(640, 480, 60.0).focal_length == pytest.approx(415.692, 1e-5)


def test_the_optical_frame_looks_along_x_with_y_down() -> None:
    assert rotate(OPTICAL_IN_CAMERA, (0, 0, 1)) == pytest.approx((1, 0, 0))
    assert rotate(OPTICAL_IN_CAMERA, (1, 0, 0)) == pytest.approx((0, -1, 0))
    assert rotate(OPTICAL_IN_CAMERA, (0, 1, 0)) == pytest.approx((0, 0, -1))


def test_the_camera_pitches_down_and_sinks_with_a_crouch() -> None:
    engine = SessionEngine("FloorPlan1")
    engine.step("LookDown", degrees=30.0)
    snapshot = engine.latest.snapshot
    standing = camera_transform(snapshot)
    assert standing.translation == pytest.approx((0, 0, AGENT_CENTRE_HEIGHT + CAMERA_HEIGHT))
    ahead = rotate(standing.rotation, (1, 0, 0))
    assert ahead == pytest.approx((math.cos(math.pi / 6), 0, -math.sin(math.pi / 6)))
    assert head_pitch(snapshot) == pytest.approx(math.pi / 6)
    engine.step("Crouch")
    crouched = camera_transform(engine.latest.snapshot)
    assert crouched.translation == pytest.approx((0, 0, AGENT_CENTRE_HEIGHT))
    assert floor_height(snapshot) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("pose", [Pose2D(1, 2, 0.5), Pose2D(-3, 0.1, -3.0)])
def test_poses_compose_and_invert(pose: Pose2D) -> None:
    back = pose @ pose.inverse()
    assert (back.x, back.y, back.yaw) == pytest.approx((0, 0, 0), abs=1e-12)
    ahead = Pose2D(0, 0, math.pi / 2) @ Pose2D(1, 0, 0)
    assert (ahead.x, ahead.y, ahead.yaw) == pytest.approx((0, 1, math.pi / 2))


def test_odometry_follows_what_moved_and_teleports_jump_in_the_map() -> None:
    engine = SessionEngine("FloorPlan203")
    tracker = OdometryTracker()
    start = floor_pose(engine.latest.snapshot)
    first = tracker.follow(engine.latest)
    assert (first.map_to_odom, first.odom_to_base) == (start, Pose2D())

    engine.step("RotateLeft", degrees=90.0)
    turned = tracker.follow(engine.latest)
    assert turned.motion.yaw == pytest.approx(math.pi / 2)
    assert turned.odom_to_base.yaw == pytest.approx(math.pi / 2)
    assert engine.step("MoveAhead").success
    moved = tracker.follow(engine.latest)
    assert (moved.motion.x, moved.motion.y) == pytest.approx((0.25, 0.0), abs=1e-6)
    assert (moved.odom_to_base.x, moved.odom_to_base.y) == pytest.approx((0.0, 0.25), abs=1e-6)

    cells = engine.step("GetReachablePositions").action_return
    tracker.follow(engine.latest)
    engine.step("Teleport", position=cells[-1], rotation={"x": 0, "y": 180.0, "z": 0})
    jumped = tracker.follow(engine.latest)
    before, after = moved.odom_to_base, jumped.odom_to_base
    assert (after.x, after.y, after.yaw) == pytest.approx((before.x, before.y, before.yaw))
    assert jumped.motion == Pose2D()
    here, there = floor_pose(engine.latest.snapshot), jumped.map_to_odom @ jumped.odom_to_base
    assert (there.x, there.y) == pytest.approx((here.x, here.y))
    assert math.remainder(there.yaw - here.yaw, math.tau) == pytest.approx(0.0, abs=1e-9)

    engine.step("MoveBack")
    again = tracker.follow(engine.latest)
    chained = again.map_to_odom @ again.odom_to_base
    here = floor_pose(engine.latest.snapshot)
    assert (chained.x, chained.y) == pytest.approx((here.x, here.y))

    engine.episode = 2
    engine.step("Pass")
    reset = tracker.follow(engine.latest)
    assert reset.odom_to_base == Pose2D()
    assert reset.map_to_odom == floor_pose(engine.latest.snapshot)
