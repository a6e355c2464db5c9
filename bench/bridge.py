"""How fast and how fresh the camera of thor_bridge reaches a subscriber in another process.

Usage: python bench/bridge.py [--frames 300] [--rate 30] [--width 640] [--height 480]

The bridge runs with milo_sim in a process of its own, this process subscribes to colour and depth.
Times are of the machine's monotonic clock, which all processes share; pictures are matched by
their stamps. Prints a Markdown table for docs/performance.md: the age of a picture on arrival
(from the moment when the simulator was asked for it), the transport's share, and what filling a
message costs beside the naive ways.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
STREAMS = {"color": "camera/color/image_raw", "depth": "camera/depth/image_raw"}
ENVIRONMENT = {
    "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    "ROS_PYTHON_CHECK_FIELDS": "1",
    "FASTDDS_DEFAULT_PROFILES_FILE": str(ROOT / "src/milo_benchmark/config/fastdds.xml"),
}
REPEATS = 50


def key_of(stamp: Any) -> int:
    """Return a stamp as nanoseconds."""
    return int(stamp.sec * 1_000_000_000 + stamp.nanosec)


# --- The bridge's process -------------------------------------------------------------------------


def run_bridge(log: Path, arguments: list[str]) -> int:
    """Run thor_bridge and write down when each picture was asked for and sent."""
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

    from milo_sim_bridge import sensors
    from milo_sim_bridge.thor_bridge import ThorBridge

    times: dict[str, dict[int, int]] = {"asked": {}, "color": {}, "depth": {}}
    send = sensors.ImageStream.publish

    def timed_send(stream: Any, picture: Any, fill: Any, stamp: Any) -> None:
        kind = "depth" if picture.ndim == 2 else "color"
        times[kind][key_of(stamp)] = time.monotonic_ns()
        send(stream, picture, fill, stamp)

    sensors.ImageStream.publish = timed_send  # type: ignore[assignment, method-assign]
    rclpy.init(args=arguments)
    node = ThorBridge()
    step = node._engine.step

    def timed_step(action: str, **options: object) -> Any:
        asked = time.monotonic_ns()
        result = step(action, **options)
        times["asked"][key_of(node._stamp(result.step))] = asked
        return result

    node._engine.step = timed_step  # type: ignore[method-assign]
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        executor.spin()
    except (ExternalShutdownException, KeyboardInterrupt):
        pass
    finally:
        log.write_text(json.dumps(times))
        node.destroy_node()
        rclpy.try_shutdown()
    return 0


# --- The subscriber's process ---------------------------------------------------------------------


@dataclass
class Arrivals:
    """When pictures came, by stamp, in nanoseconds of the monotonic clock."""

    times: dict[str, dict[int, int]] = field(default_factory=lambda: {k: {} for k in STREAMS})

    def note(self, stream: str, message: Any) -> None:
        """A picture came."""
        self.times[stream][key_of(message.header.stamp)] = time.monotonic_ns()


def receive(frames: int, seconds: float, pictures: dict[str, Any]) -> Arrivals:
    """Reset the scene and take pictures until there are enough of each kind."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from sensor_msgs.msg import Image

    from milo_msgs.srv import ResetScene
    from milo_ros.qos import SENSOR

    rclpy.init()
    node = rclpy.create_node("bench_subscriber")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    arrivals = Arrivals()

    def take(stream: str) -> Callable[[Any], None]:
        def callback(message: Any) -> None:
            arrivals.note(stream, message)
            pictures[stream] = message

        return callback

    for stream, topic in STREAMS.items():
        node.create_subscription(Image, topic, take(stream), SENSOR)
    client = node.create_client(ResetScene, "reset_scene")
    if not client.wait_for_service(timeout_sec=30.0):
        raise SystemExit("thor_bridge did not start within 30 s.")
    client.call_async(ResetScene.Request(scene="FloorPlan1"))
    deadline = time.monotonic() + seconds
    while min(map(len, arrivals.times.values())) < frames:
        if time.monotonic() > deadline:
            raise SystemExit(f"Fewer than {frames} pictures came within {seconds:g} s.")
        executor.spin_once(timeout_sec=0.1)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown()
    return arrivals


# --- Numbers --------------------------------------------------------------------------------------


def percentiles(values: list[float]) -> str:
    """Return the median and the 99th percentile of milliseconds, as table cells."""
    return f"{np.percentile(values, 50):.2f} | {np.percentile(values, 99):.2f}"


def since(arrived: dict[int, int], begun: dict[str, int], skip: int) -> list[float]:
    """Return the milliseconds between two moments of each picture, the first ones left out."""
    keys = [key for key in sorted(arrived) if str(key) in begun][skip:]
    return [(arrived[key] - begun[str(key)]) / 1e6 for key in keys]


