"""A tiny AI2-THOR player for tests: one counter, one drawer, an apple, a mug, and bad manners.

As a script it speaks the pipe protocol of ai2thor 5.0.0. The environment variable
SCRIPTED_PLAYER holds JSON: an action's name (or "start") -> what happens instead of its answer:
die, hang, garbage, half, nonsense, huge, gate:PATH (answer when PATH, a FIFO, is written to).
The key "once" names a file: when it exists all is well, else it is made and the player misbehaves.
The key "pids" names a file that gets the ids of the player and of a child that it starts, the key
"reached" one that is made when the player comes to the action of which the script speaks.
"""

import copy
import io
import json
import math
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

APPLE = "Apple|+01.00|+00.95|+01.00"
COUNTER = "CounterTop|+01.00|+00.90|+01.00"
DRAWER = "Drawer|+02.00|+00.50|+01.00"
MUG = "Mug|+02.00|+00.50|+01.00"
LAMP = "DeskLamp|+00.00|+01.58|+02.00"
FLOOR_HEIGHT = 0.9009991
UNLUCKY_SEED = 13
POSE = {
    "x": 1.0,
    "y": FLOOR_HEIGHT,
    "z": 0.25,
    "rotation": 90.0,
    "standing": True,
    "horizon": 30.0,
}
HEADER = struct.Struct("!BI")
METADATA, ACTION, END = 1, 2, 255


