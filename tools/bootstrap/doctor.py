"""The checks of ``./milo doctor`` that need the set-up: imports, memory, discovery, the player.

One line per check, as the shell's part prints them: ``ok`` with what was found, ``missing`` with
the sentence that says how to put it right, or ``note`` with what is better but not needed. Exit
code 1 when something is missing. What could hang runs in a process with a time limit.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

PACKAGES = (
    "milo_core",
    "milo_sim",
    "milo_ros",
    "milo_sim_bridge",
    "milo_planner",
    "milo_benchmark",
)
AGAIN = (
    "./milo setup puts it right; if it does not, delete .venv, build and install and run it again"
)
SHARED_MEMORY = Path("/dev/shm")
SHARED_MEMORY_NEEDED_MB = 48
DISCOVERY_LIMIT_S = 15.0
PLAYER_LIMIT_S = 60.0


class Missing(Exception):
    """A failed check; the message is the cure in one sentence."""


class Note(Exception):
    """What works less well than it could; the message says how to change that."""


class NotNeeded(Exception):
    """A failed check of what only Unity needs; the message is the cure in one sentence."""


def check_python() -> str:
    """Versions of what everything stands on."""
    try:
        versions = [f"{name} {metadata.version(name)}" for name in ("ai2thor", "numpy", "pydantic")]
    except metadata.PackageNotFoundError as error:
        raise Missing(f"the Python package {error.name} is not installed: {AGAIN}") from error
    return f"Python {platform.python_version()}, {', '.join(versions)}"


def check_ros() -> str:
    """The ROS 2 client library and the generated messages, with their compiled parts."""
    try:
        importlib.import_module("rclpy")
        messages = importlib.import_module("milo_msgs.msg")
        messages.WorldState.__class__.__import_type_support__()
    except Exception as error:
        raise Missing(f"ROS 2 or the milo_msgs package does not load ({error}): {AGAIN}") from error
    return f"ROS 2 {os.environ.get('ROS_DISTRO')}, milo_msgs"


def check_packages() -> str:
    """The packages of this workspace."""
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except Exception as error:
            raise Missing(f"the package {name} does not load ({error}): {AGAIN}") from error
    return ", ".join(PACKAGES)


def check_simulator_client() -> str:
    """The client of AI2-THOR, with the libraries it loads."""
    try:
        importlib.import_module("ai2thor.controller")
    except Exception as error:
        raise Missing(f"ai2thor does not load ({error}): {AGAIN}") from error
    return "ai2thor.controller"


def check_shared_memory() -> str:
    """Room for the ROS 2 messages of several processes."""
    try:
        with tempfile.TemporaryFile(dir=SHARED_MEMORY):
            pass
        total, _, free = shutil.disk_usage(SHARED_MEMORY)
    except OSError as error:
        raise Missing(
            f"{SHARED_MEMORY} is not writable ({error.strerror}), so that ROS 2 sends every image "
            "through the network stack: mount a tmpfs there"
        ) from error
    megabytes = free // 2**20
    if megabytes < SHARED_MEMORY_NEEDED_MB:
        raise Missing(
            f"only {megabytes} MB are free in {SHARED_MEMORY}, {SHARED_MEMORY_NEEDED_MB} MB are "
            "needed: give a container more with --shm-size=256m, or remove what killed processes "
            "left with fastdds shm clean"
        )
    return f"{megabytes} of {total // 2**20} MB free in {SHARED_MEMORY}"


def check_discovery() -> str:
    """A message from another process, found over the loopback interface."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from std_msgs.msg import String

    topic = f"doctor_{uuid.uuid4().hex}"
    received: list[float] = []
    begin = time.monotonic()
    rclpy.init()
    node = rclpy.create_node(topic)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    node.create_subscription(String, topic, lambda _: received.append(time.monotonic()), 1)
    talker = subprocess.Popen([sys.executable, __file__, "talker", topic])
    try:
        while not received and time.monotonic() < begin + DISCOVERY_LIMIT_S:
            executor.spin_once(timeout_sec=0.1)
    finally:
        talker.terminate()
        talker.wait()
        node.destroy_node()
        rclpy.try_shutdown()
    if not received:
        raise Missing(
            "two ROS 2 processes on this machine do not find each other: bring the loopback "
            "interface up (sudo ip link set lo up) and allow UDP on it in the firewall"
        )
    return f"two processes found each other in {received[0] - begin:.1f} s"


