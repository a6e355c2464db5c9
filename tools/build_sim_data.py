"""Pack the iTHOR scene facts into milo_sim's data folder.

Usage: ``python tools/build_sim_data.py FACTS_FOLDER``, where the folder holds ``scenes/*.json`` and
``spawn_grids.json``. The output depends on nothing but the input, byte for byte. Dropped are the
ALFRED interaction poses, per-object sources and the initial visibility, none of which the
simulator uses.
"""

from __future__ import annotations

import gzip
import heapq
import json
import sys
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).resolve().parent.parent / "src/milo_sim/milo_sim/data/scenes"
Cell = tuple[int, int]
CELL = 0.25
"""Spacing of the lattice of agent positions [m]."""
AGENT_HEIGHT = 0.901
"""Height of the agent's centre above the floor it stands on [m]."""

MIN_SLOTS_SURE, MAX_RATIO_SURE = 5, 1.25
MIN_SLOTS, MAX_RATIO = 3, 1.1
TWIN_TOLERANCE = 0.005
"""Largest difference of two box sides of the same model [m]."""
TWIN_MARGIN = 0.001

MEASURED = {"Box_1": ([-0.11886, 0.030066, 9], [-0.1716, 0.04645, 9], 0.0263)}
"""Grid axes (x, z: first, spacing, slots) and lowest pivot above the bottom [m] of models whose
grid the recorded AI2-THOR 5.0.0 placements show (traces/clean_up_living_room.json)."""


def vector(values: dict[str, float]) -> list[float]:
    """``{x, y, z}`` as a list."""
    return [values["x"], values["y"], values["z"]]


def grid_axis(axis: dict[str, Any] | None, extent: float) -> list[float] | None:
    """Keep a recovered grid axis unless missing rows may have doubled its spacing.

    Missing rows make the recovered box longer than the receptacle itself (``extent``, metres); few
    rows are trusted less than many.
    """
    if axis is None:
        return None
    ratio = axis["boxSide"] / max(extent, 1e-6)
    sure = axis["slots"] >= MIN_SLOTS_SURE and ratio <= MAX_RATIO_SURE
    likely = axis["slots"] >= MIN_SLOTS and ratio <= MAX_RATIO
    return [axis["first"], axis["spacing"], axis["slots"]] if sure or likely else None


def lattice(obj: dict[str, Any], grid: dict[str, Any] | None) -> list[Any] | None:
    """(x, z) grid axes of a receptacle's trigger box, each None where unknown."""
    found = (grid or {}).get("lattice")
    if not found:
        return None
    size = obj["aabb"]["size"]
    turned = 45.0 < obj["rotation"]["y"] % 180.0 < 135.0
    extent_x, extent_z = (size["z"], size["x"]) if turned else (size["x"], size["z"])
    axes = [grid_axis(found.get("x"), extent_x), grid_axis(found.get("z"), extent_z)]
    return axes if any(axes) else None


def pack_object(obj: dict[str, Any], grid: dict[str, Any] | None) -> dict[str, Any]:
    """One object, with defaults left out."""
    entry: dict[str, Any] = {
        "id": obj["objectId"],
        "type": obj["objectType"],
        "name": obj["name"],
        "position": vector(obj["position"]),
        "rotation": vector(obj["rotation"]),
        "aabb": vector(obj["aabb"]["center"]) + vector(obj["aabb"]["size"]),
        "flags": sorted(obj["flags"]),
    }
    optional = {
        "asset": obj["assetId"] or None,
        "oobb": [c for corner in obj["oobb"] for c in corner] if obj["oobb"] else None,
        "state": obj["state"] or None,
        "temperature": obj["temperature"] if obj["temperature"] != "RoomTemp" else None,
        "mass": obj["mass"] or None,
        "materials": obj["salientMaterials"],
        "parents": obj["parentReceptacles"],
        "contents": obj["receptacleObjectIds"],
        "controls": obj["controlledObjects"],
        "moving": obj["initial"]["isMoving"] or None,
        "lattice": lattice(obj, grid),
        "content_height": grid["yRange"] if grid else None,
    }
    entry.update({key: value for key, value in optional.items() if value is not None})
    return entry


