"""Random valid and invalid actions: whatever a client sends, the scene stays consistent."""

import hashlib
import json
import os
import random
import subprocess
import sys

import jsonschema
import msgpack
import numpy as np
import pytest

from milo_sim.actions import ACTIONS, make_dispatcher
from milo_sim.arguments import ArgumentType as T
from milo_sim.metadata import MetadataEncoder
from milo_sim.scene import load_scene, scene_names
from milo_sim.session import Session

QUICK, ALL = 600, 20_000
EXCLUDED = {"Reset", "Initialize", "CreateHouse"}
"""These start a scene."""
SCENES_IN_FULL_RUN = 20
FITTING = {
    "PickupObject": "pickupable",
    "PutObject": "receptacle",
    "OpenObject": "openable",
    "CloseObject": "openable",
    "ToggleObjectOn": "toggleable",
    "ToggleObjectOff": "toggleable",
    "SliceObject": "sliceable",
    "BreakObject": "breakable",
    "DirtyObject": "dirtyable",
    "CleanObject": "dirtyable",
    "CookObject": "cookable",
    "FillObjectWithLiquid": "canFillWithLiquid",
    "EmptyLiquidFromObject": "canFillWithLiquid",
    "UseUpObject": "pickupable",
    "PushObject": "pickupable",
    "PullObject": "pickupable",
    "DirectionalPush": "moveable",
}
"""Property that makes a target fit an action."""
FREE_TELEPORTS = {"Teleport", "TeleportFull"}


class Monkey:
    """Draws one action after the other from a seed."""

    def __init__(self, session, seed):
        self.session = session
        self.random = random.Random(seed)
        self.actions = [action for action in ACTIONS if action.name not in EXCLUDED]

    @property
    def world(self):
        return self.session.world

    def message(self):
        action = self.random.choice(self.actions)
        if self.world.held_id is None and self.random.random() < 0.1:
            action = next(a for a in self.actions if a.name == "PickupObject")
        signature = self.random.choice(action.signatures)
        message = {"action": action.name}
        for parameter in signature.parameters:
            if parameter.is_required or self.random.random() < 0.5:
                message[parameter.name] = self.value(action.name, parameter)
        if "forceAction" in signature.names:
            message["forceAction"] = self.random.random() < 0.6
        if self.random.random() < 0.03:
            message[self.random.choice(["objectId", "x", "nonsense"])] = self.nonsense()
        return message

    def nonsense(self):
        return self.random.choice(
            [None, -1, 1e30, float("nan"), "", "Cup|1", [], {}, [None], {"x": "y"}, True]
        )

    def object_id(self, action=""):
        fitting = [
            key
            for key, fixed in self.world.scene_objects.items()
            if fixed.has(FITTING.get(action, ""))
        ]
        if fitting and self.random.random() < 0.7:
            return self.random.choice(fitting)
        if self.random.random() < 0.05:
            return self.random.choice(["", "Cup|1", "Apple|+00.00|+00.00|+00.00"])
        ids = list(self.world.objects)
        if self.random.random() < 0.5:
            seen = [key for key, view in self.world.visibility().items() if view.visible]
            ids = seen or ids
        return self.random.choice(ids)

    def vector(self):
        place = self.world.objects[self.random.choice(list(self.world.objects))].position
        jitter = self.random.choice([0.0, 0.0, 0.3, 5.0])
        return {
            axis: value + self.random.uniform(-jitter, jitter)
            for axis, value in zip("xyz", place, strict=True)
        }

    def angles(self):
        return {axis: self.random.choice([0, 0, 0, 90, 45.5, -200]) for axis in "xyz"}

    def value(self, action, parameter):
        if self.random.random() < 0.03:
            return self.nonsense()
        named = {
            "objectId": lambda: self.object_id(action),
            "objectIds": lambda: [self.object_id() for _ in range(self.random.randrange(3))],
            "rotation": self.angles,
            "fillLiquid": lambda: self.random.choice(["water", "coffee", "wine", "milk"]),
            "degrees": lambda: self.random.choice([0, 10, 30, 90, -5]),
            "numPlacementAttempts": lambda: self.random.randrange(4),
            "objectPoses": self.poses,
            "numDuplicatesOfType": lambda: [
                {"objectType": self.object_type(), "count": self.random.randrange(4)}
            ],
            "moveMagnitude": lambda: self.random.choice([0.25, 0.1, 1.0, 30.0, 200.0]),
            "simSeconds": lambda: self.random.choice([0.1, 0.5]),
        }
        if parameter.name in named:
            return named[parameter.name]()
        return self.of_type(parameter.type)

    def of_type(self, kind):
        make = {
            T.FLOAT: lambda: self.random.choice([0.0, 0.3, 0.5, 0.9, 1.0, -1.0, 7.5]),
            T.INT: lambda: self.random.choice([0, 1, 2, 5, 300, -1]),
            T.BOOL: lambda: self.random.random() < 0.5,
            T.TEXT: self.object_type,
            T.VECTOR: self.vector,
            T.FLOATS: lambda: [self.random.choice([0.0, 0.5, 30.0, 90.0]) for _ in range(2)],
            T.BOOLS: lambda: [True, False],
            T.TEXTS: lambda: [self.object_type(), self.object_type()],
            T.VECTORS: lambda: [self.vector() for _ in range(2)],
        }
        names = {key.name: value for key, value in make.items()}
        return names.get(kind.name.removesuffix("_OR_NULL"), lambda: None)()

    def object_type(self):
        kinds = [fixed.object_type for fixed in self.world.scene_objects.values()]
        return self.random.choice([*kinds, "Cat"])

    def poses(self):
        """Most loose things where they are, so that the scene does not run empty."""
        poses = []
        for key, fixed in self.world.scene_objects.items():
            if (fixed.has("pickupable") or fixed.has("moveable")) and self.random.random() < 0.9:
                place = self.world.objects[key].position
                poses.append(
                    {
                        "objectName": fixed.name,
                        "position": dict(zip("xyz", place, strict=True)),
                        "rotation": self.angles(),
                    }
                )
        return poses