def talk(topic: str) -> None:
    """Publish on the topic until terminated; the other side of check_discovery."""
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from std_msgs.msg import String

    with contextlib.suppress(ExternalShutdownException, KeyboardInterrupt):
        rclpy.init()
        node = rclpy.create_node(f"{topic}_talker")
        publisher = node.create_publisher(String, topic, 1)
        node.create_timer(0.1, lambda: publisher.publish(String(data="here")))
        rclpy.spin(node)


def check_player() -> str:
    """The simulator: a scene is loaded and one action taken."""
    try:
        done = subprocess.run(
            [sys.executable, __file__, "player"],
            capture_output=True,
            text=True,
            timeout=PLAYER_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Missing(
            f"the simulator milo_sim did not answer in {PLAYER_LIMIT_S:.0f} s: {AGAIN}"
        ) from error
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        raise Missing(f"the simulator milo_sim does not start ({reason}): {AGAIN}")
    return done.stdout.strip().splitlines()[-1]


def check_images() -> str:
    """The simulator draws: OpenGL without a screen."""
    try:
        done = subprocess.run(
            [sys.executable, __file__, "images"],
            capture_output=True,
            text=True,
            timeout=PLAYER_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Note(
            f"milo_sim drew no picture in {PLAYER_LIMIT_S:.0f} s; everything else works without"
        ) from error
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        raise Note(f"no pictures from milo_sim, everything else works without: {reason}")
    return done.stdout.strip().splitlines()[-1]


def draw() -> None:
    """Draw one picture with milo_sim and print what draws and how long that took."""
    from milo_sim.rendering.gl import RenderingUnavailable, renderer_name
    from milo_sim.rendering.pictures import agent_camera
    from milo_sim.rendering.renderer import Renderer
    from milo_sim.scene import load_scene
    from milo_sim.world import World

    begin = time.monotonic()
    world = World(load_scene("FloorPlan1"))
    try:
        renderer = Renderer(world)
    except RenderingUnavailable as error:
        sys.exit(str(error))
    renderer.render(agent_camera(world), 300, 300)
    print(f"{renderer_name(renderer.context)}, first picture in {time.monotonic() - begin:.1f} s")
    renderer.close()


def play() -> None:
    """Load a scene in milo_sim through the AI2-THOR client and print how long that took."""
    from ai2thor.controller import Controller

    import milo_sim

    begin = time.monotonic()
    controller = Controller(
        local_executable_path=milo_sim.executable(),
        headless=True,
        x_display=":0",
        scene="FloorPlan1",
        server_timeout=20.0,
        server_start_timeout=20.0,
    )
    try:
        event = controller.step("Pass", raise_for_failure=True)
        objects = len(event.metadata["objects"])
    finally:
        controller.stop()
    print(f"milo_sim loads FloorPlan1 with {objects} objects in {time.monotonic() - begin:.1f} s")


def check_unity(name: str) -> str:
    """One thing that AI2-THOR's Unity build needs."""
    from milo_sim_bridge import unity_checks
    from milo_sim_bridge.unity import UnityError

    try:
        return str(getattr(unity_checks, f"check_{name}")())
    except UnityError as error:
        raise NotNeeded(f"only for --player unity: {error}") from error


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("packages", check_python),
    ("ros", check_ros),
    ("workspace", check_packages),
    ("ai2thor", check_simulator_client),
    ("memory", check_shared_memory),
    ("discovery", check_discovery),
    ("player", check_player),
    ("images", check_images),
    ("vulkan", lambda: check_unity("vulkan")),
    ("display", lambda: check_unity("display")),
    ("unity-build", lambda: check_unity("build")),
    ("unity-disk", lambda: check_unity("room")),
)


def main() -> int:
    """Run every check; return the exit code."""
    if sys.argv[1:2] == ["talker"]:
        talk(sys.argv[2])
        return 0
    if sys.argv[1:2] == ["player"]:
        play()
        return 0
    if sys.argv[1:2] == ["images"]:
        draw()
        return 0
    failed = 0
    for name, check in CHECKS:
        try:
            verdict, found = "ok", check()
        except Missing as missing:
            verdict, found, failed = "missing", str(missing), 1
        except NotNeeded as missing:
            verdict, found = "note", str(missing)
        except Note as note:
            verdict, found = "note", str(note)
        print(f"{verdict:8} {name:12} {found}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
