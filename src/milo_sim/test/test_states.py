"""State changes and what follows by itself, in this process."""

import numpy as np
import pytest

from milo_core.object_types import OBJECT_TYPES
from milo_sim import consequences
from milo_sim.geometry import Box

APPLE, MUG = "Apple|-00.47|+01.15|+00.48", "Mug|-01.76|+00.90|-00.62"
POTATO, EGG = "Potato|-01.66|+00.93|-02.15", "Egg|-02.04|+00.81|+01.24"
BOWL, POT = "Bowl|+00.27|+01.10|-00.75", "Pot|-01.22|+00.90|-02.36"
FRIDGE, SINK = "Fridge|-02.10|+00.00|+01.07", "Sink|-01.90|+00.97|-01.50|SinkBasin"
FAUCET, MACHINE = "Faucet|-02.15|+00.91|-01.50", "CoffeeMachine|-01.98|+00.90|-00.19"
MICROWAVE = "Microwave|-00.24|+01.69|-02.53"
KNOB, BURNER = "StoveKnob|-00.48|+00.88|-02.19", "StoveBurner|-00.47|+00.92|-02.37"


@pytest.fixture
def kitchen(player):
    """FloorPlan1 after a reset: a function that does forced actions and returns the objects."""
    player.reset("FloorPlan1")

    def do(action, object_id=None, **arguments):
        target = {} if object_id is None else {"objectId": object_id, "forceAction": True}
        metadata = player.step(action, **target, **arguments)
        assert metadata["lastActionSuccess"], (action, object_id, metadata["errorMessage"])
        return {entry["objectId"]: entry for entry in metadata["objects"]}

    return do


@pytest.fixture
def refused(player):
    """The message of a forced action that must fail."""

    def do(action, object_id, **arguments):
        metadata = player.step(action, objectId=object_id, forceAction=True, **arguments)
        assert not metadata["lastActionSuccess"]
        return metadata["errorMessage"]

    return do


def put(do, thing, receptacle):
    do("PickupObject", thing)
    return do("PutObject", receptacle)


def open_and_put(do, thing, receptacle):
    do("OpenObject", receptacle)
    objects = put(do, thing, receptacle)
    do("CloseObject", receptacle)
    return objects


# --- Slicing and breaking -----------------------------------------------------------------------


def oriented_box(entry):
    return Box.from_corners(np.array(entry["objectOrientedBoundingBox"]["cornerPoints"]))


@pytest.mark.parametrize(
    "whole", [APPLE, POTATO, "Lettuce|-01.81|+00.97|-00.94", "Bread|-00.52|+01.17|-00.03"]
)
def test_pieces_lie_within_the_whole(kitchen, whole):
    before = kitchen("Pass")[whole]
    objects = kitchen("SliceObject", whole)
    kind, count = OBJECT_TYPES[before["objectType"]].slices
    pieces = [entry for entry in objects.values() if entry["objectType"] == kind]
    assert [p["objectId"] for p in pieces] == [f"{whole}|{kind}_{i}" for i in range(count)]
    box = oriented_box(before)
    for piece in pieces:
        own = oriented_box(piece)
        inside = np.abs(box.to_local(own.corners()))[:, [0, 2]]
        assert (inside <= box.half[[0, 2]] + 1e-4).all()
        assert box.center[1] - box.extent()[1] - 0.01 < own.center[1] < box.center[1] + 1e-4
        assert piece["pickupable"]
        assert piece["cookable"] == OBJECT_TYPES[kind].cookable
        assert piece["parentReceptacles"] == before["parentReceptacles"]
    assert sum(p["mass"] for p in pieces) == pytest.approx(before["mass"], rel=1e-5)
    left = objects[whole]
    assert (left["isSliced"], left["visible"], left["parentReceptacles"]) == (True, False, None)
    assert kitchen("SliceObject", whole).keys() == objects.keys()


def test_pieces_can_be_handled(kitchen):
    kitchen("SliceObject", APPLE)
    piece = f"{APPLE}|AppleSliced_1"
    objects = put(kitchen, piece, SINK)
    assert objects[piece]["parentReceptacles"] == [SINK]


def test_a_cooked_potato_gives_cooked_slices(kitchen):
    kitchen("CookObject", POTATO)
    objects = kitchen("SliceObject", POTATO)
    assert objects[f"{POTATO}|PotatoSliced_0"]["isCooked"]
    raw = kitchen("Pass")
    assert raw[POTATO]["isCooked"]


@pytest.mark.parametrize("action", ["SliceObject", "BreakObject"])
def test_an_egg_cracks(kitchen, action):
    objects = kitchen(action, EGG)
    cracked = objects[f"{EGG}|EggCracked_0"]
    assert cracked["cookable"]
    assert cracked["rotation"] == {"x": 0.0, "y": 0.0, "z": 0.0}
    assert objects[EGG]["isSliced" if action == "SliceObject" else "isBroken"]
    assert FRIDGE in cracked["parentReceptacles"]


