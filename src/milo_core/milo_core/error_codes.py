"""Numbered error codes of every action, and how engine messages map to them.

The enums equal the constants in `msg/action/*.action` (a test compares them). 0 means no error;
each action owns a block of one hundred, 9000-9099 belongs to engine and harness.
"""

import re
from enum import IntEnum

NONE = 0


class NavigateToError(IntEnum):
    """Error codes of the action NavigateTo."""

    UNKNOWN = 100
    INVALID_GOAL = 101
    OBJECT_NOT_FOUND = 102
    CANCELED = 103
    NO_INTERACTABLE_POSE = 110
    HAND_COLLISION = 111
    BLOCKED = 112
    MODE_UNSUPPORTED = 113
    UNREACHABLE = 114


class PickError(IntEnum):
    """Error codes of the action Pick."""

    UNKNOWN = 200
    INVALID_GOAL = 201
    OBJECT_NOT_FOUND = 202
    CANCELED = 203
    NO_EFFECT = 204
    HAND_FULL = 210
    NOT_PICKUPABLE = 211
    NOT_VISIBLE = 212
    COLLISION = 213
    TOO_FAR = 214
    CONTAINER_CLOSED = 215


class PlaceError(IntEnum):
    """Error codes of the action Place."""

    UNKNOWN = 300
    INVALID_GOAL = 301
    OBJECT_NOT_FOUND = 302
    CANCELED = 303
    NO_EFFECT = 304
    NO_VALID_PLACEMENT = 310
    RECEPTACLE_CLOSED = 311
    NOT_A_RECEPTACLE = 312
    HAND_EMPTY = 313
    TYPE_NOT_ALLOWED = 314
    RECEPTACLE_FULL = 315
    NOT_VISIBLE = 316
    OTHER_OBJECT_HELD = 317
    TOO_FAR = 318


class SetOpenError(IntEnum):
    """Error codes of the action SetOpen."""

    UNKNOWN = 400
    INVALID_GOAL = 401
    OBJECT_NOT_FOUND = 402
    CANCELED = 403
    NO_EFFECT = 404
    NOT_OPENABLE = 410
    BLOCKED = 411
    NOT_VISIBLE = 412
    TARGET_ON = 413
    TOO_FAR = 414


class SetToggledError(IntEnum):
    """Error codes of the action SetToggled."""

    UNKNOWN = 500
    INVALID_GOAL = 501
    OBJECT_NOT_FOUND = 502
    CANCELED = 503
    NO_EFFECT = 504
    NOT_TOGGLEABLE = 510
    CONTROLLED_BY_OTHER = 511
    ALREADY_IN_STATE = 512
    TARGET_OPEN = 513
    BROKEN = 514
    NOT_VISIBLE = 515
    TOO_FAR = 516


class SliceError(IntEnum):
    """Error codes of the action Slice."""

    UNKNOWN = 600
    INVALID_GOAL = 601
    OBJECT_NOT_FOUND = 602
    CANCELED = 603
    NO_EFFECT = 604
    NOT_SLICEABLE = 610
    ALREADY_SLICED = 611
    TARGET_IN_HAND = 612
    NOT_VISIBLE = 613
    TOO_FAR = 614


class ReleaseError(IntEnum):
    """Error codes of the action Release."""

    UNKNOWN = 700
    INVALID_GOAL = 701
    OBJECT_NOT_FOUND = 702
    CANCELED = 703
    NO_EFFECT = 704
    HAND_EMPTY = 710
    COLLISION = 711
    OTHER_OBJECT_HELD = 712


class LookAtError(IntEnum):
    """Error codes of the action LookAt."""

    UNKNOWN = 800
    INVALID_GOAL = 801
    OBJECT_NOT_FOUND = 802
    CANCELED = 803
    NO_EFFECT = 804
    OUT_OF_RANGE = 810
    BLOCKED = 811


class RunTaskError(IntEnum):
    """Error codes of the action RunTask."""

    UNKNOWN = 1000
    INVALID_GOAL = 1001
    UNSUPPORTED_GOAL = 1002
    CANCELED = 1003
    NO_PLAN = 1004
    EXECUTION_FAILED = 1005
    UNKNOWN_OBJECT_TYPE = 1006
    WORLD_STATE_STALE = 1007
    TIME_LIMIT = 1008
    DRIVER_UNAVAILABLE = 1009
    PRECONDITION_FAILED = 1010
    NO_ROOM = 1011
    UNREACHABLE = 1012
    STEP_LIMIT = 1013
    NO_INSTANCE = 1014


class RunEpisodeError(IntEnum):
    """Error codes of the action RunEpisode."""

    UNKNOWN = 1100
    UNKNOWN_TASK = 1101
    INVALID_PLANNER = 1102
    INVALID_PROFILE = 1103
    CANCELED = 1104
    BUSY = 1105


class EngineError(IntEnum):
    """Error codes of the engine (the AI2-THOR player) and of the harness around it."""

    ENGINE_DIED = 9000
    ENGINE_TIMEOUT = 9001
    ENGINE_NOT_READY = 9002
    ENGINE_START_FAILED = 9003
    UNKNOWN_SCENE = 9004
    ENGINE_REFUSED_RESET = 9005
    HARNESS_EXCEPTION = 9010
    STAGE_TIMEOUT = 9011
    NODE_UNAVAILABLE = 9012
    INVALID_REQUEST = 9013