class Invariants:
    """What has to hold after every action."""

    def __init__(self, session, schema):
        self.session = session
        self.validator = jsonschema.Draft7Validator(schema)
        self.in_closed_at_start = self.in_closed_containers()
        cells = session.world.scene.reachable
        self.low, self.high = cells.min(axis=0) - 0.126, cells.max(axis=0) + 0.126

    def in_closed_containers(self):
        """(object, containers) for what is in more than one closed container."""
        world = self.session.world
        found = {}
        for key, state in world.objects.items():
            closed = frozenset(
                parent
                for parent in state.parent_receptacles or ()
                if world.scene_objects[parent].has("openable") and not world.objects[parent].is_open
            )
            fixed = world.scene_objects[key]
            if len(closed) > 1 and (fixed.has("pickupable") or fixed.has("moveable")):
                found[key] = closed
        return found

    def check(self, message, outcome, event, full, agent_was_forced):
        agent = event["agents"][0]
        assert outcome.success == (outcome.error_message == ""), message
        self.check_no_crash(outcome, message)
        self.check_hand(agent)
        self.check_containment()
        if full:
            self.check_schema(agent)
        extra = {
            key: where
            for key, where in self.in_closed_containers().items()
            if not where <= self.in_closed_at_start.get(key, frozenset())
        }
        assert not extra, (message, extra)
        if not agent_was_forced:
            self.check_agent()

    def check_no_crash(self, outcome, message):
        """Errors inside the engine's actions are .NET's, never Python's."""
        text = outcome.error_message
        assert ".py:" not in text, (message, text)

    def check_hand(self, agent):
        world = self.session.world
        held = [key for key, state in world.objects.items() if state.is_picked_up]
        assert held == ([] if world.held_id is None else [world.held_id])
        assert [entry["objectId"] for entry in agent["inventoryObjects"]] == held
        if held:
            assert world.objects[held[0]].parent_receptacles is None

    def check_containment(self):
        objects = self.session.world.objects
        for key, state in objects.items():
            for parent in state.parent_receptacles or ():
                assert key in objects[parent].receptacle_object_ids, (key, parent)
            for content in state.receptacle_object_ids or ():
                assert key in objects[content].parent_receptacles, (key, content)
            assert state.carrier is None or state.carrier in objects, (key, state.carrier)
            assert np.isfinite([*state.position, *state.rotation, *state.aabb_size]).all(), key

    def check_schema(self, agent):
        # The schema was observed on successful actions that return little.
        assert agent["errorCode"] is None or not agent["lastActionSuccess"]
        json.dumps(agent["actionReturn"])
        liquids = {entry["fillLiquid"] for entry in agent["objects"]}
        assert liquids <= {None, "coffee", "water", "wine"}
        objects = [{**entry, "fillLiquid": None} for entry in agent["objects"]]
        agent = {**agent, "errorCode": None, "actionReturn": None, "objects": objects}
        errors = [
            (list(error.absolute_path), error.message[:200])
            for error in self.validator.iter_errors(agent)
        ]
        assert not errors, errors

    def check_agent(self):
        x, _, z = self.session.world.agent.position
        assert (np.array([x, z]) >= self.low).all(), (x, z)
        assert (np.array([x, z]) <= self.high).all(), (x, z)


