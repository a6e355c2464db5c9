import pytest

from milo_core.snapshot import Snapshot


def _object(object_id, **changes):
    object_type = object_id.split("|")[0]
    row = {
        "objectId": object_id,
        "objectType": object_type,
        "position": {"x": 1.0, "y": 2.0, "z": 3.0},
        "rotation": {"x": 0.0, "y": 0.0, "z": 0.0},
        "axisAlignedBoundingBox": {
            "center": {"x": 1.0, "y": 2.0, "z": 3.0},
            "size": {"x": 0.1, "y": 0.2, "z": 0.3},
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
    }
    return row | changes


@pytest.fixture
def metadata():
    """A kitchen corner: a mug on a counter, two drawers (the far one listed first)."""
    drawer = {"receptacle": True, "openable": True, "receptacleObjectIds": []}
    return {
        "sceneName": "FloorPlan1_physics",
        "agent": {
            "position": {"x": 0.5, "y": 0.9009991, "z": -1.0},
            "rotation": {"x": 0.0, "y": 90.0, "z": 0.0},
            "cameraHorizon": 30.0,
            "isStanding": True,
        },
        "inventoryObjects": [],
        "objects": [
            _object("CounterTop|1", receptacle=True, receptacleObjectIds=["Mug|1"]),
            _object("Drawer|far", distance=3.0, **drawer),
            _object("Drawer|near", distance=0.5, **drawer),
            _object("Mug|1", pickupable=True, parentReceptacles=["CounterTop|1"]),
        ],
    }


@pytest.fixture
def change(metadata):
    """Return a function that changes objects of the metadata and takes a snapshot."""

    def apply(**by_id):
        for row in metadata["objects"]:
            row.update(by_id.get(row["objectId"].replace("|", "_"), {}))
        held = [o["objectId"] for o in metadata["objects"] if o["isPickedUp"]]
        metadata["inventoryObjects"] = [{"objectId": i, "objectType": "x"} for i in held]
        return Snapshot.from_metadata(metadata)

    return apply
