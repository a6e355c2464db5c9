"""Immutable description of a scene: one of the packaged iTHOR scenes or one of the user's own."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from milo_sim.errors import UnknownSceneError
from milo_sim.geometry import FloatArray, Vector

SCENES_VARIABLE = "MILO_SIM_SCENES"
OWN_SUFFIX = ".json"
PROCEDURAL = "Procedural"
_SUFFIX = "_physics"


@dataclass(frozen=True, slots=True)
class GridAxis:
    """One axis of the 9-point placement grid of a receptacle.

    Attributes:
        first: Lowest grid coordinate that was seen, in the receptacle's yaw frame from the centre
            of its axis-aligned box [m].
        spacing: Distance of two grid points [m]; the trigger box is 8 spacings long.
        slots: Number of grid points between the lowest and the highest that were seen.
    """

    first: float
    spacing: float
    slots: int

    @property
    def side(self) -> float:
        """Length of the trigger box along this axis [m]."""
        return 8.0 * self.spacing


@dataclass(frozen=True, slots=True, eq=False)
class SceneObject:
    """One simulator object as the scene starts.

    ``lattice`` has the (x, z) axes of the receptacle's trigger box, recovered from recorded
    placements, each None where unknown; ``content_height`` is the lowest and highest pivot that
    recorded placements gave there [m].
    """

    object_id: str
    object_type: str
    name: str
    asset_id: str
    position: Vector
    rotation: Vector
    aabb_center: Vector
    aabb_size: Vector
    oobb: FloatArray | None
    flags: frozenset[str]
    state: Mapping[str, Any]
    temperature: str
    mass: float
    salient_materials: tuple[str, ...] | None
    parent_receptacles: tuple[str, ...] | None
    receptacle_object_ids: tuple[str, ...] | None
    controlled_objects: tuple[str, ...] | None
    is_moving: bool
    lattice: tuple[GridAxis | None, GridAxis | None] | None
    content_height: tuple[float, float] | None

    def has(self, flag: str) -> bool:
        """Tell whether the object has a property such as ``pickupable``."""
        return flag in self.flags


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One iTHOR scene as it starts.

    ``reachable`` is an (n, 2) array of free agent cells (x, z) on the 0.25 m grid, of which the
    last ``inferred_cells`` are not on record but must be free to join the others;
    ``start_yaw_assumed`` tells that the start yaw is not on record and the first candidate is
    used; ``bounds_assumed`` that the bounds are the union of the objects' boxes. ``source`` is the
    name by which Reset takes a scene that is not packaged, such as the path of its file.
    """

    name: str
    room_type: str
    start_position: Vector
    start_yaw: float
    start_yaw_assumed: bool
    bounds_center: Vector
    bounds_size: Vector
    bounds_assumed: bool
    floor_y: float
    reachable: FloatArray
    inferred_cells: int
    objects: tuple[SceneObject, ...]
    source: str = ""

    @property
    def scene_name(self) -> str:
        """Name by which Reset takes the scene, such as ``FloorPlan1_physics``."""
        return self.source or self.name + _SUFFIX


def base_name(name: str) -> str:
    """``FloorPlan1_physics`` and ``FloorPlan1`` both give ``FloorPlan1``."""
    return name.removesuffix(_SUFFIX)


@cache
def scene_names() -> tuple[str, ...]:
    """Names of the packaged scenes without suffix, by number."""
    files = resources.files("milo_sim") / "data" / "scenes"
    found = [m.group(1) for f in files.iterdir() if (m := re.fullmatch(r"(\w+)\.json\.gz", f.name))]
    return tuple(sorted(found, key=lambda name: int(name.removeprefix("FloorPlan"))))


def scene_data_digest() -> str:
    """SHA-256 over the names and contents of all packaged scene files."""
    digest = hashlib.sha256()
    folder = resources.files("milo_sim").joinpath("data/scenes")
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def empty_scene() -> Scene:
    """What the engine calls Procedural: nothing, until CreateHouse fills it."""
    return Scene(
        name=PROCEDURAL,
        room_type="LivingRoom",
        start_position=(0.0, 0.9, 0.0),
        start_yaw=0.0,
        start_yaw_assumed=False,
        bounds_center=(0.0, 0.0, 0.0),
        bounds_size=(0.0, 0.0, 0.0),
        bounds_assumed=False,
        floor_y=0.0,
        reachable=np.zeros((1, 2)),
        inferred_cells=0,
        objects=(),
        source=PROCEDURAL,
    )


