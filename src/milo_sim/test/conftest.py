import json
import os
import time
from pathlib import Path

import pytest

import milo_sim

HERE = Path(__file__).resolve().parent


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
        options = {"headless": True, "x_display": ":0", "server_timeout": 30.0, **options}
        controllers.append(
            Controller(local_executable_path=milo_sim.executable(), scene=scene, **options)
        )
        return controllers[-1]

    yield start
    processes = [controller.server.unity_proc for controller in controllers]
    for controller in controllers:
        controller.stop()
    deadline = time.monotonic() + 20
    for process in processes:
        process.wait(timeout=max(0.1, deadline - time.monotonic()))
