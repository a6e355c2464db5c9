"""The engine's actions that milo_sim knows: one table of typed signatures, and what runs them.

Names, parameters and defaults are those of AI2-THOR 5.0.0 (Apache-2.0, Allen Institute for
Artificial Intelligence). Parameters that the engine itself never reads are ignored here too; those
whose effect is not simulated take only their default (see Support).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from milo_sim import raycast
from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action, Dispatcher, Handler, Signature
from milo_sim.errors import ActionFailed
from milo_sim.hand_actions import HAND_ACTIONS
from milo_sim.metadata import xyz
from milo_sim.query_actions import QUERY_ACTIONS
from milo_sim.scene_actions import SCENE_ACTIONS
from milo_sim.scene_choice import SCENE_CHOICE_ACTIONS
from milo_sim.session import Session
from milo_sim.signatures import (
    FORCE,
    MANUAL,
    OBJECT,
    XYZ,
    Arguments,
    default_only,
    ignored,
    on_object,
    simple,
    target,
)
from milo_sim.state import Settings
from milo_sim.state_actions import STATE_ACTIONS
from milo_sim.unsupported import UNSUPPORTED

_INT_MAX = 2**31 - 1

# --- Scene and session -------------------------------------------------------------------------


def _initialize(session: Session, arguments: Arguments) -> dict[str, float]:
    mode = (arguments["agentMode"] or "").lower()
    if mode != "default":
        raise ActionFailed(
            f'agentMode "{arguments["agentMode"]}" is not supported by milo_sim; use "default".',
            error_code="InvalidArgument",
        )
    _configure(session, _settings(session, arguments))
    session.fast_emit = arguments["fastActionEmit"]
    session.mass_threshold = arguments["massThreshold"]
    session.camera_near_plane = arguments["cameraNearPlane"] or session.camera_near_plane
    session.camera_far_plane = arguments["cameraFarPlane"] or session.camera_far_plane
    session.agent_age = 0
    if arguments["renderImage"]:
        session.open_pictures()
    return {
        "cameraNearPlane": session.camera_near_plane,
        "cameraFarPlane": session.camera_far_plane,
    }


def _settings(session: Session, arguments: Arguments) -> Settings:
    """Check Initialize's arguments; 0 means the default for those that say so in the engine."""
    field_of_view = arguments["fieldOfView"] or 90.0
    if not 0 < field_of_view < 180:
        raise ActionFailed("fov must be set to (0, 180) noninclusive.")
    if arguments["timeScale"] <= 0:
        raise ActionFailed("Time scale must be > 0")
    step = arguments["rotateStepDegrees"]
    if step <= 0:
        raise ActionFailed("rotateStepDegrees must be a non-zero, non-negative float")
    grid_size = arguments["gridSize"] or 0.25
    if not 0 < grid_size <= 5:
        raise ActionFailed("grid size must be in the range (0,5]")
    distance = arguments["visibilityDistance"]
    scheme = (arguments["visibilityScheme"] or "").lower()
    return Settings(
        grid_size=grid_size,
        snap_to_grid=arguments["snapToGrid"],
        rotate_step_degrees=step,
        visibility_distance=distance if distance > 0 else 1.5,
        field_of_view=field_of_view,
        width=session.width,
        height=session.height,
        visibility_scheme="Distance" if scheme == "distance" else "Collider",
    )


def _configure(session: Session, settings: Settings) -> None:
    """Give the world new settings and put the agent on the grid, as Initialize does."""
    world = session.world
    world.settings = settings
    if settings.snap_to_grid:
        x, y, z = world.agent.position
        size = settings.grid_size
        # Halves go to the even cell: a recorded start at 2.25 m with a 0.1 m grid became 2.2 m.
        world.agent.position = (round(x / size) * size, y, round(z / size) * size)


def _change_resolution(session: Session, arguments: Arguments) -> None:
    width, height = arguments["x"], arguments["y"]
    if width <= 0 or height <= 0:
        raise ActionFailed(f"The resolution must be positive, not {width} x {height}.")
    session.width, session.height = width, height
    world = session.world
    world.settings = dataclasses.replace(world.settings, width=width, height=height)


def _add_camera(session: Session, arguments: Arguments) -> None:
    session.cameras.add(arguments, session.camera_near_plane, session.camera_far_plane)


