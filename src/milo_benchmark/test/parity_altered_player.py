"""milo_sim with something altered in its answers; the first argument says what.

`fields`: objects lack `mass`, have `glow`, and `isToggled` is a number.  `poses`: mugs float 5 cm.
`errors`: a refused placement is worded otherwise.  `grasp`: nothing is ever in the hand.
"""

import sys
from collections.abc import Callable
from typing import Any

import msgpack

from milo_sim import player
from milo_sim.metadata import MetadataEncoder


def fields(agent: dict[str, Any]) -> None:
    for obj in agent["objects"]:
        del obj["mass"]
        obj |= {"glow": True, "isToggled": int(obj["isToggled"])}


def poses(agent: dict[str, Any]) -> None:
    for obj in agent["objects"]:
        if obj["objectType"] == "Mug":
            obj["position"]["y"] += 0.05


def errors(agent: dict[str, Any]) -> None:
    agent["errorMessage"] = agent["errorMessage"].replace("No valid positions", "No room")


def grasp(agent: dict[str, Any]) -> None:
    agent["inventoryObjects"] = []
    for obj in agent["objects"]:
        obj["isPickedUp"] = False


ALTERATIONS: dict[str, Callable[[dict[str, Any]], None]] = {
    "fields": fields,
    "poses": poses,
    "errors": errors,
    "grasp": grasp,
}


def main() -> int:
    alter = ALTERATIONS[sys.argv.pop(1)]
    event, patch = MetadataEncoder.event, MetadataEncoder.patch

    def altered_event(self: MetadataEncoder, *arguments: Any) -> bytes:
        answer = msgpack.unpackb(event(self, *arguments))
        alter(answer["agents"][0])
        return bytes(msgpack.packb(answer))

    def altered_patch(outcome: Any) -> bytes:
        answer = {"objects": [], **msgpack.unpackb(patch(outcome))}
        alter(answer)
        del answer["objects"]
        answer.pop("inventoryObjects", None)
        return bytes(msgpack.packb(answer))

    MetadataEncoder.event = altered_event  # type: ignore[method-assign]
    MetadataEncoder.patch = staticmethod(altered_patch)  # type: ignore[method-assign]
    return player.main()


if __name__ == "__main__":
    sys.exit(main())
