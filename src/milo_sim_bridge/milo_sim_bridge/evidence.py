"""What happened in an episode, as the strict rule wants to know it (milo_core.strict_goals)."""

from milo_core.snapshot import Snapshot
from milo_core.strict_goals import Evidence
from milo_sim_bridge import viewpoints
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skill_run import SkillEngine

_NOT_ACTING = ("Get", "Pass", "Reset", "Initialize", "SetRandomSeed", "Done")
"""Beginnings of the names of engine actions that are no doing of an agent."""


class EpisodeEvidence:
    """Collects the evidence of the running episode; used in the engine's thread only."""

    def __init__(self) -> None:
        self._initial: Snapshot | None = None
        self._episode = 0
        self._acted = False
        self._seen: set[str] = set()

    @property
    def initial(self) -> Snapshot | None:
        """The state right after the reset; None: no scene is loaded."""
        return self._initial

    def act(self) -> None:
        """Note that the agent called a skill, also one for which nothing had to move."""
        self._acted = True

    def observe(self, result: StepResult) -> None:
        """Take in an engine action; call it after every one."""
        if result.episode != self._episode:
            self._episode, self._initial = result.episode, result.snapshot
            self._acted, self._seen = False, set()
            return
        if result.success and not result.action.startswith(_NOT_ACTING):
            self._acted = True
        if self._acted:
            self._seen.update(o.object_id for o in result.snapshot.objects.values() if o.visible)

    def collect(self, engine: SkillEngine) -> Evidence:
        """Return the evidence up to now; asks the engine what is in the picture.

        Raises:
            EngineFailure: no scene is loaded, or the player died or hung.
        """
        in_sight: frozenset[str] = frozenset()
        if self._acted:
            in_sight = viewpoints.perceived(engine)
            self._seen |= in_sight
        latest = engine.latest.snapshot
        return Evidence(
            self._initial or latest, latest, frozenset(self._seen), in_sight, self._acted
        )