def _update_camera(session: Session, arguments: Arguments) -> None:
    session.cameras.update(
        arguments["thirdPartyCameraId"],
        arguments,
        session.camera_near_plane,
        session.camera_far_plane,
    )


def _nothing(_session: Session, _arguments: Arguments) -> None:
    return None


def _reflect(_session: Session, arguments: Arguments) -> Any:
    return arguments["rvalue"]


# --- Moving ------------------------------------------------------------------------------------


def _move(direction: str) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        session.world.move(
            direction,
            arguments["moveMagnitude"],
            arguments["forceAction"],
            arguments["manualInteract"],
        )

    return run


def _rotate(sign: float) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        degrees = arguments["degrees"]
        if degrees is None:
            degrees = session.world.settings.rotate_step_degrees
        session.world.rotate(sign * degrees, arguments["forceAction"], arguments["manualInteract"])

    return run


def _look(name: str, sign: float) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        degrees = arguments["degrees"]
        if degrees < 0:
            raise ActionFailed(
                f"{name} action requires positive degree value. Invalid value used: {degrees:g}"
            )
        if abs(degrees * 10 - round(degrees * 10)) > 1e-3:
            raise ActionFailed(f"{name} action requires degree value to be a multiple of 0.1f")
        session.world.look(
            sign * (round(degrees, 1) or 30.0),
            arguments["forceAction"],
            arguments["manualInteract"],
        )

    return run


def _rotate_look(session: Session, arguments: Arguments) -> None:
    session.world.teleport(
        rotation=arguments["rotation"], horizon=float(arguments["horizon"]), force=True
    )


def _teleport(session: Session, arguments: Arguments) -> None:
    position = arguments.get("position")
    if "x" in arguments:
        position = (arguments["x"], arguments["y"], arguments["z"])
    session.world.teleport(
        position=position,
        rotation=arguments["rotation"],
        horizon=arguments["horizon"],
        standing=arguments["standing"],
        force=arguments["forceAction"],
    )


def _crouch(session: Session, _arguments: Arguments) -> None:
    session.world.crouch()


def _stand(session: Session, _arguments: Arguments) -> None:
    session.world.stand()


def _reachable_positions(session: Session, arguments: Arguments) -> list[dict[str, float]]:
    positions = session.world.reachable_positions(
        grid_size=arguments["gridSize"],
        max_steps=arguments["maxStepCount"],
        directions_relative_agent=arguments["directionsRelativeAgent"],
    )
    return [xyz(position) for position in positions]


def _interactable_poses(session: Session, arguments: Arguments) -> list[dict[str, Any]]:
    limit = arguments["maxPoses"]
    poses = session.world.interactable_poses(
        arguments["objectId"],
        positions=arguments["positions"],
        rotations=arguments["rotations"],
        horizons=arguments["horizons"],
        standings=arguments["standings"],
        max_distance=arguments["maxDistance"],
        max_poses=None if limit == _INT_MAX else limit,
    )
    return [
        {
            "x": float(pose.x),
            "y": float(pose.y),
            "z": float(pose.z),
            "rotation": float(pose.rotation),
            "standing": bool(pose.standing),
            "horizon": float(pose.horizon),
        }
        for pose in poses
    ]


# --- Objects -----------------------------------------------------------------------------------


def _pickup(session: Session, arguments: Arguments) -> str:
    return session.world.pickup(
        target(session, arguments), arguments["forceAction"], arguments["manualInteract"]
    )


def _put(session: Session, arguments: Arguments) -> None:
    near = None
    if arguments["putNearXY"] and "x" in arguments:
        near = raycast.coordinate(session.world, arguments["x"], arguments["y"])
    session.world.put(
        target(session, arguments),
        arguments["forceAction"],
        arguments["placeStationary"],
        arguments["randomSeed"],
        near,
    )


def _drop(session: Session, arguments: Arguments) -> dict[str, float] | None:
    rested = session.world.drop(arguments["forceAction"])
    return None if rested is None else xyz(rested)


def _open(session: Session, arguments: Arguments) -> None:
    openness = arguments["openness"]
    if arguments["moveMagnitude"] is not None:
        # The name of older versions, where 0 meant all the way.
        openness = arguments["moveMagnitude"] or 1.0
    session.world.set_openness(target(session, arguments), openness, arguments["forceAction"])


def _close(session: Session, arguments: Arguments) -> None:
    session.world.set_openness(target(session, arguments), 0.0, arguments["forceAction"])


