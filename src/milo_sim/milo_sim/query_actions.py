"""The engine's actions that only ask: rays, visibility, outlines, cameras, metadata."""

from __future__ import annotations

from typing import Any

import numpy as np

from milo_sim import arranging, hulls, raycast
from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action
from milo_sim.geometry import as_vector
from milo_sim.metadata import object_metadata, xyz
from milo_sim.session import Session
from milo_sim.signatures import OBJECT, XY, Arguments, simple


def _object_metadata(session: Session, arguments: Arguments) -> list[dict[str, Any]]:
    world = session.world
    return [
        object_metadata(world, key) for key in arguments["objectIds"] or () if key in world.objects
    ]


def _visible_objects(session: Session, arguments: Arguments) -> list[str]:
    return arranging.visible_ids(
        session.world, arguments["maxDistance"], arguments["visibilityScheme"]
    )


def _object_in_frame(session: Session, arguments: Arguments) -> str:
    return raycast.object_in_frame(
        session.world, arguments["x"], arguments["y"], arguments["checkVisible"]
    )


def _coordinate(session: Session, arguments: Arguments) -> dict[str, float]:
    return xyz(raycast.coordinate(session.world, arguments["x"], arguments["y"]))


def _raycast(session: Session, arguments: Arguments) -> dict[str, Any]:
    hit = raycast.between(session.world, arguments["origin"], arguments["destination"])
    return {
        "objectId": hit.object_id,
        "hitPoint": xyz(hit.point),
        "hitDistance": float(hit.distance),
    }


def _visibility_points(session: Session, arguments: Arguments) -> list[dict[str, float]]:
    session.world.require_known(arguments["objectId"])
    points = session.world.visibility_points(arguments["objectId"])
    return [xyz(as_vector(point)) for point in points]


def _hull(session: Session, arguments: Arguments) -> list[list[float]] | None:
    outline = hulls.hull(session.world, arguments["objectId"])
    return None if outline is None else [list(point) for point in outline]


def _hulls(session: Session, arguments: Arguments) -> dict[str, list[list[float]]]:
    found = hulls.hulls(session.world, arguments["objectIds"], arguments["objectTypes"])
    return {key: [list(point) for point in outline] for key, outline in found.items()}


def _map_view(session: Session, _arguments: Arguments) -> dict[str, Any]:
    """The camera that shows the whole room from above; the scene's bounds stand for the ceiling."""
    scene = session.world.scene
    center, half = np.array(scene.bounds_center), np.array(scene.bounds_size) / 2
    return {
        "position": xyz((float(center[0]), float(center[1] + half[1]), float(center[2]))),
        "rotation": xyz((90.0, 0.0, 0.0)),
        "orthographicSize": float(max(half[0], half[2])),
        "orthographic": True,
    }


def _scene_bounds(session: Session, _arguments: Arguments) -> list[dict[str, float]]:
    scene = session.world.scene
    center, half = np.array(scene.bounds_center), np.array(scene.bounds_size) / 2
    return [xyz(as_vector(center - half)), xyz(as_vector(center + half))]


QUERY_ACTIONS: tuple[Action, ...] = (
    simple("GetObjectMetadata", _object_metadata, Parameter("objectIds", T.TEXTS), fast_emit=True),
    simple(
        "GetVisibleObjects",
        _visible_objects,
        Parameter("maxDistance", T.FLOAT_OR_NULL, None),
        Parameter("visibilityScheme", T.TEXT, None),
        fast_emit=True,
    ),
    simple(
        "GetObjectInFrame",
        _object_in_frame,
        *XY,
        Parameter("checkVisible", T.BOOL, False),
        fast_emit=True,
    ),
    simple("GetCoordinateFromRaycast", _coordinate, *XY, fast_emit=True),
    simple(
        "PerformRaycast",
        _raycast,
        Parameter("origin", T.VECTOR),
        Parameter("destination", T.VECTOR),
        fast_emit=True,
    ),
    simple("GetVisibilityPoints", _visibility_points, OBJECT, fast_emit=True),
    simple("Get2DSemanticHull", _hull, OBJECT, fast_emit=True),
    simple(
        "Get2DSemanticHulls",
        _hulls,
        Parameter("objectIds", T.TEXTS, None),
        Parameter("objectTypes", T.TEXTS, None),
        fast_emit=True,
    ),
    simple("GetMapViewCameraProperties", _map_view, fast_emit=True),
    simple("GetSceneBounds", _scene_bounds),
)
