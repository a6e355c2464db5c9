import math

import pytest

from milo_core import frames
from milo_core.error_codes import (
    CODES_OF_ACTION,
    EngineError,
    LookAtError,
    NavigateToError,
    PickError,
    PlaceError,
    ReleaseError,
    SetOpenError,
    SetToggledError,
    SliceError,
    cause_code,
    classify_engine_message,
)
from milo_core.profiles import UnknownProfileError, get_profile
from milo_core.scenes import UnknownSceneError, normalize_scene, room_type
from milo_core.statistics import wilson_interval


def test_wilson_interval_against_published_values():
    # Newcombe 1998, table I: 81/263 -> 0.2553..0.3662; 0/20 -> 0..0.1611.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_scene_names():
    assert normalize_scene("FloorPlan1_physics") == "FloorPlan1"
    assert room_type("FloorPlan230") == "living_room"
    for name in ("FloorPlan31", "FloorPlan0", "floorplan1", "FloorPlan1_foo", "", "Kitchen"):
        with pytest.raises(UnknownSceneError, match="no iTHOR scene"):
            normalize_scene(name)


def test_unknown_profile_names_the_choices():
    assert get_profile("milo").force
    with pytest.raises(UnknownProfileError, match="no profile 'lenient'; use milo"):
        get_profile("lenient")


def test_positions_go_there_and_back():
    assert frames.to_map(1.0, 2.0, 3.0) == (3.0, -1.0, 2.0)
    assert frames.to_unity(*frames.to_map(1.0, 2.0, 3.0)) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("yaw", [0.0, 30.0, 90.0, 180.0, 270.0, 359.0])
def test_yaw_agrees_with_the_full_rotation(yaw):
    heading = frames.yaw_to_map(yaw)
    assert frames.yaw_to_unity(heading) == pytest.approx(yaw)
    q = frames.quaternion_from_unity_euler(0.0, yaw, 0.0)
    expected = frames.quaternion_from_yaw(heading)
    dot = q.x * expected.x + q.y * expected.y + q.z * expected.z + q.w * expected.w
    assert abs(dot) == pytest.approx(1.0)
    turned = math.remainder(frames.yaw_from_quaternion(q) - heading, 2 * math.pi)
    assert turned == pytest.approx(0.0, abs=1e-9)


def rotate(q, v):
    """Rotate v by q with the usual matrix."""
    x, y, z, w = q.x, q.y, q.z, q.w
    m = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return tuple(sum(a * b for a, b in zip(row, v, strict=True)) for row in m)


@pytest.mark.parametrize("euler", [(90, 0, 0), (0, 90, 0), (0, 0, 90), (20, 130, 250)])
def test_unity_rotation_and_map_rotation_move_a_point_alike(euler):
    rx, ry, rz = (math.radians(a) for a in euler)
    x, y, z = 0.3, -0.7, 1.1
    # Unity applies z, then x, then y, each by its matrix in Unity's own axes.
    x, y = x * math.cos(rz) - y * math.sin(rz), x * math.sin(rz) + y * math.cos(rz)
    y, z = y * math.cos(rx) - z * math.sin(rx), y * math.sin(rx) + z * math.cos(rx)
    x, z = x * math.cos(ry) + z * math.sin(ry), -x * math.sin(ry) + z * math.cos(ry)
    turned = rotate(frames.quaternion_from_unity_euler(*euler), frames.to_map(0.3, -0.7, 1.1))
    assert turned == pytest.approx(frames.to_map(x, y, z))


def test_code_blocks_do_not_overlap():
    codes = [int(c) for enum in (*CODES_OF_ACTION.values(), EngineError) for c in enum]
    assert len(codes) == len(set(codes))
    assert 0 not in codes


THROWN = "InvalidOperationException: Agent hand has something in it already! Can't pick up anything"


@pytest.mark.parametrize(
    ("action", "message", "code"),
    [
        ("Place", "No valid positions to place object found", PlaceError.NO_VALID_PLACEMENT),
        ("Place", "Target openable Receptacle is CLOSED, can't", PlaceError.RECEPTACLE_CLOSED),
        ("Place", "Apple_1 cannot be placed in Drawer_2", PlaceError.TYPE_NOT_ALLOWED),
        ("Pick", THROWN + " else.. trace: at X", PickError.HAND_FULL),
        (
            "Pick",
            "NullReferenceException: Target object not found within the specified visibility.",
            PickError.NOT_VISIBLE,
        ),
        ("NavigateTo", "Cannot teleport due to hand object collision.", "HAND_COLLISION"),
        ("SetOpen", "Shelf|1|2|3 is not an Openable object", SetOpenError.NOT_OPENABLE),
        ("Release", "Nothing is in the agent's hand to drop!", ReleaseError.HAND_EMPTY),
        ("SetToggled", "object is not toggleable.", SetToggledError.NOT_TOGGLEABLE),
        ("SetToggled", "can't toggle object on if it's already on!", 512),
        (
            "SetToggled",
            "target object is controlled by another sim object. target object cannot be turned",
            SetToggledError.CONTROLLED_BY_OTHER,
        ),
        ("SetToggled", "Target must be closed to Toggle On!", SetToggledError.TARGET_OPEN),
        ("SetToggled", "Target is broken and cannot be Toggled On!", SetToggledError.BROKEN),
        ("Slice", "Cup_1 Does not have the CanBeSliced property!", SliceError.NOT_SLICEABLE),
        (
            "Slice",
            "target object cannot be sliced if it is in the agent's hand",
            SliceError.TARGET_IN_HAND,
        ),
        (
            "LookAt",
            "can't look up beyond 30 degrees above the forward horizon",
            LookAtError.OUT_OF_RANGE,
        ),
        ("Pick", "something nobody has seen", PickError.UNKNOWN),
        ("Pick", "objectId: X is not the objectId on any object in the scene!", 202),
    ],
)
def test_engine_messages_get_their_code(action, message, code):
    expected = NavigateToError[code] if isinstance(code, str) else code
    assert classify_engine_message(action, message) == expected


def test_published_cause_codes():
    assert cause_code("[book->drawer] No valid positions to place object found") == (
        "THOR_NO_VALID_PLACEMENT"
    )
    assert cause_code(THROWN) == "THOR_HAND_ALREADY_FULL"
    assert cause_code("nothing known") == ""