# --- The table ---------------------------------------------------------------------------------


_MOVE_PARAMETERS = (
    Parameter("moveMagnitude", T.FLOAT_OR_NULL, None),
    default_only("objectId", T.TEXT, ""),
    default_only("maxAgentsDistance", T.FLOAT, -1.0),
    FORCE,
    MANUAL,
    ignored("allowAgentsToIntersect", T.BOOL, False),
    ignored("speed", T.FLOAT, 1.0),
    ignored("fixedDeltaTime", T.FLOAT_OR_NULL, None),
    ignored("returnToStart", T.BOOL, True),
    ignored("disableRendering", T.BOOL, True),
)
_ROTATE_PARAMETERS = (
    Parameter("degrees", T.FLOAT_OR_NULL, None),
    MANUAL,
    FORCE,
    ignored("speed", T.FLOAT, 1.0),
    ignored("waitForFixedUpdate", T.BOOL, False),
    ignored("returnToStart", T.BOOL, True),
    ignored("disableRendering", T.BOOL, True),
    ignored("fixedDeltaTime", T.FLOAT, 0.02),
)
_LOOK_PARAMETERS = (Parameter("degrees", T.FLOAT, 0.0), FORCE, MANUAL)
_PUT_PARAMETERS = (
    FORCE,
    Parameter("placeStationary", T.BOOL, True),
    Parameter("randomSeed", T.INT, 0),
    Parameter("putNearXY", T.BOOL, False),
)
# Either way the engine simulates until the object rests; only how differs.
_DROP_PARAMETERS = (FORCE, ignored("autoSimulation", T.BOOL, True))
_OPEN_PARAMETERS = (
    FORCE,
    Parameter("openness", T.FLOAT, 1.0),
    Parameter("moveMagnitude", T.FLOAT_OR_NULL, None),
)
_INITIALIZE_PARAMETERS = (
    Parameter("renderImage", T.BOOL, True),
    Parameter("agentMode", T.TEXT, "default"),
    default_only("agentCount", T.INT, 1),
    Parameter("gridSize", T.FLOAT, 0.0),
    Parameter("snapToGrid", T.BOOL, True),
    Parameter("rotateStepDegrees", T.FLOAT, 90.0),
    Parameter("visibilityDistance", T.FLOAT, 0.0),
    Parameter("visibilityScheme", T.TEXT, "Collider"),
    Parameter("fieldOfView", T.FLOAT, 0.0),
    Parameter("timeScale", T.FLOAT, 1.0),
    Parameter("massThreshold", T.FLOAT_OR_NULL, None),
    Parameter("fastActionEmit", T.BOOL, True),
    Parameter("cameraNearPlane", T.FLOAT, 0.0),
    Parameter("cameraFarPlane", T.FLOAT, 0.0),
    default_only("alwaysReturnVisibleRange", T.BOOL, False),
    default_only("startAgentsRotatedBy", T.FLOAT, 0.0),
)
_CAMERA_OPTIONS = (
    Parameter("skyboxColor", T.TEXT, None),
    Parameter("orthographic", T.BOOL_OR_NULL, None),
    Parameter("orthographicSize", T.FLOAT_OR_NULL, None),
    Parameter("nearClippingPlane", T.FLOAT_OR_NULL, None),
    Parameter("farClippingPlane", T.FLOAT_OR_NULL, None),
    ignored("antiAliasing", T.TEXT, "none"),
)
_ADD_CAMERA_PARAMETERS = (
    Parameter("position", T.VECTOR),
    Parameter("rotation", T.VECTOR),
    Parameter("fieldOfView", T.FLOAT, 90.0),
    *_CAMERA_OPTIONS,
)
_UPDATE_CAMERA_PARAMETERS = (
    Parameter("thirdPartyCameraId", T.INT, 0),
    Parameter("position", T.PARTIAL_VECTOR_OR_NULL, None),
    Parameter("rotation", T.PARTIAL_VECTOR_OR_NULL, None),
    Parameter("fieldOfView", T.FLOAT_OR_NULL, None),
    *_CAMERA_OPTIONS,
)
_POSE_PARAMETERS = (
    OBJECT,
    Parameter("positions", T.VECTORS, None),
    Parameter("rotations", T.FLOATS, None),
    Parameter("horizons", T.FLOATS, None),
    Parameter("standings", T.BOOLS, None),
    Parameter("maxDistance", T.FLOAT_OR_NULL, None),
    Parameter("maxPoses", T.INT, _INT_MAX),
)
_REACHABLE_PARAMETERS = (
    Parameter("maxStepCount", T.INT_OR_NULL, None),
    Parameter("directionsRelativeAgent", T.BOOL, False),
    Parameter("gridSize", T.FLOAT_OR_NULL, None),
)
_TELEPORT_OPTIONS = (
    Parameter("rotation", T.VECTOR_OR_NULL, None),
    Parameter("horizon", T.FLOAT_OR_NULL, None),
    Parameter("standing", T.BOOL_OR_NULL, None),
    FORCE,
)
_TELEPORT_FULL_POSE = (
    Parameter("rotation", T.VECTOR),
    Parameter("horizon", T.FLOAT),
    Parameter("standing", T.BOOL),
    FORCE,
)

