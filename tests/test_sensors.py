"""thor_bridge's sensor topics: frames, pictures, labels, odometry, diagnostics."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from graph_harness import Graph, Probe

pytest.importorskip("rclpy", reason="needs ROS 2")
pytest.importorskip("milo_msgs", reason="needs the built message package")

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image, JointState
from tf2_msgs.msg import TFMessage

from milo_msgs.action import LookAt, NavigateTo, Slice
from milo_msgs.msg import InstanceLabels, SimMetadata
from milo_msgs.srv import QueryReachable, ResetScene
from milo_ros.qos import LATCHED, SENSOR

pytestmark = [pytest.mark.graph, pytest.mark.timeout(180)]
EVERY = QoSProfile(
    depth=200,
    history=HistoryPolicy.KEEP_LAST,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
OPTICAL = "camera_color_optical_frame"
CONVEX = {"Apple", "Book", "Bread", "Dresser", "Egg", "Fridge", "Microwave", "Pillow", "Potato"}
CONVEX |= {"SoapBar", "SoapBottle", "TissueBox", "ToiletPaper", "Tomato"}
"""Types whose box centre is inside them, and whose picture has no holes."""
SIDE = 200


@pytest.fixture(scope="module", autouse=True)
def drawing() -> None:
    """Skip where this machine can't draw."""
    from milo_sim.rendering.gl import RenderingUnavailable, create_context

    try:
        create_context().free()
    except RenderingUnavailable as error:
        pytest.skip(str(error))


def time_of(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


@dataclass
class Recorder:
    """Newest messages of each kind by their stamp."""

    probe: Probe
    messages: dict[str, dict[int, Any]] = field(default_factory=dict)
    static: list[Any] = field(default_factory=list)

    def follow(self, kind: Any, topic: str, qos: Any) -> None:
        kept = self.messages.setdefault(topic, {})

        def keep(message: Any) -> None:
            header = message.transforms[0] if topic == "/tf" else message
            kept[time_of(header)] = message
            while len(kept) > 50:
                del kept[min(kept)]

        self.probe.node.create_subscription(kind, topic, keep, qos)

    def complete(self, not_before: int) -> int:
        """Wait for a stamp that every topic has; returns it."""

        def common() -> int:
            stamps = set.intersection(*(set(kept) for kept in self.messages.values()))
            return max((s for s in stamps if s >= not_before), default=0)

        return int(self.probe.until(common, "messages of one stamp on every topic"))

    def at(self, topic: str, stamp: int) -> Any:
        return self.messages[topic][stamp]


@pytest.fixture
def start(graph: Graph, probe: Probe) -> Callable[..., Recorder]:
    """Starts a bridge in a scene; returns a recorder of its camera."""

    def begin(scene: str = "FloorPlan1", **parameters: Any) -> Recorder:
        settings = {"width": SIDE, "height": SIDE, "rate": 5.0, **parameters}
        graph.start_executable("milo_sim_bridge", "thor_bridge", parameters=settings)
        recorder = Recorder(probe)
        probe.node.create_subscription(
            TFMessage, "/tf_static", lambda m: recorder.static.extend(m.transforms), LATCHED
        )
        response = probe.call(ResetScene, "reset_scene", scene=scene)
        assert response.success, response.error_msg
        return recorder

    return begin


def follow_all(recorder: Recorder) -> None:
    for kind, topic, qos in (
        (Image, "camera/color/image_raw", SENSOR),
        (Image, "camera/depth/image_raw", SENSOR),
        (Image, "camera/labels/image_raw", SENSOR),
        (CameraInfo, "camera/depth/camera_info", SENSOR),
        (Odometry, "odom", 50),
        (JointState, "joint_states", 50),
        (TFMessage, "/tf", 50),
        (SimMetadata, "sim/metadata", EVERY),
    ):
        recorder.follow(kind, topic, qos)


def pixels(image: Any) -> Any:
    kind, channels = {
        "rgb8": (np.uint8, 3),
        "32FC1": (np.float32, 1),
        "16UC1": (np.uint16, 1),
    }[image.encoding]
    assert image.step == image.width * channels * np.dtype(kind).itemsize
    assert not image.is_bigendian
    return np.frombuffer(image.data, kind).reshape(image.height, image.width, channels).squeeze()


def matrix_of(transform: Any) -> Any:
    """The 4x4 matrix from the child's to the parent's coordinates."""
    q = transform.transform.rotation
    x, y, z, w = q.x, q.y, q.z, q.w
    t = transform.transform.translation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t.x],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t.y],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t.z],
            [0, 0, 0, 1],
        ]
    )


