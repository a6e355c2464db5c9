"""Choice of signature and error kinds; numbers are those of upstream's asserted behaviours."""

import pytest

from milo_sim.actions import ACTIONS, make_dispatcher
from milo_sim.errors import ActionFailed
from milo_sim.unsupported import UNSUPPORTED

DISPATCHER = make_dispatcher()


def resolve(action, **arguments):
    return DISPATCHER.resolve({"action": action, "sequenceId": 1, **arguments}).arguments


def refusal(action, **arguments):
    with pytest.raises(ActionFailed) as caught:
        resolve(action, **arguments)
    return caught.value


def test_59_unknown_action():
    failure = refusal("FlyAway")
    assert (failure.message, failure.error_code) == ("Invalid action: FlyAway", "InvalidAction")


def test_action_names_are_case_sensitive():
    assert refusal("moveahead").error_code == "InvalidAction"


def test_58_missing_arguments_are_listed():
    failure = refusal("TeleportFull", position={"x": 0, "y": 0, "z": 0})
    assert failure.error_code == "MissingArguments"
    assert failure.message == (
        "action: TeleportFull is missing the following arguments: rotation,horizon,standing"
    )


def test_58_missing_object():
    failure = refusal("PickupObject")
    assert failure.message == "action: PickupObject is missing the following arguments: objectId"


def test_one_of_x_and_y_is_missing():
    failure = refusal("OpenObject", x=0.5)
    assert failure.message == "action: OpenObject is missing the following arguments: y"


def test_62_wrong_argument_name_has_the_engines_text():
    failure = refusal("PutObject", x=0, y=0, z=1)
    assert failure.error_code == "InvalidArgument"
    by_xy = (
        "Single x, Single y, Boolean forceAction = False, Boolean placeStationary = True,"
        " Int32 randomSeed = 0, Boolean putNearXY = False"
    )
    by_id = by_xy.replace("Single x, Single y", "String objectId")
    assert failure.message == (
        "\n\tAction: \"PutObject\" called with invalid argument: 'z'"
        f"\n\tExpected arguments: {by_xy}"
        "\n\tYour arguments: 'x', 'y', 'z'"
        '\n\tValid ways to call "PutObject" action:'
        f"\n\t\tVoid PutObject({by_xy})\n\t\tVoid PutObject({by_id})"
    )


def test_several_wrong_names():
    message = refusal("MoveAhead", speeed=1, far=2).message
    assert "called with invalid arguments: 'speeed', 'far'" in message
    assert (
        "Nullable`1 moveMagnitude = , String objectId = , Single maxAgentsDistance = -1" in message
    )


@pytest.mark.parametrize(
    ("action", "arguments", "text"),
    [
        ("MoveAhead", {"moveMagnitude": "far"}, "moveMagnitude (==far). Cannot convert to: float"),
        ("MoveAhead", {"moveMagnitude": True, "forceAction": "no"}, "Cannot convert to: Boolean"),
        ("ChangeResolution", {"x": None, "y": 3}, "x (==). Cannot convert to: int"),
        ("Teleport", {"position": 5}, "position (==5). Cannot convert to: Vector3"),
        ("PickupObject", {"objectId": ["a"]}, "Cannot convert to: String"),
        ("GetInteractablePoses", {"objectId": "a", "rotations": [0, "x"]}, "to: Single[]"),
        ("MoveAhead", {"moveMagnitude": float("nan")}, "Cannot convert to: float"),
        ("ChangeResolution", {"x": 1e12, "y": 3}, "Cannot convert to: int"),
    ],
)
def test_bad_types(action, arguments, text):
    failure = refusal(action, **arguments)
    assert failure.error_code == "InvalidArgument"
    assert failure.message.startswith(f"action: {action} has an invalid argument: ")
    assert text in failure.message


def test_values_convert_as_in_newtonsoft_json():
    assert resolve("MoveAhead", moveMagnitude="0.5")["moveMagnitude"] == 0.5
    assert resolve("MoveAhead", moveMagnitude=None)["moveMagnitude"] is None
    assert resolve("PickupObject", objectId=7)["objectId"] == "7"
    assert resolve("PickupObject", objectId="a", forceAction=1)["forceAction"] is True
    assert resolve("Teleport", rotation={"y": 90})["rotation"] == (0.0, 90.0, 0.0)


def test_defaults_are_filled_in():
    arguments = resolve("OpenObject", objectId="a")
    assert arguments == {
        "objectId": "a",
        "forceAction": False,
        "openness": 1.0,
        "moveMagnitude": None,
    }


def test_deprecated_teleport_form_is_chosen_by_its_names():
    assert "position" not in resolve("Teleport", x=1, y=2, z=3)
    assert "position" in resolve("Teleport", horizon=30)


def test_legacy_actions_take_any_name_silently():
    assert resolve("LookDown", objectId="x", nonsense=1)["degrees"] == 0.0
    assert resolve("Initialize", continuous=True)["gridSize"] == 0.0


def test_global_arguments_are_no_wrong_names():
    resolve("Pass", renderImage=False, agentId=0, renderInstanceSegmentation=False)


@pytest.mark.parametrize("action", sorted(UNSUPPORTED))
def test_unsupported_actions_are_refused_by_name(action):
    failure = refusal(action, objectId="Apple|1", nonsense=1)
    assert failure.message.startswith(f"{action} is not supported by milo_sim")
    assert failure.error_code == "InvalidAction"  # the Controller raises ValueError on it


def test_no_action_is_both_supported_and_refused():
    names = [action.name for action in ACTIONS]
    assert len(names) == len(set(names))
    assert not UNSUPPORTED & set(names)


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("MoveAhead", {"objectId": "a", "maxAgentsDistance": 2}),
        ("Initialize", {"agentCount": 2}),
    ],
)
def test_effects_that_are_not_simulated_are_refused(action, arguments):
    failure = refusal(action, **arguments)
    assert "is not supported by milo_sim; leave it out or set" in failure.message