ACTIONS: tuple[Action, ...] = (
    *STATE_ACTIONS,
    *HAND_ACTIONS,
    *SCENE_ACTIONS,
    *SCENE_CHOICE_ACTIONS,
    *QUERY_ACTIONS,
    simple("Initialize", _initialize, *_INITIALIZE_PARAMETERS, lenient=True),
    simple("ChangeResolution", _change_resolution, Parameter("x", T.INT), Parameter("y", T.INT)),
    simple("AddThirdPartyCamera", _add_camera, *_ADD_CAMERA_PARAMETERS),
    simple("UpdateThirdPartyCamera", _update_camera, *_UPDATE_CAMERA_PARAMETERS),
    *(simple(name, _nothing) for name in ("Done", "Pass", "NoOp")),
    simple("TestActionReflectParam", _reflect, Parameter("rvalue", T.TEXT)),
    simple("TestFastEmit", _reflect, Parameter("rvalue", T.TEXT), fast_emit=True),
    simple("MoveAhead", _move("ahead"), *_MOVE_PARAMETERS),
    simple("MoveBack", _move("back"), *_MOVE_PARAMETERS),
    simple("MoveLeft", _move("left"), *_MOVE_PARAMETERS),
    simple("MoveRight", _move("right"), *_MOVE_PARAMETERS),
    simple("RotateLeft", _rotate(-1.0), *_ROTATE_PARAMETERS),
    simple("RotateRight", _rotate(1.0), *_ROTATE_PARAMETERS),
    simple("LookUp", _look("LookUp", -1.0), *_LOOK_PARAMETERS, lenient=True),
    simple("LookDown", _look("LookDown", 1.0), *_LOOK_PARAMETERS, lenient=True),
    simple(
        "RotateLook",
        _rotate_look,
        Parameter("rotation", T.VECTOR, (0.0, 0.0, 0.0)),
        Parameter("horizon", T.INT, 0),
        lenient=True,
    ),
    Action(
        "Teleport",
        (
            Signature(
                _teleport,
                (Parameter("position", T.VECTOR_OR_NULL, None), *_TELEPORT_OPTIONS),
            ),
            Signature(_teleport, (*XYZ, *_TELEPORT_OPTIONS)),
        ),
    ),
    Action(
        "TeleportFull",
        (
            Signature(_teleport, (Parameter("position", T.VECTOR), *_TELEPORT_FULL_POSE)),
            Signature(_teleport, (*XYZ, *_TELEPORT_FULL_POSE)),
        ),
    ),
    simple("Crouch", _crouch),
    simple("Stand", _stand),
    simple("GetReachablePositions", _reachable_positions, *_REACHABLE_PARAMETERS, fast_emit=True),
    simple("GetInteractablePoses", _interactable_poses, *_POSE_PARAMETERS, fast_emit=True),
    on_object("PickupObject", _pickup, FORCE, MANUAL),
    on_object("PutObject", _put, *_PUT_PARAMETERS),
    simple("DropHandObject", _drop, *_DROP_PARAMETERS),
    simple("DropHeldObject", _drop, *_DROP_PARAMETERS),
    on_object("OpenObject", _open, *_OPEN_PARAMETERS),
    on_object("CloseObject", _close, FORCE),
)


def make_dispatcher() -> Dispatcher:
    """The dispatcher over this table."""
    return Dispatcher(ACTIONS, UNSUPPORTED)