def bounds(scene: dict[str, Any]) -> dict[str, Any]:
    """Scene bounds: on record for a few scenes, else the union of the objects' boxes."""
    known = scene["bounds"]["sceneBounds"]
    if known:
        center, size = vector(known["center"]), vector(known["size"])
        return {"center": center, "size": size, "assumed": False}
    union = scene["bounds"]["objectsAabbUnion"]
    low, high = vector(union["min"]), vector(union["max"])
    return {
        "center": [round((a + b) / 2, 5) for a, b in zip(low, high, strict=True)],
        "size": [round(b - a, 5) for a, b in zip(low, high, strict=True)],
        "assumed": True,
    }


def yaw_frame_size(entry: dict[str, Any]) -> tuple[float, float]:
    """(x, z) sides of the axis-aligned box in the object's frame, for yaws near 90 degrees."""
    turned = 45.0 < entry["rotation"][1] % 180.0 < 135.0
    size_x, size_z = entry["aabb"][3], entry["aabb"][5]
    return (size_z, size_x) if turned else (size_x, size_z)


def model_distance(entry: dict[str, Any], other: dict[str, Any]) -> float:
    """Largest difference of the two boxes' sides in the ground plane [m]."""
    own, its = yaw_frame_size(entry), yaw_frame_size(other)
    return max(abs(a - b) for a, b in zip(own, its, strict=True))


