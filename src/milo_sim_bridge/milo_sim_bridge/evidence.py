"""What happened in an episode, as the strict rule wants to know it (milo_core.strict_goals)."""

from milo_core.snapshot import Snapshot
from milo_core.strict_goals import Evidence
from milo_sim_bridge import viewpoints
from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.skill_run import SkillEngine

_NOT_ACTING = ("Get", "Pass", "Reset", "Initialize", "SetRandomSeed", "Done")
"""Beginnings of the names of engine actions that are no doing of an agent."""


class EpisodeEvidence:
    """Collects the evidence of the running episode; written in the engine's thread only."""

    def __init__(self) -> None:
        self._first: StepResult | None = None
        self._acted = False
        self._seen: set[str] = set()

    def initial(self, episode: int) -> Snapshot | None:
        """Return the state right after an episode's reset (any thread); None: of another one."""
        first = self._first
        return first.snapshot if first is not None and first.episode == episode else None

    def act(self) -> None:
        """Note that the agent called a skill, also one for which nothing had to move."""
        self._acted = True

    def observe(self, result: StepResult) -> None:
        """Take in an engine action; call it after every one."""
        if self._first is None or result.episode != self._first.episode:
            self._first = result
            self._acted, self._seen = False, set()
            return
        if result.success and not result.action.startswith(_NOT_ACTING):
            self._acted = True
        if self._acted:
            self._seen.update(o.object_id for o in result.snapshot.objects.values() if o.visible)

    def collect(self, engine: SkillEngine, *, look: bool = True) -> Evidence:
        """Return the evidence up to now.

        Args:
            engine: the simulator; nothing is changed.
            look: ask it what is in the picture, at any distance; only finding needs that.

        Raises:
            EngineFailure: no scene is loaded, or the player died or hung.
        """
        in_sight: frozenset[str] = frozenset()
        if self._acted and look:
            in_sight = viewpoints.perceived(engine)
            self._seen |= in_sight
        latest = engine.latest
        final = latest.snapshot
        initial = self.initial(latest.episode) or final
        return Evidence(initial, final, frozenset(self._seen), in_sight, self._acted)
