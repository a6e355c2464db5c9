"""Steps per second of milo_sim without images: ``python bench/sim.py steps [--steps 2000]``.

The client is the unmodified ai2thor Controller, the scene FloorPlan1 with its full metadata. Beside
the absolute numbers stand those of a player that only resends one event, which is what the client
and the pipes cost, and those of the simulator without either. Client and player share the machine's
cores as in use; both are kept to two of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ai2thor.controller import Controller

import milo_sim

ACTIONS = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft", "RotateRight")
LOOKS = ("LookUp", "LookDown")
RESEND = "MILO_BENCH_RESEND"
SCENE = "FloorPlan1"
HELD_TYPE = "Apple"


def walk(steps: int) -> list[str]:
    """The same random walk for all runs."""
    return random.Random(1).choices(ACTIONS + LOOKS, k=steps)


def rate(
    step: Callable[[str], Any], steps: int, pid: int | None = None, rounds: int = 5
) -> tuple[float, float]:
    """Steps per second: median of some rounds of the walk, and per second of processor time.

    The latter is that of this process and of the player ``pid``, one of which always waits for the
    other, so it is what an idle machine reaches.
    """
    rates, used = [], -_cpu(pid)
    for _ in range(rounds):
        begin = time.perf_counter()
        for action in walk(steps // rounds):
            step(action)
        rates.append((steps // rounds) / (time.perf_counter() - begin))
    used += _cpu(pid)
    return statistics.median(rates), (steps // rounds) * rounds / used


def _cpu(pid: int | None) -> float:
    """Processor time of this process and another one [s]."""
    own = time.process_time()
    if pid is None:
        return own
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return own + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Resident memory of a process [MiB]."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def through_controller(executable: str, steps: int) -> dict[str, Any]:
    """Rates of a player behind the Controller."""
    begin = time.perf_counter()
    controller = Controller(
        local_executable_path=executable, scene=SCENE, headless=True, x_display=":0"
    )
    found: dict[str, Any] = {"start": time.perf_counter() - begin}
    pid = controller.server.unity_proc.pid
    rate(controller.step, 500, pid, rounds=1)
    before = memory(pid)
    found["full"] = rate(controller.step, steps, pid)
    found["memory"] = (memory(pid), memory(pid) - before)
    found["fast"] = rate(lambda _: controller.step("GetMapViewCameraProperties"), steps, pid)
    held = next(
        o["objectId"] for o in controller.last_event.metadata["objects"] if HELD_TYPE in o["name"]
    )
    controller.step(action="PickupObject", objectId=held, forceAction=True)
    found["held"] = rate(controller.step, steps, pid)
    controller.stop()
    return found


def without_pipe(steps: int) -> tuple[float, float]:
    """Rate of the simulator and the packing of its events, in this process."""
    from milo_sim.actions import make_dispatcher
    from milo_sim.metadata import MetadataEncoder
    from milo_sim.session import Session

    session, encoder = Session(make_dispatcher()), MetadataEncoder()

    def step(action: str, **arguments: Any) -> None:
        message = {"action": action, "sequenceId": 0, **arguments}
        outcome = session.answer(json.dumps(message).encode())
        encoder.event(session, outcome)

    step("Reset", sceneName=SCENE)
    step("Initialize", renderImage=False)
    rate(step, 500, rounds=1)
    return rate(step, steps)


def serve_resending() -> int:
    """Be a player that answers the walk's actions with one event, without looking at them."""
    import msgpack

    from milo_sim import metadata, player, session

    answer, event = session.Session.answer, metadata.MetadataEncoder.event
    kept: dict[str, Any] = {}
    mark = msgpack.packb("sequenceId")

    def quick_answer(self: session.Session, body: bytes) -> session.Outcome:
        message = json.loads(body)
        if "event" not in kept or message["action"] not in ACTIONS + LOOKS:
            kept.pop("due", None)
            return answer(self, body)
        kept["due"] = msgpack.packb(message["sequenceId"])
        return session.Outcome(message["action"], True)

    def quick_event(
        self: metadata.MetadataEncoder, own: session.Session, outcome: session.Outcome
    ) -> bytes:
        if "due" in kept:
            return bytes(kept["event"] + kept["due"])
        packed = event(self, own, outcome)
        if outcome.action in ACTIONS + LOOKS:
            kept["event"] = packed[: packed.rindex(mark) + len(mark)]
        return packed

    session.Session.answer = quick_answer  # type: ignore[method-assign]
    metadata.MetadataEncoder.event = quick_event  # type: ignore[method-assign]
    return player.main()


def resending_executable(folder: Path) -> str:
    """A start script for this file as a player."""
    path = folder / "resend"
    own = shlex.quote(str(Path(__file__).resolve()))
    paths = os.pathsep.join(p for p in sys.path if p)
    path.write_text(
        f"#!/bin/sh\nMILO_SIM_PARENT_PID=$PPID PYTHONPATH={shlex.quote(paths)} {RESEND}=1 "
        f"exec {shlex.quote(sys.executable)} {own}\n"
    )
    path.chmod(0o755)
    return shlex.quote(str(path))


def run(steps: int) -> None:
    """Measure and print the table."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:2]))
    found = through_controller(milo_sim.executable(), steps)
    with tempfile.TemporaryDirectory() as folder:
        resent = through_controller(resending_executable(Path(folder)), steps)
    alone = without_pipe(steps)
    shares = [mine / theirs for mine, theirs in zip(found["full"], resent["full"], strict=True)]
    rows = [
        ("through the Controller, full metadata", found["full"]),
        ("the same, holding an object", found["held"]),
        ("a player that only resends one event", resent["full"]),
        ("fast emit (an answer without the objects)", found["fast"]),
        ("the simulator without pipe and client", alone),
    ]
    print(f"| steps per second in {SCENE} | clock | processor |\n|---|---|---|")
    for name, (clock, processor) in rows:
        print(f"| {name} | {clock:.0f} | {processor:.0f} |")
    print(f"| share of the resending player | {shares[0]:.2f} | {shares[1]:.2f} |")
    total, growth = found["memory"]
    print(f"| start to the first event | {found['start']:.2f} s | |")
    print(f"| resident memory | {total:.0f} MiB | |")
    print(f"| growth in {steps} steps | {growth:+.1f} MiB | |\n")


def main() -> int:
    """Run the benchmark, or be the resending player."""
    if os.environ.get(RESEND):
        return serve_resending()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2000)
    run(parser.parse_args().steps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