def optical_to_map(recorder: Recorder, stamp: int) -> Any:
    """The chain of transforms from the optical frame up to the map."""
    known = {t.child_frame_id: t for t in [*recorder.static, *recorder.at("/tf", stamp).transforms]}
    result, frame = np.eye(4), OPTICAL
    chain = [frame]
    while frame != "map":
        result = matrix_of(known[frame]) @ result
        frame = known[frame].header.frame_id
        chain.append(frame)
    assert chain == [OPTICAL, "camera_link", "base_link", "odom", "map"]
    return result


def moments(probe: Probe, count: int, seed: int) -> Iterator[int]:
    """Put the robot at random poses; yields the stamp of each, in nanoseconds."""
    random = np.random.default_rng(seed)
    cells = probe.call(QueryReachable, "query_reachable").positions
    for cell in random.choice(len(cells), count):
        pose = PoseStamped()
        pose.header.frame_id = "map"
        pose.pose.position = cells[cell]
        yaw = random.uniform(-math.pi, math.pi)
        pose.pose.orientation.z, pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        went = probe.do(NavigateTo, "navigate_to", pose=pose)
        assert (went.error_code, went.error_msg) == (0, "")
        point = PointStamped()
        point.header.frame_id = "map"
        point.point.x = cells[cell].x + math.cos(yaw) * 2
        point.point.y = cells[cell].y + math.sin(yaw) * 2
        point.point.z = random.uniform(0.0, 2.0)
        looked = probe.do(LookAt, "look_at", point=point)
        assert (looked.error_code, looked.error_msg) == (0, "")
        yield looked.step * 100_000_000


def oriented_boxes(scene: str) -> dict[str, Any]:
    """Oriented boxes of a scene's objects, Unity's frame."""
    from milo_sim.geometry import Box
    from milo_sim.scene import load_scene

    objects = load_scene(scene).objects
    return {o.object_id: Box.from_corners(o.oobb) for o in objects if o.oobb is not None}


def unity(points: Any) -> Any:
    return np.stack([-points[:, 1], points[:, 2], points[:, 0]], axis=1)


def check_lifted_pixels(
    recorder: Recorder, stamp: int, table: Any, oriented: Mapping[str, Any]
) -> int:
    """Every labelled pixel lies in its object's box, to 1 cm; returns the number of objects."""
    depth = pixels(recorder.at("camera/depth/image_raw", stamp))
    labels = pixels(recorder.at("camera/labels/image_raw", stamp))
    info = recorder.at("camera/depth/camera_info", stamp)
    objects = {o.object_id: o for o in recorder.at("sim/metadata", stamp).objects}
    ids = {entry.label: entry.object_id for entry in table.labels}
    fx, cx, fy, cy = info.k[0], info.k[2], info.k[4], info.k[5]
    v, u = np.nonzero(labels)
    z = depth[v, u].astype(float)
    points = np.stack([(u - cx) / fx * z, (v - cy) / fy * z, z, np.ones_like(z)])
    world = (optical_to_map(recorder, stamp) @ points)[:3].T
    seen = labels[v, u]
    for label in np.unique(seen):
        obj = objects[ids[int(label)]]
        centre = np.array([obj.box_center.x, obj.box_center.y, obj.box_center.z])
        half = np.array([obj.box_size.x, obj.box_size.y, obj.box_size.z]) / 2
        here = world[seen == label]
        beside = (np.abs(here - centre) - half).max()
        if beside > 0.01 and obj.object_id in oriented:
            # The engine's axis-aligned box is the colliders', the oriented one may be larger.
            box = oriented[obj.object_id]
            beside = max((np.abs(box.to_local(point)) - box.half).max() for point in unity(here))
        assert beside <= 0.01, f"{obj.object_id} sticks {beside:.3f} m out of its box"
    return len(np.unique(seen))


