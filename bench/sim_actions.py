"""How long single actions of milo_sim take through the Controller, without images.

``python bench/sim.py actions [--steps 300]``: resets of all scenes, GetInteractablePoses, PutObject
and the others that search.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from ai2thor.controller import Controller

import milo_sim

SCENE = "FloorPlan1"
Row = tuple[str, str]


def timed(action: Callable[[], Any]) -> float:
    """Wall seconds of one call."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def spread(seconds: list[float]) -> str:
    """Median and largest in milliseconds."""
    return f"{statistics.median(seconds) * 1e3:.1f} ms (at most {max(seconds) * 1e3:.0f} ms)"


def must(controller: Controller, action: str, **arguments: Any) -> Any:
    """Carry out an action that has to succeed; returns its actionReturn."""
    event = controller.step(action=action, **arguments)
    if not event:
        raise RuntimeError(f"{action} failed: {event.metadata['errorMessage']}")
    return event.metadata["actionReturn"]


def resets(controller: Controller) -> list[Row]:
    """All packaged scenes, each for the first time."""
    times = [timed(lambda name=name: controller.reset(name)) for name in milo_sim.scene_names()]
    again = [timed(lambda: controller.reset(SCENE)) for _ in range(10)]
    return [
        (f"reset of all {len(times)} scenes", f"{sum(times):.1f} s"),
        ("  of one", spread(times)),
        ("  of the scene that is running", spread(again)),
    ]


def poses(controller: Controller, limit: int) -> list[Row]:
    """GetInteractablePoses for the objects of one scene."""
    controller.reset(SCENE)
    ids = [entry["objectId"] for entry in controller.last_event.metadata["objects"]][:limit]
    times = [
        timed(lambda key=key: must(controller, "GetInteractablePoses", objectId=key)) for key in ids
    ]
    return [(f"GetInteractablePoses, each of {len(ids)} objects", spread(times))]


def puts(controller: Controller, times: int) -> list[Row]:
    """Pick up the first apple and put it back onto its counter."""
    controller.reset(SCENE)
    item = controller.last_event.objects_by_type("Apple")[0]
    target = item["parentReceptacles"][0]
    force = {"forceAction": True}

    def pick() -> None:
        must(controller, "PickupObject", objectId=item["objectId"], **force)

    def put() -> None:
        must(controller, "PutObject", objectId=target, **force)

    pairs = [(timed(pick), timed(put)) for _ in range(times)]
    picks, placed = map(list, zip(*pairs, strict=True))
    return [("PickupObject", spread(picks)), ("PutObject", spread(placed))]


def searches(controller: Controller, times: int) -> list[Row]:
    """Other actions that look through the whole scene."""
    controller.reset(SCENE)
    rows = []
    for action, arguments in (
        ("GetReachablePositions", {}),
        ("InitialRandomSpawn", {}),
        ("DropHandObject", {"forceAction": True}),
    ):
        seconds = []
        for number in range(times):
            if action == "InitialRandomSpawn":
                arguments = {"randomSeed": number}
            if action == "DropHandObject":
                apple = controller.last_event.objects_by_type("Apple")[0]["objectId"]
                must(controller, "PickupObject", objectId=apple, forceAction=True)
            seconds.append(timed(lambda a=action, k=arguments: must(controller, a, **k)))
        rows.append((action, spread(seconds)))
    return rows


def run(steps: int) -> list[Row]:
    """Rows of the table; ``steps`` bounds how often each action is carried out."""
    controller = Controller(
        local_executable_path=milo_sim.executable(), scene=SCENE, headless=True, x_display=":0"
    )
    try:
        return [
            *resets(controller),
            *poses(controller, steps),
            *puts(controller, min(steps, 50)),
            *searches(controller, min(steps, 10)),
        ]
    finally:
        controller.stop()
