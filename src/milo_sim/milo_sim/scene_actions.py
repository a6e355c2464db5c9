"""The engine's actions on the scene as a whole: which objects there are, where, and their look."""

from __future__ import annotations

from typing import Any

from milo_sim import arranging, physics_properties, randomization, roster, spawning
from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action, Handler, Signature
from milo_sim.errors import ActionFailed
from milo_sim.geometry import Vector
from milo_sim.metadata import xyz
from milo_sim.session import Session
from milo_sim.signatures import FORCE, OBJECT, XYZ, Arguments, ignored, simple
from milo_sim.world import World

# --- Places ------------------------------------------------------------------------------------


def _positions(arguments: Arguments) -> list[Vector]:
    if "positions" in arguments:
        return list(arguments["positions"] or ())
    if "position" in arguments:
        return [arguments["position"]]
    return [(arguments["x"], arguments["y"], arguments["z"])]


def _point(position: Vector | None) -> dict[str, float] | None:
    return None if position is None else xyz(position)


def _teleport_object(session: Session, arguments: Arguments) -> dict[str, float] | None:
    rested = arranging.teleport(
        session.world,
        arguments["objectId"],
        _positions(arguments),
        arguments["rotation"],
        force=arguments["forceAction"],
        stay=arguments["forceKinematic"],
        out_of_hand=arguments["allowTeleportOutOfHand"],
    )
    # With a list of positions the engine does not report where the object rests.
    return None if "positions" in arguments else _point(rested)


def _place_at_point(session: Session, arguments: Arguments) -> dict[str, float] | None:
    return _point(
        arranging.place_at_point(
            session.world,
            arguments["objectId"],
            _positions(arguments),
            arguments["rotation"],
            arguments["forceKinematic"],
        )
    )


def _points_above(session: Session, arguments: Arguments) -> list[dict[str, float]]:
    points = arranging.points_above(session.world, arguments["objectId"], arguments["anywhere"])
    return [xyz(point) for point in points]


def _set_poses(session: Session, arguments: Arguments) -> None:
    poses = arguments["objectPoses"]
    if not poses:
        raise ActionFailed(
            "objectPoses was not initialized correctly. Please make sure each element in the "
            "objectPoses list is initialized."
        )
    arranging.set_poses(
        session.world,
        [arranging.NamedPose(p["objectName"], p["position"], p["rotation"]) for p in poses],
        arguments["placeStationary"],
    )


def _random_spawn(session: Session, arguments: Arguments) -> None:
    counts = arguments["numDuplicatesOfType"] or ()
    spawning.spawn(
        session.world,
        spawning.Options(
            seed=arguments["randomSeed"],
            in_sight=arguments["forceVisible"],
            stationary=arguments["placeStationary"],
            attempts=arguments["numPlacementAttempts"],
            duplicates=[spawning.TypeCount(c["objectType"], c["count"]) for c in counts],
            excluded_receptacles=arguments["excludedReceptacles"] or (),
            excluded_ids=arguments["excludedObjectIds"] or (),
            ids=arguments["objectIds"],
            receptacle_ids=arguments["receptacleObjectIds"],
            allow_floor=arguments["allowFloor"],
            allow_moveable=arguments["allowMoveable"],
        ),
    )


# --- Presence ----------------------------------------------------------------------------------


def _require(world: World, object_id: str) -> None:
    if object_id not in world.objects:
        raise ActionFailed(
            f"Cannot find sim object with id '{object_id}'",
            exception_type="NullReferenceException",
        )


def _remove(session: Session, arguments: Arguments) -> None:
    ids = [arguments["objectId"]] if "objectId" in arguments else arguments["objectIds"]
    if not ids:
        raise ActionFailed("objectIds must not be empty!")
    for key in ids:
        _require(session.world, key)
    for key in dict.fromkeys(ids):
        roster.remove(session.world, key)


def _enable(on: bool) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        key = arguments["objectId"]
        if key not in session.world.objects:
            raise ActionFailed(f"Cannot find sim object with id '{key}'")
        if session.world.objects[key].is_present != on:
            (roster.appear if on else roster.vanish)(session.world, key)

    return run


def _hide(hidden: bool) -> Handler:
    verb = "hide" if hidden else "unhide"

    def run(session: Session, arguments: Arguments) -> None:
        world, key = session.world, arguments["objectId"]
        if key not in world.objects:
            raise ActionFailed(f"No object with given id could be found to {verb}.")
        roster.hide(world, key, hidden, arguments[f"{verb}Contained"])

    return run


def _filter_ids(session: Session, arguments: Arguments) -> None:
    session.world.object_filter = frozenset(arguments["objectIds"] or ())


def _filter_types(session: Session, arguments: Arguments) -> None:
    wanted = set(arguments["objectTypes"] or ())
    objects = session.world.scene_objects
    session.world.object_filter = frozenset(
        key for key, fixed in objects.items() if fixed.object_type in wanted
    )


def _reset_filter(session: Session, _arguments: Arguments) -> None:
    session.world.object_filter = None


# --- Physical properties -----------------------------------------------------------------------


def _set_mass(session: Session, arguments: Arguments) -> None:
    physics_properties.set_mass(session.world, arguments["objectId"], arguments["mass"])


def _make_moveable(session: Session, _arguments: Arguments) -> None:
    physics_properties.free_all(session.world)


def _make_static(session: Session, _arguments: Arguments) -> None:
    physics_properties.fix_heavy(session.world, session.mass_threshold)


# --- Look --------------------------------------------------------------------------------------


def _seed(session: Session, arguments: Arguments) -> None:
    randomization.set_seed(session.world, arguments["seed"])