def test_slicing_is_refused(kitchen, refused):
    kitchen("PickupObject", APPLE)
    assert refused("SliceObject", APPLE) == (
        "target object cannot be sliced if it is in the agent's hand"
    )
    assert refused("SliceObject", MUG).endswith(" Does not have the CanBeSliced property!")
    assert refused("BreakObject", APPLE).endswith(" does not have the CanBreak property!!")
    assert "is not the objectId on any object" in refused("SliceObject", "Nothing|1")


def test_a_broken_mug_leaves_the_hand(player, kitchen):
    kitchen("PickupObject", MUG)
    objects = kitchen("BreakObject", MUG)
    assert (objects[MUG]["isBroken"], objects[MUG]["isPickedUp"]) == (True, False)
    assert player.step("Pass")["inventoryObjects"] == []


def test_what_a_broken_bowl_held_falls(kitchen):
    put(kitchen, APPLE, BOWL)
    objects = kitchen("BreakObject", BOWL)
    assert objects[BOWL]["receptacleObjectIds"] == []
    assert BOWL not in objects[APPLE]["parentReceptacles"]
    assert "CounterTop|-00.08|+01.15|00.00" in objects[APPLE]["parentReceptacles"]


@pytest.mark.parametrize(
    ("scene", "kind"),
    [("FloorPlan301", "CellPhone"), ("FloorPlan301", "Laptop"), ("FloorPlan201", "Television")],
)
def test_broken_screens_go_dark(player, scene, kind):
    objects = player.reset(scene)["objects"]
    screen = next(entry for entry in objects if entry["objectType"] == kind)
    target = {"objectId": screen["objectId"], "forceAction": True}
    if not screen["isToggled"]:
        player.step("ToggleObjectOn", **target)
    metadata = player.step("BreakObject", **target)
    entry = next(e for e in metadata["objects"] if e["objectId"] == screen["objectId"])
    assert (entry["isBroken"], entry["isToggled"]) == (True, False)
    metadata = player.step("ToggleObjectOn", **target)
    assert metadata["errorMessage"] == "Target is broken and cannot be Toggled On!"


# --- Dirt, use ----------------------------------------------------------------------------------


def test_dirty_and_clean(kitchen, refused):
    assert kitchen("DirtyObject", MUG)[MUG]["isDirty"]
    assert refused("DirtyObject", MUG).endswith(" is already dirty!")
    assert not kitchen("CleanObject", MUG)[MUG]["isDirty"]
    assert refused("CleanObject", MUG).endswith(" is already Clean!")
    assert refused("DirtyObject", APPLE).endswith(" does not have CanBeDirty property!")
    assert refused("CleanObject", APPLE).endswith(" does not have dirtyable property!")


def test_use_up_and_cook(kitchen, refused):
    roll = next(key for key in kitchen("Pass") if key.startswith("PaperTowelRoll"))
    assert kitchen("UseUpObject", roll)[roll]["isUsedUp"]
    assert refused("UseUpObject", roll) == "object already used up!"
    assert refused("UseUpObject", APPLE).endswith(" does not have CanBeUsedUp property!")
    assert kitchen("CookObject", POTATO)[POTATO]["isCooked"]
    assert refused("CookObject", POTATO) == f"{POTATO} is already Toasted!"
    assert refused("CookObject", APPLE) == "target object is not cookable"


# --- Temperature --------------------------------------------------------------------------------


def test_the_fridge_cools_at_once(kitchen):
    assert kitchen("Pass")[APPLE]["temperature"] == "RoomTemp"
    objects = open_and_put(kitchen, APPLE, FRIDGE)
    assert objects[APPLE]["temperature"] == "Cold"


def test_an_active_microwave_heats_and_cooks(kitchen):
    open_and_put(kitchen, POTATO, MICROWAVE)
    assert kitchen("Pass")[POTATO]["temperature"] == "RoomTemp"
    potato = kitchen("ToggleObjectOn", MICROWAVE)[POTATO]
    assert (potato["temperature"], potato["isCooked"]) == ("Hot", True)


def test_a_microwave_does_not_toast_bread(kitchen):
    bread = "Bread|-00.52|+01.17|-00.03"
    kitchen("SliceObject", bread)
    piece = f"{bread}|BreadSliced_4"
    open_and_put(kitchen, piece, MICROWAVE)
    entry = kitchen("ToggleObjectOn", MICROWAVE)[piece]
    assert (entry["temperature"], entry["isCooked"]) == ("Hot", False)


def test_a_toaster_toasts(kitchen):
    bread, toaster = "Bread|-00.52|+01.17|-00.03", "Toaster|-01.84|+00.90|+00.13"
    kitchen("SliceObject", bread)
    piece = f"{bread}|BreadSliced_4"
    put(kitchen, piece, toaster)
    entry = kitchen("ToggleObjectOn", toaster)[piece]
    assert (entry["temperature"], entry["isCooked"]) == ("Hot", True)


