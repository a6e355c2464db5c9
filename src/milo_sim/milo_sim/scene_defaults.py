"""What a hand-written scene may leave out: boxes, free places, containment, names."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np

from milo_core.object_types import OBJECT_TYPES
from milo_sim.geometry import Box, FloatArray, as_vector, euler_to_matrix
from milo_sim.navigation import CELL, cell_of
from milo_sim.scene import parse_scene
from milo_sim.scene_file import ObjectModel, SceneModel
from milo_sim.solids import AGENT_HEIGHT, AGENT_RADIUS

STEP_HEIGHT = 0.05
"""What is lower than this is no obstacle [m]."""

Entry = dict[str, Any]


def complete(model: SceneModel, name: str) -> Entry:
    """A scene in the form of the packaged ones, with nothing left out.

    Raises:
        ValueError: Parts of the scene do not fit together; one sentence without the full stop.
    """
    objects = _objects(model)
    _check_references(objects)
    scene: Entry = {
        "scene": model.scene or name,
        "room_type": model.room_type,
        "agent": model.agent.model_dump(),
        "bounds": model.bounds.model_dump() if model.bounds else _union(objects),
        "floor_y": model.floor_y,
        "inferred": [list(cell) for cell in model.inferred],
        "objects": objects,
    }
    scene["reachable"] = _reachable(model, scene)
    _fill_containment(scene)
    return scene


# Objects


def _objects(model: SceneModel) -> list[Entry]:
    numbers: Counter[str] = Counter()
    entries = []
    for obj in model.objects:
        numbers[obj.type] += 1
        entries.append(_object(obj, numbers[obj.type]))
    return entries


def _object(obj: ObjectModel, number: int) -> Entry:
    from milo_sim.roster import id_at

    row = OBJECT_TYPES[obj.type]
    entry = obj.model_dump(exclude={"size", "flags", "state"}, exclude_none=True)
    entry["id"] = obj.id or id_at(obj.type, obj.position)
    entry["name"] = obj.name or f"{obj.type}_{number}"
    entry["flags"] = obj.own_flags()
    entry["state"] = _state(obj)
    if obj.is_loose:
        entry.setdefault("mass", row.mass or 1.0)
        # Of several materials that a type is made of, nobody knows this one's.
        entry.setdefault("materials", list(row.materials) if len(row.materials) == 1 else [])
    if obj.aabb is None:
        _give_box(entry, obj)
    return entry


def _state(obj: ObjectModel) -> Entry:
    state = obj.state.model_dump(exclude_none=True, exclude_unset=True)
    if "isOpen" in state:
        state.setdefault("openness", float(state["isOpen"]))
    elif "openness" in state:
        state["isOpen"] = state["openness"] > 0.0
    return state


def _give_box(entry: Entry, obj: ObjectModel) -> None:
    size = obj.size or OBJECT_TYPES[obj.type].box_size
    assert size is not None  # the model refuses it
    axes = euler_to_matrix(obj.rotation)
    half = np.array(size) / 2
    box = Box(np.array(obj.position) + axes[:, 1] * half[1], axes, half)
    entry["aabb"] = [*box.center.tolist(), *(2 * box.extent()).tolist()]
    if obj.is_loose:
        entry["oobb"] = box.corners().ravel().tolist()


def _check_references(objects: list[Entry]) -> None:
    by_id = {entry["id"]: entry for entry in objects}
    if len(by_id) < len(objects):
        ids = Counter(entry["id"] for entry in objects)
        twice = ids.most_common(1)[0][0]
        raise ValueError(f"two objects have the id {twice}; give one of them another id")
    for entry in objects:
        for field in ("parents", "contents", "controls"):
            for other in entry.get(field) or ():
                if other not in by_id:
                    raise ValueError(
                        f"object {entry['id']}, field {field}: there is no object {other}"
                    )
        for parent in entry.get("parents") or ():
            _check_parent(entry, by_id[parent])
        for content in entry.get("contents") or ():
            parents = by_id[content].get("parents")
            if parents is not None and entry["id"] not in parents:
                raise ValueError(
                    f"object {entry['id']}, field contents: {content} does not name it in parents"
                )


def _check_parent(entry: Entry, parent: Entry) -> None:
    if "receptacle" not in parent["flags"]:
        raise ValueError(f"object {entry['id']}, field parents: {parent['id']} is not a receptacle")
    if entry["id"] == parent["id"]:
        raise ValueError(f"object {entry['id']}, field parents: it cannot hold itself")
    contents = parent.get("contents")
    if contents is not None and entry["id"] not in contents:
        raise ValueError(
            f"object {entry['id']}, field parents: {parent['id']} does not name it in contents"
        )


# Containment


def _fill_containment(scene: Entry) -> None:
    """Complete ``parents`` and ``contents``, so that each is what the other says."""
    objects: list[Entry] = scene["objects"]
    by_id = {entry["id"]: entry for entry in objects}
    told = {entry["id"] for entry in objects if "contents" in entry}
    for entry in objects:
        for content in entry.get("contents") or ():
            parents = by_id[content].setdefault("parents", [])
            if entry["id"] not in parents:
                parents.append(entry["id"])
    _hand_down(objects, by_id)
    unknown = [e["id"] for e in objects if "oobb" in e and "parents" not in e]
    for object_id, touched in _touched(scene, unknown).items():
        parents = sorted(touched - told)
        if parents:
            by_id[object_id]["parents"] = parents
    _hand_down(objects, by_id)


def _hand_down(objects: list[Entry], by_id: dict[str, Entry]) -> None:
    """Give every receptacle the list of what names it as a parent."""
    for entry in objects:
        if "receptacle" in entry["flags"]:
            entry.setdefault("contents", [])
    for entry in objects:
        for parent in entry.get("parents") or ():
            if entry["id"] not in by_id[parent]["contents"]:
                by_id[parent]["contents"].append(entry["id"])


def _touched(scene: Entry, object_ids: list[str]) -> dict[str, set[str]]:
    """The receptacles whose inside each object reaches into."""
    from milo_sim.containment import find_parents
    from milo_sim.world import World

    if not object_ids:
        return {}
    world = World(parse_scene(scene))
    return {object_id: set(find_parents(world, object_id)) for object_id in object_ids}


# Places


def _union(objects: list[Entry]) -> Entry:
    boxes = np.array([entry["aabb"] for entry in objects])
    low = (boxes[:, :3] - boxes[:, 3:] / 2).min(axis=0)
    high = (boxes[:, :3] + boxes[:, 3:] / 2).max(axis=0)
    return {"center": as_vector((low + high) / 2), "size": as_vector(high - low), "assumed": True}


def _reachable(model: SceneModel, scene: Entry) -> list[list[float]]:
    x, _, z = model.agent.position
    start = cell_of(x, z)
    if model.reachable is not None:
        if start not in {cell_of(*cell) for cell in [*model.reachable, *model.inferred]}:
            raise ValueError("field agent.position: the agent starts at none of the free places")
        return [list(cell) for cell in model.reachable]
    boxes = _obstacles(scene)
    low, high = _walkable(scene["bounds"])
    blocker = _blocker(start, boxes, low, high)
    if blocker is not None:
        raise ValueError(f"field agent.position: the agent cannot stand there because of {blocker}")
    found, queue = {start}, deque([start])
    while queue:
        column, row = queue.popleft()
        for cell in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
            if cell not in found and _blocker(cell, boxes, low, high) is None:
                found.add(cell)
                queue.append(cell)
    return [[column * CELL, row * CELL] for column, row in sorted(found)]


def _obstacles(scene: Entry) -> list[tuple[str, Box]]:
    """Boxes that reach into the height at which the agent walks."""
    found = []
    for entry in scene["objects"]:
        aabb = entry["aabb"]
        box = Box.axis_aligned(aabb[:3], aabb[3:])
        low, high = aabb[1] - aabb[4] / 2, aabb[1] + aabb[4] / 2
        walks = low < scene["floor_y"] + AGENT_HEIGHT and high > scene["floor_y"] + STEP_HEIGHT
        if walks and entry["type"] != "Floor":
            if "oobb" in entry:
                box = Box.from_corners(np.array(entry["oobb"]).reshape(8, 3))
            found.append((entry["id"], box))
    return found


def _walkable(bounds: Entry) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest (x, z) of the agent's centre between the walls."""
    center, half = np.array(bounds["center"])[[0, 2]], np.array(bounds["size"])[[0, 2]] / 2
    return center - half + AGENT_RADIUS, center + half - AGENT_RADIUS


def _blocker(
    cell: tuple[int, int], boxes: list[tuple[str, Box]], low: FloatArray, high: FloatArray
) -> str | None:
    """What keeps the agent from standing in a cell: an object's id or "the bounds"."""
    place = np.array(cell) * CELL
    if np.any(place < low) or np.any(place > high):
        return "the bounds"
    for object_id, box in boxes:
        point = np.array([place[0], box.center[1], place[1]])
        gap = np.maximum(np.abs(box.to_local(point)) - box.half, 0.0)
        if float(np.linalg.norm(gap)) < AGENT_RADIUS:
            return object_id
    return None
