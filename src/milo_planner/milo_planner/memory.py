"""What an agent remembers of one task: what was refused, what it opened, what it has seen."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from milo_core.world_model import WorldModel


@dataclass(frozen=True)
class BasePose:
    """Where the robot stood: metres and radians in the map frame."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Refusal:
    """A step that was not done."""

    action: str
    object_id: str
    receptacle_id: str
    code: int
    message: str


@dataclass
class Memory:
    """Kept for the whole task, so that nothing that was refused is tried the same way again."""

    refusals: list[Refusal] = field(default_factory=list)
    excluded_poses: dict[tuple[str, str], list[BasePose]] = field(default_factory=dict)
    """(instance, action) -> poses from which that action with it was refused."""
    unreachable: set[str] = field(default_factory=set)
    """Instances that can't be approached or handled from anywhere."""
    no_room: set[tuple[str, str]] = field(default_factory=set)
    """(object, receptacle) for which no spot was found."""
    turns: dict[tuple[str, str], float] = field(default_factory=dict)
    """(object, receptacle) -> radians by which the object is to be turned before placing."""
    out_of_reach: set[str] = field(default_factory=set)
    """Instances that can't be handled from where the robot stands, whatever it sees."""
    standing_at: str | None = None
    """The instance that the robot approached last."""
    pose: BasePose | None = None
    """Where the robot stands, if a navigation told."""
    opened: dict[str, int] = field(default_factory=dict)
    """What the agent opened and has not closed yet -> index of the sub-goal that needed it."""
    origin: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Object -> the receptacles it was in or on before the agent first took it."""
    seen: set[str] = field(default_factory=set)
    """What was in sight after an action of the agent."""
    tried: dict[int, list[str]] = field(default_factory=dict)
    """Sub-goal -> instances that it was bound to."""
    poses: dict[int, int] = field(default_factory=dict)
    """Sub-goal -> how many poses the robot took for it."""

    def moved(self, standing_at: str | None, pose: BasePose | None) -> None:
        """The robot drove; what it stands at now (None: at nothing), and where."""
        self.standing_at, self.pose = standing_at, pose
        self.out_of_reach.clear()

    def exclude(self, object_id: str, action: str) -> None:
        """Never do this to the instance from here again."""
        if self.pose is not None:
            self.excluded_poses.setdefault((object_id, action), []).append(self.pose)
        self.out_of_reach.add(object_id)
        if self.standing_at == object_id:
            self.standing_at = None

    def observe(self, live: WorldModel) -> None:
        """Take in what is in sight after an action of the agent."""
        self.seen.update(belief.object_id for belief in live if belief.visible)

    def belief(self, live: WorldModel) -> WorldModel:
        """Return the model that the next step is decided on.

        Everything that is known is located. Near is what is in sight within reach and what the
        robot approached last, unless handling it from here was refused; `visible` means seen since
        the task began.
        """
        world = live.copy()
        world.located = set(world.objects)
        near = {belief.object_id for belief in live if belief.visible}
        if self.standing_at is not None:
            near.add(self.standing_at)
        world.near = near - self.out_of_reach
        for belief in world:
            belief.visible = belief.object_id in self.seen
        return world

    def remember_binding(self, goal: int, ids: Iterable[str | None]) -> None:
        """Note the instances that a sub-goal is bound to."""
        tried = self.tried.setdefault(goal, [])
        tried.extend(id_ for id_ in ids if id_ and id_ not in tried)
