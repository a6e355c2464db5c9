"""Speed and memory of milo_sim: ``python bench/sim.py images | steps | actions | all``.

Prints Markdown tables for docs/performance.md. ``steps`` is ``bench/sim_steps.py``, ``actions`` is
``bench/sim_actions.py``; both go without images. For images everything is pinned to one core, the
client included, so the numbers are those of a machine with a single core. CPU time of the player
stands beside the wall clock, because it does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import sim_actions
import sim_steps
from ai2thor.controller import Controller

import milo_sim

IMAGES = {"renderDepthImage": True, "renderInstanceSegmentation": True}
SIZE = {"width": 640, "height": 480}


@dataclass(frozen=True)
class Usage:
    """What a process has used: CPU time [s], memory now and at most [MiB]."""

    cpu: float
    memory: float
    peak: float


def usage(pid: int) -> Usage:
    """Usage of a running process."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    memory, peak = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return Usage(sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), memory, peak)


def start(scene: str, **options: object) -> tuple[Controller, float]:
    """A Controller on milo_sim, and how long it took until the first event was there [s]."""
    begin = time.perf_counter()
    controller = Controller(
        local_executable_path=milo_sim.executable(), scene=scene, x_display=":0", **SIZE, **options
    )
    return controller, time.perf_counter() - begin


def machine() -> str:
    """Date, processor, system and load."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((li.split(":")[1].strip() for li in lines if li.startswith("model name")), "?")
    load = os.getloadavg()[0]
    today = datetime.now(UTC).date()
    return f"{today}, {model}, {os.cpu_count()} cores, load {load:.1f}; {platform.platform()}"


def report(rows: Sequence[tuple[str, str]]) -> None:
    """Print a two-column table in Markdown."""
    print("| what | measured |\n|---|---|")
    for name, value in rows:
        print(f"| {name.strip()} | {value} |")
    print()


def images(scene: str, steps: int) -> None:
    """Colour, depth and instance segmentation at 640 x 480 through the Controller."""
    controller, first = start(scene, **IMAGES)
    player = controller.server.unity_proc.pid
    begin = time.perf_counter()
    controller.reset("FloorPlan201" if scene != "FloorPlan201" else "FloorPlan301")
    other = time.perf_counter() - begin
    begin = time.perf_counter()
    controller.reset(scene)
    again = time.perf_counter() - begin
    for _ in range(10):
        controller.step("RotateRight", degrees=30)
    before, own_before, begin = usage(player), time.process_time(), time.perf_counter()
    times = []
    for _ in range(steps):
        tick = time.perf_counter()
        controller.step("RotateRight", degrees=30)
        times.append(time.perf_counter() - tick)
    wall, own = time.perf_counter() - begin, time.process_time() - own_before
    after = usage(player)
    controller.stop()
    cpu = after.cpu - before.cpu
    report(
        [
            ("start-up to the first images", f"{first:.2f} s"),
            ("reset to another scene, with images", f"{other:.2f} s"),
            ("reset to a scene seen before, with images", f"{again:.2f} s"),
            ("frames (colour, depth, masks; 640 x 480)", f"{steps / wall:.1f} /s"),
            ("  median of a step", f"{statistics.median(times) * 1e3:.1f} ms"),
            (
                "  CPU time of the player",
                f"{cpu / steps * 1e3:.1f} ms: at most {steps / cpu:.1f} /s",
            ),
            (
                "  CPU time of both",
                f"{(cpu + own) / steps * 1e3:.1f} ms: {steps / (cpu + own):.1f} /s",
            ),
            ("memory of the player at most", f"{after.peak:.0f} MiB"),
            (f"  growth in {steps} steps", f"{after.memory - before.memory:+.1f} MiB"),
        ]
    )
    draws(scene)


def draws(scene: str) -> None:
    """CPU time of the renderer alone, without pipe and client."""
    from milo_sim.rendering.gl import renderer_name
    from milo_sim.rendering.pictures import agent_camera
    from milo_sim.rendering.renderer import Renderer
    from milo_sim.scene import load_scene
    from milo_sim.world import World

    world = World(load_scene(scene))
    renderer = Renderer(world)

    def median(action: Callable[[], object]) -> float:
        action()
        times = []
        for yaw in range(0, 720, 15):
            world.agent.yaw = float(yaw)
            begin = time.process_time()
            action()
            times.append(time.process_time() - begin)
        return statistics.median(times) * 1e3

    def draw(**wanted: bool) -> float:
        size = (SIZE["width"], SIZE["height"])
        return median(lambda: renderer.render(agent_camera(world), *size, **wanted))

    color, all_three = draw(), draw(depth=True, masks=True)
    report(
        [
            ("OpenGL", renderer_name(renderer.context)),
            ("triangles, surfaces of the scene", f"{renderer.triangles}, {renderer.surfaces}"),
            ("CPU time of a colour picture", f"{color:.1f} ms"),
            (
                "CPU time of colour, depth and masks",
                f"{all_three:.1f} ms, {all_three / color:.2f}x",
            ),
        ]
    )
    renderer.close()


def main() -> None:
    """Run one benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("images", "steps", "actions", "all"))
    parser.add_argument("--scene", default="FloorPlan1")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    print(machine() + "\n")
    if options.what in ("steps", "all"):
        sim_steps.run(max(options.steps, 2000))
    if options.what in ("actions", "all"):
        report(sim_actions.run(options.steps))
    if options.what in ("images", "all"):
        os.sched_setaffinity(0, {options.core})
        images(options.scene, options.steps)


if __name__ == "__main__":
    main()