def check_projected_centres(recorder: Recorder, stamp: int, table: Any) -> int:
    """Centres of unoccluded convex objects land in their mask, to 2 pixels; returns how many."""
    depth = pixels(recorder.at("camera/depth/image_raw", stamp))
    labels = pixels(recorder.at("camera/labels/image_raw", stamp))
    info = recorder.at("camera/depth/camera_info", stamp)
    to_camera = np.linalg.inv(optical_to_map(recorder, stamp))
    label_of = {entry.object_id: entry.label for entry in table.labels}
    found = 0
    for obj in recorder.at("sim/metadata", stamp).objects:
        if obj.object_type not in CONVEX:
            continue
        c = obj.box_center
        x, y, z, _ = to_camera @ np.array([c.x, c.y, c.z, 1.0])
        if z < 0.1:
            continue
        u = round(x / z * info.k[0] + info.k[2])
        v = round(y / z * info.k[4] + info.k[5])
        if not (2 <= u < info.width - 2 and 2 <= v < info.height - 2):
            continue
        reach = math.hypot(obj.box_size.x, obj.box_size.y, obj.box_size.z) / 2
        if depth[v, u] < z - reach:  # something stands before it
            continue
        near = labels[v - 2 : v + 3, u - 2 : u + 3]
        if label_of[obj.object_id] not in near and depth[v, u] < z:
            continue  # something leans on it, or it lies in something
        assert label_of[obj.object_id] in near, f"{obj.object_id} is not at {u}, {v}"
        found += 1
    return found


def reproject(start: Callable[..., Recorder], probe: Probe, scene: str, poses: int) -> None:
    recorder = start(scene)
    tables = probe.collect(InstanceLabels, "camera/labels/instances", LATCHED)
    follow_all(recorder)
    probe.until(lambda: tables and recorder.static, "labels and static transforms")
    oriented = oriented_boxes(scene)
    objects = centres = 0
    for stamp in moments(probe, poses, seed=4):
        complete = recorder.complete(stamp)
        objects += check_lifted_pixels(recorder, complete, tables[-1], oriented)
        centres += check_projected_centres(recorder, complete, tables[-1])
    assert objects > poses
    assert centres > 0


def test_pixels_lie_in_their_boxes(start: Callable[..., Recorder], probe: Probe) -> None:
    reproject(start, probe, "FloorPlan1", 8)


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["FloorPlan1", "FloorPlan201", "FloorPlan301", "FloorPlan402"])
def test_pixels_lie_in_their_boxes_over_100_poses(
    start: Callable[..., Recorder], probe: Probe, scene: str
) -> None:
    reproject(start, probe, scene, 25)


def test_all_data_of_a_step_have_one_stamp_and_fit(
    start: Callable[..., Recorder], probe: Probe
) -> None:
    recorder = start(width=120, height=90, field_of_view=60.0)
    follow_all(recorder)
    for stamp in moments(probe, 2, seed=1):
        complete = recorder.complete(stamp)
    state = recorder.at("sim/metadata", complete)
    assert complete == state.step * 100_000_000
    info = recorder.at("camera/depth/camera_info", complete)
    focal = 45 / math.tan(math.radians(30))
    assert list(info.k) == pytest.approx([focal, 0, 59.5, 0, focal, 44.5, 0, 0, 1])
    assert list(info.p)[:3] == list(info.k)[:3]
    for topic, encoding in (("color", "rgb8"), ("depth", "32FC1"), ("labels", "16UC1")):
        image = recorder.at(f"camera/{topic}/image_raw", complete)
        assert image.encoding == encoding
        assert (image.header.frame_id, info.header.frame_id) == (OPTICAL, OPTICAL)
        assert (image.width, image.height) == (info.width, info.height) == (120, 90)
    depth = pixels(recorder.at("camera/depth/image_raw", complete))
    assert 0.0 < depth.min() < depth.max()
    assert depth[np.isfinite(depth)].max() < 20.0
    joints = recorder.at("joint_states", complete)
    assert list(joints.name) == ["head_pitch_joint", "torso_lift_joint"]
    assert list(joints.position) == pytest.approx([state.camera_pitch, 0.675])
    robot = state.robot_pose
    base = matrix_of({t.child_frame_id: t for t in tf_chain(recorder, complete)}["odom"])
    odom = recorder.at("odom", complete)
    assert (odom.header.frame_id, odom.child_frame_id) == ("odom", "base_link")
    here = odom.pose.pose.position
    there = base @ [here.x, here.y, here.z, 1.0]
    assert there[:3] == pytest.approx([robot.position.x, robot.position.y, robot.position.z])
    camera = optical_to_map(recorder, complete)[:3, 3]
    height = 0.9009991 + 0.675 + robot.position.z
    assert camera == pytest.approx([robot.position.x, robot.position.y, height], abs=1e-6)
    axis = optical_to_map(recorder, complete)[:3, 2]  # z of the optical frame looks ahead
    assert -math.asin(axis[2]) == pytest.approx(state.camera_pitch, abs=1e-6)
    yaw = 2 * math.atan2(robot.orientation.z, robot.orientation.w)
    turned = math.remainder(math.atan2(axis[1], axis[0]) - yaw, math.tau)
    assert turned == pytest.approx(0.0, abs=1e-6)


