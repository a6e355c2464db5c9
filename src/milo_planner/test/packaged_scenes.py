"""Packaged scenes as a planner sees them at first."""

from functools import cache

import msgpack

from milo_core.snapshot import Snapshot
from milo_core.world_model import WorldModel
from milo_sim.actions import make_dispatcher
from milo_sim.metadata import MetadataEncoder
from milo_sim.session import Session


@cache
def packaged(scene):
    """Return a scene after its reset; not to be changed."""
    session, encoder = Session(make_dispatcher()), MetadataEncoder()
    session.step({"action": "Reset", "sceneName": f"{scene}_physics"})
    outcome = session.step({"action": "Initialize", "renderImage": False})
    metadata = msgpack.unpackb(encoder.event(session, outcome))["agents"][0]
    return WorldModel.from_snapshot(Snapshot.from_metadata(metadata), step=0, episode=0, stamp=0.0)
