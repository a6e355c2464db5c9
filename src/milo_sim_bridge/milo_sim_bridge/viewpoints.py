"""From where an object is seen well: poses and how good they are, all in Unity's frame."""

import math

from milo_core.snapshot import Snapshot, SnapshotObject, Vector
from milo_sim_bridge.looking import Gaze, angle_to, camera_at, gaze_at, reachable_gaze
from milo_sim_bridge.path_planning import HEADINGS, Cell, GridMap
from milo_sim_bridge.skill_run import EnginePose, SkillEngine, SkillRun

ANY_DISTANCE = 100.0
"""Metres; farther than any room is wide, so that the engine leaves out its limit of distance."""
MIN_APPARENT_SIZE = 0.03
"""Share of the picture's height: 9 of 300 pixels, about what a detector needs."""
MAX_OFFSET = math.radians(15.0)
"""Radians; what lies farther from the optical axis was not looked at."""
_NEAREST_PLACES = 5
"""Cells that may see an object which the engine's pose search sees from nowhere."""
_METRES_PER_METRE = 2.0
"""Metres of detour that a pose is worth which is one metre closer."""
_METRES_PER_RADIAN = 1.0
"""Metres of detour that a pose is worth which looks one radian nearer to the middle."""


def closeness(pose: EnginePose, target: SnapshotObject) -> float:
    """Return how bad a pose is for placing something, in metres of detour.

    An unforced PutObject only takes points that are in the picture and within reach, so the pose
    should be close to the receptacle and look at its middle.
    """
    return _METRES_PER_METRE * _gap(pose.position, target) + _METRES_PER_RADIAN * _offset(
        pose, target
    )


def viewing_poses(run: SkillRun, grid: GridMap, target: SnapshotObject) -> list[EnginePose]:
    """Return reachable poses from which an object should be seen, nearest to it first.

    The engine's pose search without its limit of distance gives the places with a clear sight. The
    last ones are the nearest cells: behind glass there are no others. There the robot stands or
    crouches, first whatever brings the camera closer. All look straight at the object.
    """
    found = run.attempt(
        "querying_poses",
        "GetInteractablePoses",
        objectId=target.object_id,
        rotations=[float(heading) for heading in HEADINGS],
        maxDistance=ANY_DISTANCE,
    )
    state = run.state()
    reached = grid.lengths_from(grid.cell_of(state.agent_position[0], state.agent_position[2]))
    seen = [
        EnginePose((p["x"], p["y"], p["z"]), p["rotation"], p["horizon"], p["standing"])
        for p in (found.action_return if found.success else None) or ()
        if grid.cell_of(p["x"], p["z"]) in reached
    ]
    seen.sort(key=lambda pose: (_gap(pose.position, target), _offset(pose, target)))
    # One pose a cell: what is hidden from one horizon is seldom seen from another.
    best: dict[Cell, EnginePose] = {}
    for pose in seen:
        best.setdefault(grid.cell_of(pose.position[0], pose.position[2]), pose)
    y = state.agent_position[1]
    places = [(x, y, z) for x, z in map(grid.centre_of, sorted(reached))]
    places.sort(key=lambda place: _gap(place, target))
    return [
        *(_facing(p.position, target, state, standing=p.standing) for p in best.values()),
        *(
            _facing(place, target, state, standing=standing)
            for place in places[: 1 if best else _NEAREST_PLACES]
            for standing in _postures(place, target)
        ),
    ]


def perceived(engine: SkillEngine) -> frozenset[str]:
    """Return the ids of what the present picture shows well enough to be perceived.

    Within reach that is what AI2-THOR calls visible; farther away it is what is not hidden, spans
    MIN_APPARENT_SIZE and lies within MAX_OFFSET of the optical axis.

    Raises:
        EngineFailure: no scene is loaded, or the player died or hung.
    """
    found = engine.step("GetVisibleObjects", maxDistance=ANY_DISTANCE)
    snapshot = found.snapshot
    pose = EnginePose(
        snapshot.agent_position, snapshot.agent_yaw, snapshot.camera_horizon, snapshot.standing
    )
    near = {o.object_id for o in snapshot.objects.values() if o.visible}
    far = {
        target.object_id
        for object_id in (found.action_return if found.success else None) or ()
        if (target := snapshot.objects.get(object_id)) is not None
        and apparent_size(pose, target, found.field_of_view) >= MIN_APPARENT_SIZE
        and _offset(pose, target) <= MAX_OFFSET
    }
    return frozenset(near | far)


def apparent_size(pose: EnginePose, target: SnapshotObject, field_of_view: float) -> float:
    """Return how much of the picture's height the diagonal of an object's box spans, as a share.

    Args:
        pose: of the agent.
        target: the object.
        field_of_view: vertical, degrees.
    """
    distance = math.dist(camera_at(pose.position, standing=pose.standing), target.box_center)
    height = 2.0 * max(distance, 1e-6) * math.tan(math.radians(field_of_view / 2.0))
    return math.hypot(*target.box_size) / height


def _gap(place: Vector, target: SnapshotObject) -> float:
    return math.hypot(place[0] - target.box_center[0], place[2] - target.box_center[2])


def _offset(pose: EnginePose, target: SnapshotObject) -> float:
    """Radians by which an object's centre lies beside the optical axis."""
    camera = camera_at(pose.position, standing=pose.standing)
    return angle_to(camera, Gaze(pose.yaw, pose.horizon), target.box_center)


def _postures(place: Vector, target: SnapshotObject) -> tuple[bool, bool]:
    """Return standing and crouching, in the order of the camera's distance to an object."""
    high, low = (
        math.dist(camera_at(place, standing=standing), target.box_center)
        for standing in (True, False)
    )
    return (True, False) if high <= low else (False, True)


def _facing(
    place: Vector, target: SnapshotObject, state: Snapshot, *, standing: bool
) -> EnginePose:
    camera = camera_at(place, standing=standing)
    gaze = reachable_gaze(gaze_at(camera, target.box_center, state.agent_yaw))
    return EnginePose(place, gaze.yaw, gaze.horizon, standing)