def own_scene_names() -> tuple[str, ...]:
    """Names of the user's own scenes: what the variable MILO_SIM_SCENES lists.

    Its entries are scene files and folders of them (``*.json``), separated as in PATH. Each file
    has its path as given and its absolute path for names.
    """
    names: dict[str, None] = {}
    for entry in os.environ.get(SCENES_VARIABLE, "").split(os.pathsep):
        path = Path(entry).expanduser()
        files = sorted(path.glob("*" + OWN_SUFFIX)) if entry and path.is_dir() else []
        given = [os.path.join(entry, file.name) for file in files]
        if entry.endswith(OWN_SUFFIX) and not path.is_dir():
            given = [entry]
        for name in given:
            names[name] = names[os.path.abspath(Path(name).expanduser())] = None
    return tuple(names)


def load_scene(name: str) -> Scene:
    """Load a packaged scene by name, with or without the ``_physics`` suffix, or a file by path.

    ``Procedural`` is an empty scene.

    Raises:
        UnknownSceneError: There is no such scene.
        SceneFileError: The name ends in ``.json`` and no scene can be read from that file.
    """
    if name.endswith(OWN_SUFFIX):
        from milo_sim.scene_file import load_scene_file

        return load_scene_file(name)
    if name == PROCEDURAL:
        return empty_scene()
    base = base_name(name)
    if base not in scene_names():
        raise UnknownSceneError(name)
    return _packaged(base)


@lru_cache(maxsize=8)
def _packaged(base: str) -> Scene:
    file = resources.files("milo_sim") / "data" / "scenes" / f"{base}.json.gz"
    return parse_scene(json.loads(gzip.decompress(file.read_bytes())))


def parse_scene(data: Mapping[str, Any], source: str = "") -> Scene:
    """A scene from the complete data of a scene file (see :mod:`milo_sim.scene_file`)."""
    agent, bounds = data["agent"], data["bounds"]
    return Scene(
        name=data["scene"],
        room_type=data["room_type"],
        start_position=_vector(agent["position"]),
        start_yaw=float(agent["yaw"]),
        start_yaw_assumed=bool(agent["yaw_assumed"]),
        bounds_center=_vector(bounds["center"]),
        bounds_size=_vector(bounds["size"]),
        bounds_assumed=bool(bounds["assumed"]),
        floor_y=float(data["floor_y"]),
        reachable=np.asarray([*data["reachable"], *data["inferred"]], dtype=np.float64),
        inferred_cells=len(data["inferred"]),
        objects=tuple(_parse_object(entry) for entry in data["objects"]),
        source=source,
    )


def _parse_object(entry: dict[str, Any]) -> SceneObject:
    oobb = entry.get("oobb")
    lattice = entry.get("lattice")
    height = entry.get("content_height")
    return SceneObject(
        object_id=entry["id"],
        object_type=entry["type"],
        name=entry["name"],
        asset_id=entry.get("asset", ""),
        position=_vector(entry["position"]),
        rotation=_vector(entry["rotation"]),
        aabb_center=_vector(entry["aabb"][:3]),
        aabb_size=_vector(entry["aabb"][3:]),
        oobb=None if oobb is None else np.asarray(oobb, dtype=np.float64).reshape(8, 3),
        flags=frozenset(entry["flags"]),
        state=MappingProxyType(entry.get("state", {})),
        temperature=entry.get("temperature", "RoomTemp"),
        mass=float(entry.get("mass", 0.0)),
        salient_materials=_names(entry.get("materials")),
        parent_receptacles=_names(entry.get("parents")),
        receptacle_object_ids=_names(entry.get("contents")),
        controlled_objects=_names(entry.get("controls")),
        is_moving=bool(entry.get("moving", False)),
        lattice=None if lattice is None else (_axis(lattice[0]), _axis(lattice[1])),
        content_height=None if height is None else (float(height[0]), float(height[1])),
    )


def _axis(values: Sequence[float] | None) -> GridAxis | None:
    if values is None:
        return None
    return GridAxis(first=float(values[0]), spacing=float(values[1]), slots=int(values[2]))


def _vector(values: Sequence[float]) -> Vector:
    return (float(values[0]), float(values[1]), float(values[2]))


def _names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)
