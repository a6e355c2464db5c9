"""The engine's actions of the hand, and of forces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from milo_sim import dynamics, hand
from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action, Handler, Signature
from milo_sim.errors import ActionFailed
from milo_sim.geometry import FloatArray
from milo_sim.metadata import xyz
from milo_sim.session import Session
from milo_sim.signatures import FORCE, Arguments, ignored, legacy, simple, target

_DIRECTIONS = {
    "Ahead": (0.0, 0.0, 1.0),
    "Back": (0.0, 0.0, -1.0),
    "Right": (1.0, 0.0, 0.0),
    "Left": (-1.0, 0.0, 0.0),
    "Up": (0.0, 1.0, 0.0),
    "Down": (0.0, -1.0, 0.0),
}


def _move_held(session: Session, arguments: Arguments) -> None:
    hand.move(
        session.world,
        arguments["right"],
        arguments["up"],
        arguments["ahead"],
        arguments["forceVisible"],
    )


def _move_held_along(direction: str) -> Handler:
    right, up, ahead = _DIRECTIONS[direction]

    def run(session: Session, arguments: Arguments) -> None:
        way = arguments["moveMagnitude"]
        hand.move(session.world, right * way, up * way, ahead * way, arguments["forceVisible"])

    return run


def _rotate_held_to(session: Session, arguments: Arguments) -> None:
    hand.rotate_to(session.world, arguments["rotation"])


def _rotate_held_by(session: Session, arguments: Arguments) -> None:
    hand.rotate_by(session.world, arguments["pitch"], arguments["yaw"], arguments["roll"])


def _throw(session: Session, arguments: Arguments) -> dict[str, float]:
    return xyz(hand.throw(session.world, arguments["moveMagnitude"], arguments["forceAction"]))


def _level(session: Session, degrees: float) -> FloatArray:
    """Unit vector (3,) that many degrees clockwise from where the agent faces."""
    yaw = math.radians(session.world.agent.yaw + degrees)
    return np.array([math.sin(yaw), 0.0, math.cos(yaw)])


def _push(
    session: Session, arguments: Arguments, degrees: float, refusal: ActionFailed
) -> dict[str, float]:
    world, given = session.world, arguments["objectId"]
    key = target(session, arguments) if given is None else given
    if key == world.held_id:
        raise ActionFailed("Please use Throw for an item in the Agent's Hand")
    world.require_interactable(key, arguments["forceAction"])
    if not hand.is_loose(world, key):
        raise refusal
    return xyz(hand.push(world, key, _level(session, degrees), arguments["moveMagnitude"]))


def _push_along(degrees: float) -> Handler:
    def run(session: Session, arguments: Arguments) -> dict[str, float]:
        refusal = ActionFailed(
            "Target Sim Object cannot be moved. It's primary property must be Pickupable or "
            "Moveable"
        )
        return _push(session, arguments, degrees, refusal)

    return run


def _directional_push(session: Session, arguments: Arguments) -> dict[str, float]:
    refusal = ActionFailed(
        "Target Primary Property type incompatible with push/pull",
        exception_type="InvalidOperationException",
    )
    return _push(session, arguments, arguments["pushAngle"], refusal)


def _touch(session: Session, arguments: Arguments) -> dict[str, Any]:
    found = hand.touch(
        session.world,
        arguments["x"],
        arguments["y"],
        arguments["direction"],
        arguments["moveMagnitude"],
        arguments["handDistance"],
    )
    return {
        "didHandTouchSomething": found.touched,
        "objectId": found.object_id,
        "armsLength": float(found.distance),
    }


def _pause_physics(session: Session, _arguments: Arguments) -> None:
    session.world.physics_paused = True


def _unpause_physics(session: Session, _arguments: Arguments) -> None:
    session.world.physics_paused = False
    dynamics.come_to_rest(session.world)


def _advance_physics(session: Session, arguments: Arguments) -> None:
    world, step = session.world, arguments["timeStep"]
    if not (world.physics_paused or arguments["allowAutoSimulation"]):
        raise ActionFailed(
            "AdvancePhysicsStep can only be called if Physics AutoSimulation is currently paused "
            "or if you have passed allowAutoSimulation=true! Either use the PausePhysicsAutoSim() "
            "action first, or if you already used it, Physics AutoSimulation has been turned back "
            "on already."
        )
    if not 0.0 < step <= 0.05:
        raise ActionFailed(
            "Please use a timeStep between 0.0f and 0.05f. Larger timeSteps produce inconsistent "
            "simulation results."
        )
    seconds = step if arguments["simSeconds"] is None else arguments["simSeconds"]
    if seconds < 0.0:
        raise ActionFailed(f"simSeconds must be non-negative (simSeconds=={seconds:g}).")
    dynamics.advance(world, min(seconds, dynamics.TIME_LIMIT))


_MAGNITUDE = Parameter("moveMagnitude", T.FLOAT)
_IN_SIGHT = Parameter("forceVisible", T.BOOL, False)
_MOVE_HELD = tuple(Parameter(name, T.FLOAT, 0.0) for name in ("right", "up", "ahead"))
_ROTATE_HELD = tuple(Parameter(name, T.FLOAT, 0.0) for name in ("pitch", "yaw", "roll"))
_PUSH = Parameter("moveMagnitude", T.FLOAT, 0.0)

HAND_ACTIONS: tuple[Action, ...] = (
    simple("MoveHeldObject", _move_held, *_MOVE_HELD, _IN_SIGHT),
    *(
        simple(f"{name}{direction}", _move_held_along(direction), _MAGNITUDE, _IN_SIGHT)
        for name in ("MoveHeldObject", "MoveHand")
        for direction in _DIRECTIONS
    ),
    Action(
        "RotateHeldObject",
        (
            Signature(_rotate_held_by, _ROTATE_HELD),
            Signature(_rotate_held_to, (Parameter("rotation", T.VECTOR),)),
        ),
    ),
    simple("ThrowObject", _throw, _MAGNITUDE, FORCE, ignored("autoSimulation", T.BOOL, True)),
    legacy("PushObject", _push_along(0.0), _PUSH),
    legacy("PullObject", _push_along(180.0), _PUSH),
    legacy("DirectionalPush", _directional_push, Parameter("pushAngle", T.FLOAT, 0.0), _PUSH),
    simple(
        "TouchThenApplyForce",
        _touch,
        Parameter("x", T.FLOAT, 0.0),
        Parameter("y", T.FLOAT, 0.0),
        Parameter("direction", T.VECTOR, (0.0, 0.0, 0.0)),
        _PUSH,
        Parameter("handDistance", T.FLOAT, 0.0),
        lenient=True,
    ),
    simple("PausePhysicsAutoSim", _pause_physics),
    simple("UnpausePhysicsAutoSim", _unpause_physics),
    simple(
        "AdvancePhysicsStep",
        _advance_physics,
        Parameter("timeStep", T.FLOAT, 0.02),
        Parameter("simSeconds", T.FLOAT_OR_NULL, None),
        Parameter("allowAutoSimulation", T.BOOL, False),
    ),
)