def tf_chain(recorder: Recorder, stamp: int) -> list[Any]:
    transforms = list(recorder.at("/tf", stamp).transforms)
    assert all(t.header.stamp == transforms[0].header.stamp for t in transforms)
    return transforms


def test_what_nobody_looks_at_is_not_rendered(start: Callable[..., Recorder], probe: Probe) -> None:
    recorder = start(rate=20.0)
    states = probe.collect(SimMetadata, "sim/metadata", LATCHED)
    health = probe.collect(DiagnosticArray, "/diagnostics")
    probe.until(lambda: len(health) >= 2, "diagnostics")
    assert [state.step for state in states] == [1]  # no picture, no action
    camera = next(s for s in health[-1].status if s.name.endswith("camera"))
    assert (camera.level, camera.message) == (b"\x00", "Nobody asks for pictures.")

    colors = probe.collect(Image, "camera/color/image_raw", SENSOR)
    models = probe.collect(CameraInfo, "camera/color/camera_info", SENSOR)
    probe.until(lambda: len(colors) >= 3 and len(models) >= 3, "pictures")
    before = probe.call(QueryReachable, "query_reachable").step
    recorder.follow(Image, "camera/depth/image_raw", SENSOR)
    assert recorder.complete(0) > before * 100_000_000
    probe.until(lambda: b"sent" in health[-1].status[1].message.encode(), "the camera's health")
    assert float(health[-1].status[0].values[-1].value) > 0


def test_without_a_rate_pictures_come_with_actions_only(
    start: Callable[..., Recorder], probe: Probe
) -> None:
    start(rate=0.0)
    colors = probe.collect(Image, "camera/color/image_raw", SENSOR)
    states = probe.collect(SimMetadata, "sim/metadata", EVERY)
    probe.until(lambda: states, "the first state")
    looked = probe.do(LookAt, "look_at", object_id=states[0].objects[0].object_id)
    probe.until(lambda: colors and states[-1].step == looked.step, "a picture")
    assert {s.last_action for s in states} <= {"Initialize", "RotateLeft", "RotateRight"} | {
        "LookDown",
        "LookUp",
    }
    assert time_of(colors[-1]) == looked.step * 100_000_000
    again = probe.call(ResetScene, "reset_scene", scene="FloorPlan1")
    assert again.success
    probe.until(lambda: time_of(colors[-1]) > looked.step * 100_000_000, "a picture of the reset")


def test_a_headless_bridge_says_why_it_is_blind(
    start: Callable[..., Recorder], probe: Probe
) -> None:
    start(headless=True)
    probe.collect(Image, "camera/color/image_raw", SENSOR)
    health = probe.collect(DiagnosticArray, "/diagnostics")

    def camera() -> Any:
        return health and health[-1].status[1].level == b"\x02" and health[-1].status[1]

    status = probe.until(camera, "the camera's health")
    assert status.message == "The player was started without images."


def test_pieces_get_labels(start: Callable[..., Recorder], probe: Probe) -> None:
    start()
    tables = probe.collect(InstanceLabels, "camera/labels/instances", LATCHED)
    probe.until(lambda: tables, "the labels")
    before = {entry.object_id: entry.label for entry in tables[-1].labels}
    assert 0 not in before.values()
    assert len(set(before.values())) == len(before)
    bread = next(key for key in before if key.startswith("Bread|"))
    cut = probe.do(Slice, "slice", object_id=bread, force=True)
    assert (cut.error_code, cut.error_msg) == (0, "")
    probe.until(lambda: len(tables) > 1, "new labels")
    after = {entry.object_id: entry.label for entry in tables[-1].labels}
    assert after.items() >= before.items()
    assert set(after) - set(before) == set(cut.piece_ids)


def test_tf_messages_are_those_of_ros() -> None:
    import json
    from pathlib import Path

    from ament_index_python.packages import get_package_share_directory

    path = Path(get_package_share_directory("tf2_msgs"), "msg", "TFMessage.json")
    hashes = {
        entry["type_name"]: entry["hash_string"]
        for entry in json.loads(path.read_text())["type_hashes"]
    }
    assert hashes["tf2_msgs/msg/TFMessage"].startswith("RIHS01_e369d0f0")