def vector(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def thing(object_id: str, position: tuple[float, float, float], **flags: Any) -> dict[str, Any]:
    return {
        "objectId": object_id,
        "objectType": object_id.split("|")[0],
        "position": vector(*position),
        "rotation": vector(0.0, 90.0, 0.0),
        "axisAlignedBoundingBox": {
            "center": vector(*position),
            "size": vector(0.1, 0.2, 0.3),
        },
        "distance": 1.0,
        "visible": True,
        "receptacle": False,
        "pickupable": False,
        "openable": False,
        "toggleable": False,
        "sliceable": False,
        "isOpen": False,
        "openness": 0.0,
        "isPickedUp": False,
        "isToggled": False,
        "isSliced": False,
        "parentReceptacles": None,
        "receptacleObjectIds": None,
        **flags,
    }


class Refusal(Exception):
    """An engine action that fails."""

    code: str | None = None


class InvalidActionError(Refusal):
    code = "InvalidAction"


class World:
    """The state, and one method for each engine action."""

    def __init__(self) -> None:
        self.scene = "FloorPlan1_physics"
        self.reset(self.scene)

    def reset(self, scene: str) -> None:
        self.scene = scene
        self.agent = {**POSE, "x": 0.0, "z": 0.0, "rotation": 0.0, "horizon": 0.0}
        self.objects = {
            o["objectId"]: o
            for o in (
                thing(
                    APPLE,
                    (1.0, 0.95, 1.0),
                    pickupable=True,
                    sliceable=True,
                    parentReceptacles=[COUNTER],
                ),
                thing(COUNTER, (1.0, 0.9, 1.0), receptacle=True, receptacleObjectIds=[APPLE]),
                thing(
                    DRAWER,
                    (2.0, 0.5, 1.0),
                    receptacle=True,
                    openable=True,
                    receptacleObjectIds=[MUG],
                ),
                thing(MUG, (2.0, 0.5, 1.0), pickupable=True, parentReceptacles=[DRAWER]),
                thing(LAMP, (0.0, 1.576, 2.0), toggleable=True),
            )
        }
        self.held: str | None = None

    def step(self, action: dict[str, Any]) -> dict[str, Any]:
        """Do an action; returns the metadata."""
        name = action["action"]
        returned, error, code = None, "", None
        try:
            method = getattr(self, f"do_{name}", None)
            if method is None:
                raise InvalidActionError(f"Invalid action: {name}")
            returned = method(action)
        except Refusal as refusal:
            error, code = str(refusal), refusal.code
        return self.metadata(name, returned, error, code)

    def metadata(
        self, name: str = "", returned: Any = None, error: str = "", code: str | None = None
    ) -> dict[str, Any]:
        held = [{"objectId": self.held, "objectType": ""}] if self.held else []
        return copy.deepcopy(
            {
                "sceneName": self.scene,
                "lastAction": name,
                "lastActionSuccess": not error,
                "errorMessage": error,
                "errorCode": code,
                "actionReturn": returned,
                "screenWidth": 300,
                "screenHeight": 300,
                "thirdPartyCameras": [],
                "colors": None,
                "agent": {
                    "position": {axis: self.agent[axis] for axis in "xyz"},
                    "rotation": vector(0.0, self.agent["rotation"], 0.0),
                    "cameraHorizon": self.agent["horizon"],
                    "isStanding": self.agent["standing"],
                },
                "inventoryObjects": held,
                "objects": list(self.objects.values()),
            }
        )

    def target(self, action: dict[str, Any]) -> dict[str, Any]:
        object_id = action["objectId"]
        if object_id not in self.objects:
            raise Refusal(
                f"ArgumentException: objectId: {object_id} is not the objectId on any object in "
                "the scene!"
            )
        return self.objects[object_id]

    def do_GetScenesInBuild(self, action: dict[str, Any]) -> Any:
        return ["FloorPlan1_physics", "FloorPlan2_physics"]

    def do_Reset(self, action: dict[str, Any]) -> Any:
        self.reset(action["sceneName"])

    def do_Initialize(self, action: dict[str, Any]) -> Any:
        if self.scene == "FloorPlan2_physics":
            raise Refusal("this scene can't be initialised")
        return {"cameraNearPlane": 0.01, "cameraFarPlane": 20.0}

    def do_SetRandomSeed(self, action: dict[str, Any]) -> Any:
        if action["seed"] == UNLUCKY_SEED:
            raise Refusal("this seed brings bad luck")

    def do_Pass(self, action: dict[str, Any]) -> Any:
        return None

    def do_ChangeResolution(self, action: dict[str, Any]) -> Any:
        return None

    def do_GetReachablePositions(self, action: dict[str, Any]) -> Any:
        return [vector(0.0, FLOOR_HEIGHT, 0.0), vector(action.get("gridSize", 0.25), 0.9, 0.0)]

    def do_GetInteractablePoses(self, action: dict[str, Any]) -> Any:
        obj = self.target(action)
        inside = self.objects.get((obj["parentReceptacles"] or [""])[0], {})
        hidden = inside.get("openable") and not inside["isOpen"]
        return [] if hidden else [POSE, {**POSE, "z": 0.5}]

    def do_Teleport(self, action: dict[str, Any]) -> Any:
        position = action["position"]
        if abs(position["x"]) > 5:
            raise Refusal("Wall is blocking Agent 0 from moving to it")
        self.agent = {**self.agent, **position, "rotation": action["rotation"]["y"]}

    def do_TeleportFull(self, action: dict[str, Any]) -> Any:
        self.do_Teleport(action)
        self.agent |= {"horizon": action["horizon"], "standing": action["standing"]}

    def do_PickupObject(self, action: dict[str, Any]) -> Any:
        obj = self.target(action)
        if self.held:
            raise Refusal(
                "InvalidOperationException: Agent hand has something in it already! Can't pick up "
                "anything else. trace: at Somewhere"
            )
        if not obj["pickupable"]:
            raise Refusal(f"{obj['objectId']} must have the property CanPickup to be picked up.")
        self.move_out(obj)
        obj["isPickedUp"] = True
        self.held = obj["objectId"]

    def move_out(self, obj: dict[str, Any]) -> None:
        for parent in obj["parentReceptacles"] or ():
            self.objects[parent]["receptacleObjectIds"].remove(obj["objectId"])
        obj["parentReceptacles"] = None

    def do_PutObject(self, action: dict[str, Any]) -> Any:
        target = self.target(action)
        if self.held is None:
            raise Refusal("Can't place an object if Agent isn't holding anything")
        if not target["receptacle"]:
            raise Refusal("This target object is NOT a receptacle!")
        if target["openable"] and not target["isOpen"]:
            raise Refusal(
                "Target openable Receptacle is CLOSED, can't place if target is not open!"
            )
        obj = self.objects[self.held]
        obj |= {"isPickedUp": False, "parentReceptacles": [target["objectId"]]}
        obj["position"] = dict(target["position"])
        target["receptacleObjectIds"].append(self.held)
        self.held = None

    def do_DropHandObject(self, action: dict[str, Any]) -> Any:
        if self.held is None:
            raise Refusal("Nothing is in the agent's hand to drop!")
        obj = self.objects[self.held]
        obj |= {"isPickedUp": False, "position": vector(0.5, 0.0, 0.5)}
        self.held = None

    def do_OpenObject(self, action: dict[str, Any]) -> Any:
        obj = self.target(action)
        if not obj["openable"]:
            raise Refusal(f"{obj['objectId']} is not an Openable object")
        openness = action.get("openness", 1.0)
        obj |= {"isOpen": openness > 0, "openness": openness}

    def do_ToggleObjectOn(self, action: dict[str, Any]) -> Any:
        self.toggle(action, on=True)

    def do_ToggleObjectOff(self, action: dict[str, Any]) -> Any:
        self.toggle(action, on=False)

    def toggle(self, action: dict[str, Any], on: bool) -> None:
        obj = self.target(action)
        if not obj["toggleable"]:
            raise Refusal("object is not toggleable.")
        if obj["isToggled"] == on:
            word = "on" if on else "off"
            raise Refusal(f"can't toggle object {word} if it's already {word}!")
        obj["isToggled"] = on

    def do_SliceObject(self, action: dict[str, Any]) -> Any:
        obj = self.target(action)
        if not obj["sliceable"]:
            raise Refusal(f"{obj['objectId']} Does not have the CanBeSliced property!")
        obj["isSliced"] = True
        for number in range(2):
            piece = thing(f"{obj['objectId']}|AppleSliced_{number}", (1.0, 0.95, 1.0))
            self.objects[piece["objectId"]] = piece

    def do_RotateRight(self, action: dict[str, Any]) -> Any:
        self.agent["rotation"] = (self.agent["rotation"] + action["degrees"]) % 360.0

    def do_RotateLeft(self, action: dict[str, Any]) -> Any:
        self.agent["rotation"] = (self.agent["rotation"] - action["degrees"]) % 360.0

    def do_LookDown(self, action: dict[str, Any]) -> Any:
        self.agent["horizon"] += action["degrees"]

    def do_LookUp(self, action: dict[str, Any]) -> Any:
        self.agent["horizon"] -= action["degrees"]

    def do_MoveAhead(self, action: dict[str, Any]) -> Any:
        yaw = math.radians(self.agent["rotation"])
        length = action.get("moveMagnitude", 0.25)
        x = self.agent["x"] + length * round(math.sin(yaw))
        if abs(x) > 0.3:
            raise Refusal("Wall is blocking Agent 0 from moving by (0.2500, 0.0000, 0.0000).")
        self.agent |= {"x": x, "z": self.agent["z"] + length * round(math.cos(yaw))}

    def do_CloseObject(self, action: dict[str, Any]) -> Any:
        self.do_OpenObject({**action, "openness": 0.0})


class Player:
    """The world at the other end of two pipes."""

    def __init__(self) -> None:
        self.script: dict[str, str] = json.loads(os.environ.get("SCRIPTED_PLAYER", "{}"))
        self.world = World()
        if "once" in self.script:
            marker = Path(self.script.pop("once"))
            if marker.exists():
                self.script = {}
            marker.touch()
        if "pids" in self.script:
            child = subprocess.Popen(["sleep", "600"])
            Path(self.script["pids"]).write_text(f"{os.getpid()} {child.pid}")
        print("the player's last words", flush=True)

    def run(self) -> None:
        self.misbehave("start")
        self.out = io.FileIO(os.environ["AI2THOR_FIFO_SERVER_PIPE_PATH"], "w")
        self.send(self.world.metadata(), 0)
        self.inp = io.BufferedReader(io.FileIO(os.environ["AI2THOR_FIFO_CLIENT_PIPE_PATH"]))
        while (action := self.receive()) is not None:
            if not self.misbehave(action["action"]):
                self.send(self.world.step(action), action["sequenceId"])

    def receive(self) -> dict[str, Any] | None:
        message = None
        while header := self.inp.read(HEADER.size):
            field, length = HEADER.unpack(header)
            if field == END:
                assert message is not None
                return message
            message = json.loads(self.inp.read(length))
        return None

    def send(self, metadata: dict[str, Any], sequence: int) -> None:
        import msgpack

        agents = [{**metadata, "agentId": 0}]
        body = msgpack.packb({"agents": agents, "sequenceId": sequence, "activeAgentId": 0})
        self.write(HEADER.pack(METADATA, len(body)) + body + HEADER.pack(END, 0))

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self.out.write(view) :]

    def misbehave(self, name: str) -> bool:
        """Do what the script says for an action; returns whether that was its answer."""
        import msgpack

        how, _, argument = self.script.get(name, "").partition(":")
        if how and "reached" in self.script:
            Path(self.script["reached"]).touch()
        if how == "die":
            os._exit(7)
        if how == "gate":
            Path(argument).read_bytes()
            return False
        nonsense = msgpack.packb({"agents": [{"no": "metadata"}], "sequenceId": 1})
        answers = {
            "garbage": b"\x00\xff garbage",
            "half": HEADER.pack(METADATA, 1000) + b"half",
            "huge": HEADER.pack(METADATA, 2**32 - 1),
            "nonsense": HEADER.pack(METADATA, len(nonsense)) + nonsense + HEADER.pack(END, 0),
        }
        if how in answers:
            self.write(answers[how])
        if how:
            signal.pause()
        return False


def executable(folder: Path) -> Path:
    """Write a file that starts this player with the interpreter of the tests."""
    path = folder / "scripted player"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}"\n')
    path.chmod(0o755)
    return path


if __name__ == "__main__":
    Player().run()