def _materials(session: Session, arguments: Arguments) -> dict[str, Any]:
    splits = ("train", "val", "test", "external")
    return randomization.randomize_materials(
        session.world,
        {split: arguments[f"use{split.capitalize()}Materials"] for split in splits},
        arguments["inRoomTypes"],
    )


def _colors(session: Session, _arguments: Arguments) -> None:
    randomization.randomize_colors(session.world)


def _lighting(session: Session, arguments: Arguments) -> None:
    randomization.randomize_lighting(
        session.world,
        arguments["synchronized"],
        arguments["brightness"],
        arguments["randomizeColor"],
        arguments["hue"],
        arguments["saturation"],
    )


def _reset_materials(session: Session, _arguments: Arguments) -> None:
    randomization.reset_materials(session.world)


def _reset_colors(session: Session, _arguments: Arguments) -> None:
    randomization.reset_colors(session.world)


def _reset_lighting(session: Session, _arguments: Arguments) -> None:
    randomization.reset_lighting(session.world)


# --- The table ---------------------------------------------------------------------------------

_IDS = Parameter("objectIds", T.TEXTS)
_TELEPORT_OPTIONS = (
    Parameter("rotation", T.VECTOR),
    FORCE,
    Parameter("forceKinematic", T.BOOL, False),
    Parameter("allowTeleportOutOfHand", T.BOOL, False),
    # Nothing breaks by an impact here.
    ignored("makeUnbreakable", T.BOOL, False),
)
_PLACE_OPTIONS = (
    Parameter("rotation", T.VECTOR_OR_NULL, None),
    Parameter("forceKinematic", T.BOOL, False),
)
_SPAWN_PARAMETERS = (
    Parameter("randomSeed", T.INT, 0),
    Parameter("forceVisible", T.BOOL, False),
    Parameter("placeStationary", T.BOOL, True),
    Parameter("numDuplicatesOfType", T.TYPE_COUNTS, None),
    Parameter("excludedReceptacles", T.TEXTS, None),
    Parameter("excludedObjectIds", T.TEXTS, None),
    Parameter("objectIds", T.TEXTS, None),
    Parameter("receptacleObjectIds", T.TEXTS, None),
    Parameter("numPlacementAttempts", T.INT, 5),
    Parameter("allowFloor", T.BOOL, False),
    Parameter("allowMoveable", T.BOOL, False),
)
_POSITION, _POSITIONS = Parameter("position", T.VECTOR), Parameter("positions", T.VECTORS)
_SPLITS = tuple(
    Parameter(f"use{split}Materials", T.BOOL_OR_NULL, None)
    for split in ("Train", "Val", "Test", "External")
)

SCENE_ACTIONS: tuple[Action, ...] = (
    Action(
        "TeleportObject",
        tuple(
            Signature(_teleport_object, (OBJECT, *place, *_TELEPORT_OPTIONS))
            for place in ((_POSITION,), (_POSITIONS,), XYZ)
        ),
    ),
    Action(
        "PlaceObjectAtPoint",
        tuple(
            Signature(_place_at_point, (OBJECT, place, *_PLACE_OPTIONS))
            for place in (_POSITION, _POSITIONS)
        ),
    ),
    simple(
        "GetSpawnCoordinatesAboveReceptacle",
        _points_above,
        Parameter("objectId", T.TEXT, ""),
        Parameter("anywhere", T.BOOL, False),
        lenient=True,
    ),
    simple(
        "SetObjectPoses",
        _set_poses,
        Parameter("objectPoses", T.OBJECT_POSES, None),
        Parameter("placeStationary", T.BOOL, True),
        lenient=True,
    ),
    simple("InitialRandomSpawn", _random_spawn, *_SPAWN_PARAMETERS),
    Action("RemoveFromScene", (Signature(_remove, (OBJECT,)), Signature(_remove, (_IDS,)))),
    simple("DisableObject", _enable(False), OBJECT),
    simple("EnableObject", _enable(True), OBJECT),
    simple("HideObject", _hide(True), OBJECT, Parameter("hideContained", T.BOOL, True)),
    simple("UnhideObject", _hide(False), OBJECT, Parameter("unhideContained", T.BOOL, True)),
    simple("SetObjectFilter", _filter_ids, _IDS),
    simple("SetObjectFilterForType", _filter_types, Parameter("objectTypes", T.TEXTS)),
    simple("ResetObjectFilter", _reset_filter),
    simple(
        "SetMassProperties",
        _set_mass,
        OBJECT,
        Parameter("mass", T.FLOAT),
        # Bodies here know no drag and do not turn.
        ignored("drag", T.FLOAT, 0.0),
        ignored("angularDrag", T.FLOAT, 0.05),
    ),
    simple("MakeAllObjectsMoveable", _make_moveable),
    simple("MakeObjectsStaticKinematicMassThreshold", _make_static),
    simple("SetRandomSeed", _seed, Parameter("seed", T.INT), fast_emit=True),
    simple("RandomizeMaterials", _materials, *_SPLITS, Parameter("inRoomTypes", T.TEXTS, None)),
    simple("ResetMaterials", _reset_materials),
    simple("RandomizeColors", _colors),
    simple("ResetColors", _reset_colors),
    simple(
        "RandomizeLighting",
        _lighting,
        Parameter("synchronized", T.BOOL, False),
        Parameter("brightness", T.FLOATS, None),
        Parameter("randomizeColor", T.BOOL, True),
        Parameter("hue", T.FLOATS, None),
        Parameter("saturation", T.FLOATS, None),
    ),
    simple("ResetLighting", _reset_lighting),
)