ActionError = (
    NavigateToError
    | PickError
    | PlaceError
    | SetOpenError
    | SetToggledError
    | SliceError
    | ReleaseError
    | LookAtError
    | RunTaskError
    | RunEpisodeError
    | EngineError
)
CODES_OF_ACTION: dict[str, type[IntEnum]] = {
    "NavigateTo": NavigateToError,
    "Pick": PickError,
    "Place": PlaceError,
    "SetOpen": SetOpenError,
    "SetToggled": SetToggledError,
    "Slice": SliceError,
    "Release": ReleaseError,
    "LookAt": LookAtError,
    "RunTask": RunTaskError,
    "RunEpisode": RunEpisodeError,
}
"""Name of the .action file -> its codes."""

_UNKNOWN_ID = r"is not the objectId on any object in the scene"
_UNSEEN = r"Target object not found within the specified visibility|visible but not interactable"
_PATTERNS: dict[str, tuple[tuple[str, IntEnum], ...]] = {
    "NavigateTo": (
        (_UNKNOWN_ID, NavigateToError.OBJECT_NOT_FOUND),
        (r"due to hand object collision", NavigateToError.HAND_COLLISION),
        (r"blocking|out of scene bounds|not on the grid|collision", NavigateToError.BLOCKED),
        (r"too large a change", NavigateToError.BLOCKED),
    ),
    "Pick": (
        (_UNKNOWN_ID, PickError.OBJECT_NOT_FOUND),
        (r"Agent hand has something in it already", PickError.HAND_FULL),
        (r"must have the property CanPickup", PickError.NOT_PICKUPABLE),
        (_UNSEEN, PickError.NOT_VISIBLE),
        (r"collide and clip into something", PickError.COLLISION),
    ),
    "Place": (
        (_UNKNOWN_ID, PlaceError.OBJECT_NOT_FOUND),
        (r"No valid positions to place object found", PlaceError.NO_VALID_PLACEMENT),
        (r"collision is blocking held object", PlaceError.NO_VALID_PLACEMENT),
        (r"Receptacle is CLOSED", PlaceError.RECEPTACLE_CLOSED),
        (r"NOT a receptacle|No valid Receptacle found", PlaceError.NOT_A_RECEPTACLE),
        (r"isn't holding anything", PlaceError.HAND_EMPTY),
        (r"cannot be placed in|is not a valid Object Type to be", PlaceError.TYPE_NOT_ALLOWED),
        (r"is full right now", PlaceError.RECEPTACLE_FULL),
        (_UNSEEN, PlaceError.NOT_VISIBLE),
    ),
    "SetOpen": (
        (_UNKNOWN_ID, SetOpenError.OBJECT_NOT_FOUND),
        (r"is not an Openable object", SetOpenError.NOT_OPENABLE),
        (r"object collided with", SetOpenError.BLOCKED),
        (r"must be OFF to open", SetOpenError.TARGET_ON),
        (_UNSEEN + r"|visible but occluded", SetOpenError.NOT_VISIBLE),
        (r"openness must be in", SetOpenError.INVALID_GOAL),
    ),
    "SetToggled": (
        (_UNKNOWN_ID, SetToggledError.OBJECT_NOT_FOUND),
        (r"object is not toggleable", SetToggledError.NOT_TOGGLEABLE),
        (r"controlled by another sim object", SetToggledError.CONTROLLED_BY_OTHER),
        (r"if it's already", SetToggledError.ALREADY_IN_STATE),
        (r"must be closed to Toggle On", SetToggledError.TARGET_OPEN),
        (r"is broken and cannot be Toggled", SetToggledError.BROKEN),
        (_UNSEEN, SetToggledError.NOT_VISIBLE),
    ),
    "Slice": (
        (_UNKNOWN_ID, SliceError.OBJECT_NOT_FOUND),
        (r"cannot be sliced if it is in the agent's hand", SliceError.TARGET_IN_HAND),
        (r"[Dd]oes not have the CanBeSliced property", SliceError.NOT_SLICEABLE),
        (_UNSEEN, SliceError.NOT_VISIBLE),
    ),
    "Release": (
        (r"Nothing is in the agent's hand|Nothing in Hand", ReleaseError.HAND_EMPTY),
        (r"can't be dropped", ReleaseError.COLLISION),
    ),
    "LookAt": (
        (r"can't look (down|up) beyond|Each horizon must be in", LookAtError.OUT_OF_RANGE),
        (r"blocking|collision|collided|Collided", LookAtError.BLOCKED),
    ),
}
_CAUSES: tuple[tuple[str, str], ...] = (
    (r"No valid positions to place object found", "THOR_NO_VALID_PLACEMENT"),
    (r"Agent hand has something in it already", "THOR_HAND_ALREADY_FULL"),
    (r"Cannot teleport due to hand object collision", "THOR_TELEPORT_HELD_OBJECT_COLLISION"),
    (r"is not an Openable object", "THOR_NOT_OPENABLE"),
    (r"Target openable Receptacle is CLOSED", "THOR_RECEPTACLE_CLOSED"),
)


def classify_engine_message(action: str, message: str) -> IntEnum:
    """Return the error code of an AI2-THOR error message.

    Args:
        action: name of the skill action, a key of CODES_OF_ACTION.
        message: the engine's text, thrown (`Type: text. trace: ...`) or bare.
    """
    for pattern, code in _PATTERNS[action]:
        if re.search(pattern, message):
            return code
    return CODES_OF_ACTION[action](min(CODES_OF_ACTION[action]))


def cause_code(message: str) -> str:
    """Return the published failure code of a message, empty where none is published.

    The first three are the codes of MILO's published results; the other two name messages that
    its reports discuss without a code.
    """
    return next((code for pattern, code in _CAUSES if re.search(pattern, message)), "")
