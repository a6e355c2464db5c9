"""What counts as an action of the agent, and what it has seen since."""

from dataclasses import replace

from bridge_session_engine import SessionEngine

from milo_sim_bridge.engine import StepResult
from milo_sim_bridge.evidence import EpisodeEvidence


class Episode:
    """A scene whose engine actions are witnessed from the reset on."""

    def __init__(self, scene: str) -> None:
        self.engine = SessionEngine(scene)
        self.witness = EpisodeEvidence()
        self.witness.observe(self.engine.latest)

    def step(self, action: str, **arguments: object) -> StepResult:
        result = self.engine.step(action, **arguments)
        self.witness.observe(result)
        return result

    def visible(self) -> set[str]:
        objects = self.engine.latest.snapshot.objects.values()
        return {o.object_id for o in objects if o.visible}


def test_questions_and_pictures_are_no_doing_of_the_agent() -> None:
    episode = Episode("FloorPlan1")
    assert episode.visible()
    episode.step("Pass")
    episode.step("GetReachablePositions")
    episode.step("GetInteractablePoses", objectId=next(iter(episode.visible())))
    evidence = episode.witness.collect(episode.engine)
    assert (evidence.acted, evidence.seen, evidence.in_sight) == (False, frozenset(), frozenset())
    assert evidence.initial is episode.witness.initial(1)
    assert episode.witness.initial(2) is None


def test_what_is_visible_after_an_action_was_seen_for_ever() -> None:
    episode = Episode("FloorPlan1")
    start = episode.visible()
    episode.step("RotateRight")
    first = episode.visible()
    for _ in range(2):
        episode.step("RotateRight")
    evidence = episode.witness.collect(episode.engine, look=False)
    assert evidence.acted
    assert evidence.seen >= first | episode.visible()
    assert not start <= evidence.seen
    assert evidence.in_sight == frozenset()


def test_a_refused_action_is_none() -> None:
    episode = Episode("FloorPlan1")
    assert not episode.step("PickupObject", objectId="Unicorn|1").success
    assert not episode.witness.collect(episode.engine).acted
    episode.witness.act()  # but the skill that asked for it was called
    evidence = episode.witness.collect(episode.engine)
    assert evidence.acted
    assert evidence.in_sight >= episode.visible()


def test_looking_reaches_farther_than_the_arm() -> None:
    episode = Episode("FloorPlan1")
    for _ in range(3):
        episode.step("RotateRight")
    near = episode.visible()
    far = episode.witness.collect(episode.engine)
    assert far.in_sight > near
    assert far.seen >= far.in_sight
    assert episode.engine.actions[-1] == "GetVisibleObjects"


def test_a_reset_forgets() -> None:
    episode = Episode("FloorPlan1")
    episode.step("RotateRight")
    reset = replace(episode.engine.latest, episode=2)
    episode.witness.observe(reset)
    episode.engine.latest = reset
    evidence = episode.witness.collect(episode.engine)
    assert (evidence.acted, evidence.seen) == (False, frozenset())
    assert evidence.initial is reset.snapshot