def rate(arrived: dict[int, int], skip: int) -> float:
    """Return the pictures a second."""
    moments = [arrived[key] for key in sorted(arrived)][skip:]
    return (len(moments) - 1) / (moments[-1] - moments[0]) * 1e9


def fastest(action: Callable[[], object]) -> float:
    """Return the median milliseconds of an action."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return float(np.median(times)) * 1e3


def conversions(pictures: dict[str, Any]) -> list[tuple[str, float]]:
    """Time ways to fill a message, on pictures that came; as the client gives them: upside down."""
    from sensor_msgs.msg import Image

    from milo_sim_bridge.images import LabelPainter, LabelTable, PixelBuffer, fill_color, fill_depth

    def upside_down(message: Any, kind: Any, *shape: int) -> Any:
        array = np.frombuffer(message.data, kind).reshape(message.height, message.width, *shape)
        return array[::-1]

    color = upside_down(pictures["color"], np.uint8, 3)
    depth = upside_down(pictures["depth"], np.float32)
    # A picture of masks with as many edges as the real one has: the depth in steps of 0.25 m.
    masks = np.zeros((*depth.shape, 4), np.uint8)
    masks[:, :, 0] = np.minimum(depth, 20.0) * 4
    names = [{"name": f"Thing|{n}", "color": [n, 0, 0]} for n in range(256)]
    table = LabelTable()
    table.learn([f"Thing|{n}" for n in range(256)])
    painter, buffer, message = LabelPainter(table), PixelBuffer(), Image()

    def send(fill: Callable[[PixelBuffer, Any], None], picture: Any) -> Callable[[], None]:
        def action() -> None:
            fill(buffer, picture)
            message.data = buffer.data

        return action

    def naive(value: Callable[[], Any]) -> Callable[[], None]:
        def action() -> None:
            Image().data = value()

        return action

    return [
        ("color, this bridge", fastest(send(fill_color, color))),
        ("depth, this bridge", fastest(send(fill_depth, depth))),
        (
            "labels, this bridge",
            fastest(send(lambda b, p: painter.fill(b, p, names), masks[::-1][:, :, :3])),
        ),
        ("color, naive: data = picture.tobytes()", fastest(naive(color.tobytes))),
        ("color, naive: data = picture.ravel().tolist()", fastest(naive(color.ravel().tolist))),
        ("depth, naive: data = picture.tobytes()", fastest(naive(depth.tobytes))),
    ]


def report(arguments: argparse.Namespace, arrivals: Arrivals, sent: dict[str, Any]) -> None:
    """Print the tables."""
    skip = min(arguments.skip, arguments.frames // 3)
    size = f"{arguments.width}x{arguments.height}"
    print(f"\n{size} colour and depth, asked for at {arguments.rate:g} Hz, milo_sim\n")
    print("| | pictures/s | age p50 ms | p99 ms | transport p50 ms | p99 ms |")
    print("|---|---|---|---|---|---|")
    for stream in STREAMS:
        arrived = arrivals.times[stream]
        age = percentiles(since(arrived, sent["asked"], skip))
        transport = percentiles(since(arrived, sent[stream], skip))
        print(f"| {stream} | {rate(arrived, skip):.1f} | {age} | {transport} |")


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--rate", type=float, default=30.0)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--skip", type=int, default=30, help="first pictures to leave out")
    parser.add_argument("--bridge", type=Path, help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args()
    if arguments.bridge:
        raise SystemExit(run_bridge(arguments.bridge, rest))
    from milo_benchmark.domain import own_domain

    with own_domain() as domain, tempfile.TemporaryDirectory() as folder:
        os.environ.update(ENVIRONMENT, ROS_DOMAIN_ID=str(domain), ROS_LOG_DIR=folder)
        log = Path(folder, "sent.json")
        settings = {
            "rate": arguments.rate,
            "width": arguments.width,
            "height": arguments.height,
        }
        options = [f"{name}:={value}" for name, value in settings.items()]
        command = [sys.executable, __file__, "--bridge", str(log), "--ros-args"]
        command += [word for option in options for word in ("-p", option)]
        bridge = subprocess.Popen(command)
        pictures: dict[str, Any] = {}
        try:
            arrivals = receive(arguments.frames, 30.0 + arguments.frames, pictures)
        finally:
            bridge.send_signal(signal.SIGINT)
            bridge.wait(10)
        report(arguments, arrivals, json.loads(log.read_text()))
        print("\n| filling a message | ms |\n|---|---|")
        for name, milliseconds in conversions(pictures):
            print(f"| {name} | {milliseconds:.3f} |")


if __name__ == "__main__":
    main()