def twins(entry: dict[str, Any], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Objects of the same type whose boxes are equally wide and deep, which are the same model.

    Of these the ones with the most similar box (to a millimetre).
    """
    same = [other for other in others if other["type"] == entry["type"]]
    distances = [model_distance(entry, other) for other in same]
    limit = min([*distances, TWIN_TOLERANCE]) + TWIN_MARGIN
    return [other for other, d in zip(same, distances, strict=True) if d <= limit]


def middle(rows: list[list[Any]]) -> list[Any]:
    """The middle row by value."""
    return sorted(rows)[len(rows) // 2]


def best_axis(rows: list[list[Any]]) -> list[Any]:
    """Of several grid axes of one model the one of which most points were seen."""
    most = max(row[2] for row in rows)
    return middle([row for row in rows if row[2] == most])


def learn_from_twins(scenes: list[dict[str, Any]]) -> None:
    """Give receptacles without a recovered grid or content height those of their twins."""
    entries = [entry for scene in scenes for entry in scene["objects"]]
    known = [entry for entry in entries if "lattice" in entry and all(entry["lattice"])]
    learned = []
    for entry in entries:
        if "receptacle" not in entry["flags"] or ("lattice" in entry and all(entry["lattice"])):
            continue
        if entry.get("asset") in MEASURED:
            measure(entry)
            continue
        same = twins(entry, known)
        if same and model_distance(entry, same[0]) < TWIN_TOLERANCE:
            learned.append((entry, same))
    for entry, same in learned:
        own = entry.get("lattice", [None, None])
        axes = [own[i] or best_axis([other["lattice"][i] for other in same]) for i in (0, 1)]
        entry["lattice"] = axes
        if "content_height" not in entry:
            bottom = entry["aabb"][1] - entry["aabb"][4] / 2
            heights = [content_height_above_bottom(other) for other in same]
            entry["content_height"] = [round(bottom + h, 5) for h in middle(heights)]


def measure(entry: dict[str, Any]) -> None:
    """Apply what recorded placements tell about one model."""
    axis_x, axis_z, height = MEASURED[entry["asset"]]
    bottom = entry["aabb"][1] - entry["aabb"][4] / 2
    entry["lattice"] = [axis_x, axis_z]
    entry["content_height"] = [round(bottom + height, 5), round(bottom + height, 5)]


def content_height_above_bottom(entry: dict[str, Any]) -> list[float]:
    """Content height range measured from the bottom of the receptacle's box."""
    bottom = entry["aabb"][1] - entry["aabb"][4] / 2
    return [height - bottom for height in entry["content_height"]]


def cell_cost(cell: Cell, objects: list[dict[str, Any]], floor_y: float) -> float:
    """Cost of assuming that an unknown cell is free: more where furniture may stand."""
    x, z = cell[0] * CELL, cell[1] * CELL
    for entry in objects:
        if "pickupable" in entry["flags"] or entry["type"] == "Floor":
            continue
        center, size = entry["aabb"][:3], entry["aabb"][3:]
        low, high = center[1] - size[1] / 2 - floor_y, center[1] + size[1] / 2 - floor_y
        inside = abs(x - center[0]) < size[0] / 2 and abs(z - center[2]) < size[2] / 2
        if inside and high > 0.05 and low < 1.8:
            return 3.0
    return 1.0


def component(start: Cell, cells: set[Cell]) -> set[Cell]:
    """Cells connected to a start by steps along the axes."""
    found, queue = {start}, [start]
    while queue:
        x, z = queue.pop()
        for cell in ((x + 1, z), (x, z + 1), (x - 1, z), (x, z - 1)):
            if cell in cells and cell not in found:
                found.add(cell)
                queue.append(cell)
    return found


def cheapest_bridge(
    main: set[Cell], known: set[Cell], objects: list[dict[str, Any]], floor_y: float
) -> list[Cell]:
    """Fewest unknown cells that join the connected cells to any other known cell."""
    queue: list[tuple[float, Cell, tuple[Cell, ...]]] = [(0.0, cell, ()) for cell in sorted(main)]
    heapq.heapify(queue)
    done: set[Cell] = set()
    while queue:
        cost, (x, z), path = heapq.heappop(queue)
        if (x, z) in done:
            continue
        done.add((x, z))
        if (x, z) in known and (x, z) not in main:
            return list(path)
        for cell in ((x + 1, z), (x, z + 1), (x - 1, z), (x, z - 1)):
            if cell in done:
                continue
            if cell in known:
                heapq.heappush(queue, (cost, cell, path))
            else:
                step = cell_cost(cell, objects, floor_y)
                heapq.heappush(queue, (cost + step, cell, (*path, cell)))
    raise ValueError("a known cell cannot be joined to the others")


def infer_cells(
    start: Cell, known: set[Cell], objects: list[dict[str, Any]], floor_y: float
) -> set[Cell]:
    """Cells that must be free because the engine walked from the start to all known cells."""
    cells = {*known, start}
    while True:
        main = component(start, cells)
        if main >= cells:
            return cells - known
        cells.update(cheapest_bridge(main, cells, objects, floor_y))


def pack_scene(scene: dict[str, Any], grids: dict[str, Any]) -> dict[str, Any]:
    """One scene in the layout that milo_sim.scene reads."""
    agent = scene["agent"]
    yaw = agent["rotation_y"]
    cells = scene["reachablePositions"]["xz"] + scene["reachableExtra"]["xz"]
    known = {(round(x / CELL), round(z / CELL)) for x, z in cells}
    floor_y = round(agent["position"]["y"] - AGENT_HEIGHT, 5)
    objects = [pack_object(obj, grids.get(obj["objectId"])) for obj in scene["objects"]]
    position = vector(agent["position"])
    start = (round(position[0] / CELL), round(position[2] / CELL))
    inferred = infer_cells(start, known, objects, floor_y)
    return {
        "scene": scene["scene"],
        "room_type": scene["roomType"],
        "agent": {
            "position": position,
            "yaw": agent["rotation_candidates"][0] if yaw is None else yaw,
            "yaw_assumed": yaw is None,
        },
        "bounds": bounds(scene),
        "floor_y": floor_y,
        "reachable": [[x * CELL, z * CELL] for x, z in sorted(known)],
        "inferred": [[x * CELL, z * CELL] for x, z in sorted(inferred)],
        "objects": objects,
    }


def build(source: Path) -> None:
    """Write one compressed file a scene from the facts in a folder."""
    grids = json.loads((source / "spawn_grids.json").read_text("utf-8"))["scenes"]
    OUTPUT.mkdir(parents=True, exist_ok=True)
    paths = sorted((source / "scenes").glob("*.json"))
    scenes = [json.loads(path.read_text("utf-8")) for path in paths]
    packed = [pack_scene(scene, grids.get(scene["scene"], {})) for scene in scenes]
    learn_from_twins(packed)
    for scene in packed:
        text = json.dumps(scene, separators=(",", ":"), sort_keys=True)
        data = gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0)
        (OUTPUT / f"{scene['scene']}.json.gz").write_bytes(data)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
