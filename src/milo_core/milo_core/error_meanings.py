"""What the numbered error codes mean, one phrase each, for people and for generated documents."""

from enum import IntEnum

from milo_core.error_codes import (
    EngineError,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    RunEpisodeError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)

_OF_SKILLS = {
    "UNKNOWN": "the engine refused with words that have no code; they are in error_msg",
    "INVALID_GOAL": "the goal lacks a field, or a field has no usable value",
    "OBJECT_NOT_FOUND": "no object has the id of the goal",
    "CANCELED": "the client cancelled the goal",
    "NO_EFFECT": "the engine said yes, but the state afterwards is not the wanted one",
    "NOT_VISIBLE": "the object is not in sight or not in reach",
    "HAND_EMPTY": "the hand holds nothing",
    "TOO_FAR": "the object is out of the arm's reach",
    "OTHER_OBJECT_HELD": "the hand holds something else than the goal names",
}
"""Codes that several skills have under one name."""
_MEANINGS: dict[IntEnum, str] = {
    NavigateToError.NO_INTERACTABLE_POSE: "there is no pose to interact with the object from",
    NavigateToError.HAND_COLLISION: "the held object would hit something at the goal",
    NavigateToError.BLOCKED: "something stands in the way, and no other way is left",
    NavigateToError.MODE_UNSUPPORTED: "this driver does not have that mode",
    NavigateToError.UNREACHABLE: "no way leads there; the result may offer a viewing pose",
    PickError.HAND_FULL: "the hand holds something already",
    PickError.NOT_PICKUPABLE: "it is no object to be picked up",
    PickError.COLLISION: "in the hand it would hit something",
    PickError.CONTAINER_CLOSED: "what it lies in must be opened first",
    PlaceError.NO_VALID_PLACEMENT: "no free spot in or on the receptacle fits the object",
    PlaceError.RECEPTACLE_CLOSED: "the receptacle must be opened first",
    PlaceError.NOT_A_RECEPTACLE: "the target takes no objects",
    PlaceError.TYPE_NOT_ALLOWED: "objects of this type don't go there without force",
    PlaceError.RECEPTACLE_FULL: "the receptacle has no room left",
    SetOpenError.NOT_OPENABLE: "it is no object to be opened",
    SetOpenError.BLOCKED: "something is in the way of the moving part",
    SetOpenError.TARGET_ON: "it must be switched off first",
    SetToggledError.NOT_TOGGLEABLE: "it is no object to be switched",
    SetToggledError.CONTROLLED_BY_OTHER: "only another object switches it, as a knob a burner",
    SetToggledError.ALREADY_IN_STATE: "it is in the wanted state already",
    SetToggledError.TARGET_OPEN: "it must be closed to be switched on",
    SetToggledError.BROKEN: "it is broken",
    SliceError.NOT_SLICEABLE: "it is no object to be cut",
    SliceError.ALREADY_SLICED: "it has been cut up already",
    SliceError.TARGET_IN_HAND: "it must be put down first",
    ReleaseError.COLLISION: "there is no room to let it go",
    LookAtError.OUT_OF_RANGE: "it is above or below what the head can pitch to",
    LookAtError.BLOCKED: "turning, the held object would hit something",
    RunTaskError.UNKNOWN: "an error in the planner; its log has the details",
    RunTaskError.INVALID_GOAL: "a sub-goal lacks a name, or there is no sub-goal",
    RunTaskError.UNSUPPORTED_GOAL: "the planner has no plan for the verb",
    RunTaskError.CANCELED: "the client cancelled the task",
    RunTaskError.NO_PLAN: "the planner found no valid plan",
    RunTaskError.EXECUTION_FAILED: "a step failed or was blocked; it has a code of its own",
    RunTaskError.UNKNOWN_OBJECT_TYPE: "a name is neither a known instance nor an object type",
    RunTaskError.WORLD_STATE_STALE: "no WorldState caught up with the driver in time",
    RunTaskError.TIME_LIMIT: "the task ran out of its time",
    RunTaskError.DRIVER_UNAVAILABLE: "no driver serves a skill, or it does not answer",
    RunTaskError.PRECONDITION_FAILED: "a step was not sent: what it needs does not hold",
    RunTaskError.NO_ROOM: "nowhere that the goal allows has room for the object",
    RunTaskError.UNREACHABLE: "no instance that the goal allows can be reached",
    RunTaskError.NO_INSTANCE: "no instance of an object type is known",
    RunTaskError.STEP_LIMIT: "the task ran out of the steps that it may take",
    RunEpisodeError.UNKNOWN: "an error in the orchestrator; its log has the details",
    RunEpisodeError.UNKNOWN_TASK: "no task has that id, or several do",
    RunEpisodeError.INVALID_PLANNER: "there is no such planner",
    RunEpisodeError.INVALID_PROFILE: "there is no such profile",
    RunEpisodeError.CANCELED: "the client cancelled the episode",
    RunEpisodeError.BUSY: "another episode is being played",
    EngineError.ENGINE_DIED: "the player ended, closed its pipe, or talked nonsense",
    EngineError.ENGINE_TIMEOUT: "the player or driver did not answer in time",
    EngineError.ENGINE_NOT_READY: "no scene is loaded",
    EngineError.ENGINE_START_FAILED: "the player could not be started",
    EngineError.UNKNOWN_SCENE: "the player has no such scene",
    EngineError.ENGINE_REFUSED_RESET: "the player could not load the scene",
    EngineError.HARNESS_EXCEPTION: "an error in a node; its log has the details",
    EngineError.STAGE_TIMEOUT: "a stage of an episode took too long",
    EngineError.NODE_UNAVAILABLE: "a node of the graph does not answer",
    EngineError.INVALID_REQUEST: "a field of a service request has no usable value",
}


def meaning_of(code: IntEnum) -> str:
    """Return the meaning of an error code.

    Raises:
        KeyError: it has none.
    """
    return _MEANINGS[code] if code in _MEANINGS else _OF_SKILLS[code.name]