def run(scene, seed, count, schema, full_every=25):
    """Send random actions to a session; returns what was tried and what succeeded."""
    session, encoder = Session(make_dispatcher()), MetadataEncoder()

    def send(message):
        outcome = session.answer(json.dumps(message).encode())
        return outcome, msgpack.unpackb(encoder.event(session, outcome))

    send({"action": "Reset", "sceneName": scene})
    send({"action": "Initialize", "renderImage": False})
    invariants, monkey = Invariants(session, schema), Monkey(session, seed)
    tried, succeeded = set(), set()
    forced = False
    for number in range(count):
        message = monkey.message()
        outcome, event = send(message)
        tried.add(message["action"])
        if outcome.success:
            succeeded.add(message["action"])
        # Where a forced teleport left the agent, an unforced action need not put it right.
        free = message["action"] in FREE_TELEPORTS and bool(message.get("forceAction"))
        forced = forced or (outcome.success and free)
        invariants.check(message, outcome, event, number % full_every == 0, forced)
        if number % 60 == 59 or len(session.world.objects) > 400:
            send({"action": "Reset", "sceneName": scene})
            send({"action": "Initialize", "renderImage": False})
            forced = False
    return tried, succeeded


@pytest.mark.parametrize("scene", ["FloorPlan1", "FloorPlan212", "FloorPlan308", "FloorPlan403"])
def test_random_actions(scene, metadata_schema):
    tried, succeeded = run(scene, 1, QUICK // 4, metadata_schema)
    assert len(tried) > 50
    assert len(succeeded) > 25


def digest_of_events(scene, seed, count):
    """SHA-256 over the events of a random run."""
    session, encoder = Session(make_dispatcher()), MetadataEncoder()
    digest = hashlib.sha256()
    monkey = Monkey(session, seed)
    start = [
        {"action": "Reset", "sceneName": scene},
        {"action": "Initialize", "renderImage": False},
    ]
    for number in range(count):
        message = start[number] if number < 2 else monkey.message()
        outcome = session.answer(json.dumps(message).encode())
        digest.update(encoder.event(session, outcome))
    return digest.hexdigest()


def test_the_same_actions_give_the_same_bytes_in_every_process():
    runs = [
        subprocess.run(
            [sys.executable, __file__, "FloorPlan1", "3", "200"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
        for seed in ("1", "2")
    ]
    digests = {run.stdout.strip() for run in runs}
    assert digests == {digest_of_events("FloorPlan1", 3, 200)}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_random_actions(metadata_schema):
    """20,000 actions in 20 scenes; MILO_FUZZ_SEED draws others."""
    base = int(os.environ.get("MILO_FUZZ_SEED", "0"))
    names = random.Random(base).sample(scene_names(), SCENES_IN_FULL_RUN)
    succeeded = set()
    for number, scene in enumerate(names):
        load_scene(scene)
        _, done = run(scene, base + number, ALL // SCENES_IN_FULL_RUN, metadata_schema)
        succeeded |= done
    never = {action.name for action in ACTIONS} - EXCLUDED - succeeded
    assert len(never) <= 4, never


if __name__ == "__main__":
    print(digest_of_events(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