def test_a_burner_heats_the_pot_and_cooks_what_is_in_it(kitchen):
    kitchen("SliceObject", POTATO)
    piece = f"{POTATO}|PotatoSliced_0"
    put(kitchen, POT, BURNER)
    put(kitchen, piece, POT)
    objects = kitchen("ToggleObjectOn", KNOB)
    assert objects[POT]["temperature"] == "Hot"
    assert (objects[piece]["temperature"], objects[piece]["isCooked"]) == ("Hot", True)
    assert objects[MUG]["temperature"] == "RoomTemp"


def test_a_coffee_machine_fills_the_mug(kitchen):
    put(kitchen, MUG, MACHINE)
    mug = kitchen("ToggleObjectOn", MACHINE)[MUG]
    assert (mug["fillLiquid"], mug["temperature"]) == ("coffee", "Hot")


def steps_until(do, key, wanted, limit=2000):
    for number in range(1, limit):
        if do("Pass")[key]["temperature"] == wanted:
            return number
    return None


def test_temperatures_decay_after_ten_seconds(kitchen):
    kitchen("FillObjectWithLiquid", MUG, fillLiquid="coffee")
    steps = steps_until(kitchen, MUG, "RoomTemp")
    assert steps * consequences.SECONDS_PER_STEP == pytest.approx(10.0, abs=0.1)


def test_decay_can_be_set_and_switched_off(kitchen, refused, player):
    kitchen("SetTemperatureDecayTime", decayTime=1.0)
    kitchen("DisableTemperatureDecay")
    kitchen("FillObjectWithLiquid", MUG, fillLiquid="coffee")
    assert steps_until(kitchen, MUG, "RoomTemp", limit=80) is None
    kitchen("EnableTemperatureDecay")
    assert steps_until(kitchen, MUG, "RoomTemp", limit=80) == pytest.approx(50, abs=2)
    metadata = player.step("SetTemperatureDecayTime", decayTime=-1)
    assert "decayTime must be >= 0. You gave -1" in metadata["errorMessage"]


def test_decay_of_one_object(kitchen, player):
    metadata = player.step("SetTemperatureDecayTime", objectId=MUG, decayTime=0.1)
    assert metadata["lastActionSuccess"], metadata["errorMessage"]
    kitchen("FillObjectWithLiquid", POT, fillLiquid="coffee")
    kitchen("FillObjectWithLiquid", MUG, fillLiquid="coffee")
    assert steps_until(kitchen, MUG, "RoomTemp") < 10
    assert kitchen("Pass")[POT]["temperature"] == "Hot"


# --- Water and fire -----------------------------------------------------------------------------


def test_running_water_cleans_and_fills(kitchen):
    kitchen("DirtyObject", MUG)
    put(kitchen, MUG, SINK)
    mug = kitchen("ToggleObjectOn", FAUCET)[MUG]
    assert (mug["isDirty"], mug["fillLiquid"]) == (False, "water")
    kitchen("EmptyLiquidFromObject", MUG)
    assert kitchen("Pass")[MUG]["fillLiquid"] == "water"
    kitchen("ToggleObjectOff", FAUCET)
    assert not kitchen("EmptyLiquidFromObject", MUG)[MUG]["isFilledWithLiquid"]


def test_what_is_turned_over_spills(kitchen):
    kitchen("FillObjectWithLiquid", MUG, fillLiquid="water")
    assert kitchen("PickupObject", MUG)[MUG]["isFilledWithLiquid"]
    assert kitchen("RotateHeldObject", pitch=80)[MUG]["isFilledWithLiquid"]
    assert not kitchen("RotateHeldObject", pitch=80)[MUG]["isFilledWithLiquid"]


def test_candles_catch_fire_and_are_put_out(player):
    objects = player.reset("FloorPlan401")["objects"]
    candle = next(entry for entry in objects if entry["objectType"] == "Candle")
    target = {"objectId": candle["objectId"], "forceAction": True}
    player.step("ToggleObjectOn", **target)
    faucet = next(
        entry["objectId"]
        for entry in objects
        if entry["objectType"] == "Faucet" and entry["position"]["y"] > 0.8
    )
    basin = next(
        entry
        for entry in objects
        if entry["objectType"] == "SinkBasin"
        and abs(entry["position"]["x"] - float(faucet.split("|")[1])) < 0.5
    )
    player.step("PickupObject", **target)
    metadata = player.step("PutObject", objectId=basin["objectId"], forceAction=True)
    assert metadata["lastActionSuccess"], metadata["errorMessage"]
    metadata = player.step("ToggleObjectOn", objectId=faucet, forceAction=True)
    lit = {e["objectId"]: e["isToggled"] for e in metadata["objects"]}
    assert lit[faucet]
    assert not lit[candle["objectId"]]
