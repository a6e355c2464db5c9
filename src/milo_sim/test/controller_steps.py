"""What tests of milo_sim behind the Controller do and look at again and again."""

import pytest

NEAR = 1e-3


def place(controller, x=-1.5, y=0.901, z=-1.5, rotation=0, horizon=0, standing=True):
    return controller.step(
        action="TeleportFull",
        position={"x": x, "y": y, "z": z},
        rotation={"x": 0, "y": rotation, "z": 0},
        horizon=horizon,
        standing=standing,
        raise_for_failure=True,
    )


def position(event):
    return event.metadata["agent"]["position"]


def assert_near(actual, x, y, z, tolerance=NEAR):
    assert actual == pytest.approx({"x": x, "y": y, "z": z}, abs=tolerance)


def object_of_type(event, name):
    return event.objects_by_type(name)[0]


def fridge_id(controller):
    return object_of_type(controller.last_event, "Fridge")["objectId"]
