import json
import os
import sys
import time
from pathlib import Path

import msgpack
import pytest

import milo_sim
from milo_sim.actions import make_dispatcher
from milo_sim.metadata import MetadataEncoder
from milo_sim.session import Session

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from controller_steps import place  # noqa: E402
from player_client import LIMIT, Client  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory):
    """The player's start scripts of the tests stay out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session")
def metadata_schema():
    return json.loads((HERE / "data" / "metadata-schema-5.0-observed.json").read_text())


@pytest.fixture(scope="session")
def ithor_data():
    """Folder of the shared iTHOR data, which a plain clone does not have."""
    root = Path(os.environ.get("MILO_SHARED") or HERE.parents[3] / "shared")
    folder = root / "data" / "ithor"
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set MILO_SHARED")
    return folder


@pytest.fixture(scope="module")
def start_controller():
    """Makes ai2thor Controllers on milo_sim and stops them, and checks that no player is left."""
    from ai2thor.controller import Controller

    controllers = []

    def start(scene="FloorPlan28", **options):
        options = {
            "local_executable_path": milo_sim.executable(),
            "headless": True,
            "x_display": ":0",
            "server_timeout": 30.0,
            **options,
        }
        controllers.append(Controller(scene=scene, **options))
        return controllers[-1]

    yield start
    processes = [controller.server.unity_proc for controller in controllers]
    for controller in controllers:
        controller.stop()
    deadline = time.monotonic() + 20
    for process in processes:
        process.wait(timeout=max(0.1, deadline - time.monotonic()))


@pytest.fixture(scope="module")
def controller(start_controller):
    """FloorPlan28 behind the Controller."""
    return start_controller("FloorPlan28")


@pytest.fixture
def base(controller):
    """The controller after a reset, with the agent in upstream's base pose.

    A resolution is kept over resets, and a wider picture sees more.
    """
    controller.reset("FloorPlan28", width=300, height=300)
    place(controller)
    return controller


class Player:
    """A session with its encoder, as the player process has it."""

    def __init__(self) -> None:
        self.session = Session(make_dispatcher())
        self.encoder = MetadataEncoder()

    def step(self, action, **arguments):
        outcome = self.session.step({"action": action, **arguments})
        event = msgpack.unpackb(self.encoder.event(self.session, outcome))
        return event["agents"][0]

    def reset(self, scene):
        assert self.step("Reset", sceneName=f"{scene}_physics")["lastActionSuccess"]
        return self.initialize()

    def initialize(self, **arguments):
        metadata = self.step("Initialize", renderImage=False, **arguments)
        assert metadata["lastActionSuccess"], metadata["errorMessage"]
        return metadata


@pytest.fixture(scope="module")
def player():
    """The simulator with its wire format, in this process."""
    return Player()


@pytest.fixture
def start(tmp_path):
    clients = []

    def make(**options):
        folder = tmp_path / f"pipes {len(clients)}"
        folder.mkdir()
        clients.append(Client(folder, **options))
        return clients[-1]

    yield make
    for client in clients:
        client.close()
        if client.process.poll() is None:
            client.process.kill()
        client.process.communicate(timeout=LIMIT)


@pytest.fixture
def client(start):
    made = start()
    made.connect()
    return made
