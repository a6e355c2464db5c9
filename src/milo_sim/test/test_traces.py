"""Replay of recorded AI2-THOR 5.0.0 sequences (Kajiih/rl_thor, MIT).

Compared are what the engine decides (success, open, held and containment states, poses of the
agent), not the millimetres of its physics.
"""

import json

import pytest

TRACES = (
    "DoHomework",
    "WashCutleryTask",
    "clean_up_bathroom",
    "clean_up_kitchen",
    "clean_up_living_room",
    "look_in_light_book",
    "open_fridge",
    "pickup_mug",
)
# DoHomework was recorded from its fourth action on; this is what its first event shows.
EARLIER = {
    "DoHomework": [
        {"action": "ToggleObjectOn", "objectId": "CellPhone|-00.26|+00.56|+00.52"},
        {"action": "PickupObject", "objectId": "CellPhone|-00.26|+00.56|+00.52"},
        {"action": "ToggleObjectOn", "objectId": "Laptop|-00.50|+00.56|+00.29"},
    ]
}
STATES = (
    "isToggled",
    "isBroken",
    "isFilledWithLiquid",
    "fillLiquid",
    "isDirty",
    "isUsedUp",
    "isCooked",
    "temperature",
    "isSliced",
)


@pytest.mark.parametrize("name", TRACES)
def test_recorded_sequence(player, ithor_data, name):
    steps = json.loads((ithor_data / "traces" / f"{name}.json").read_text())["steps"]
    expected = {entry["objectId"]: dict(entry) for entry in steps[0]["objects"]}
    player.reset(steps[0]["metadata"]["sceneName"].removesuffix("_physics"))
    player.initialize(**arguments_of(steps[0]["action"], name))
    for action in EARLIER.get(name, []):
        assert player.step(**action, forceAction=True)["lastActionSuccess"]
    handled = set()
    for number, step in enumerate(steps):
        for object_id, changed in step.get("changed", {}).items():
            expected[object_id].update(changed)
        action = step["action"]
        if number == 0:
            continue
        handled |= {action["objectId"]} if action["action"] == "PickupObject" else set()
        actual = player.step(**action)
        where = f"{name} step {number}: {action['action']} {action.get('objectId', '')}"
        check_step(actual, step, expected, handled, where)


def arguments_of(action, name):
    """Arguments of the recorded Initialize; DoHomework's is not on record."""
    if action["action"] != "Initialize":
        assert name in EARLIER
        return {}
    return {key: value for key, value in action.items() if key not in ("action", "sequenceId")}


def check_step(actual, step, expected, handled, where):
    recorded = step["metadata"]
    assert actual["lastActionSuccess"] == recorded["lastActionSuccess"], (
        where,
        actual["errorMessage"],
    )
    assert actual["inventoryObjects"] == recorded["inventoryObjects"], where
    check_agent(actual["agent"], recorded["agent"], where)
    if isinstance(recorded["actionReturn"], str):
        assert actual["actionReturn"] == recorded["actionReturn"], where
    if isinstance(recorded["actionReturn"], dict):
        # Where a dropped thing rolls to is physics; that it falls to the floor is not.
        assert actual["actionReturn"]["y"] == pytest.approx(
            recorded["actionReturn"]["y"], abs=0.1
        ), where
    for entry in actual["objects"]:
        before = expected[entry["objectId"]]
        for field in ("isOpen", "openness", "isPickedUp", *STATES):
            assert entry[field] == before[field], (where, entry["objectId"], field)
        if entry["objectId"] in handled:
            assert containers(entry) == containers(before), (where, entry["objectId"])


def check_agent(actual, recorded, where):
    assert actual["position"] == pytest.approx(recorded["position"], abs=1e-3), where
    assert actual["rotation"] == pytest.approx(recorded["rotation"], abs=1e-3), where
    assert actual["cameraHorizon"] == pytest.approx(recorded["cameraHorizon"], abs=1e-3), where
    assert actual["isStanding"] == recorded["isStanding"], where


def containers(entry):
    """Receptacles but for the floor, whose trigger box reaches into low furniture."""
    return {name for name in entry["parentReceptacles"] or () if not name.startswith("Floor|")}
