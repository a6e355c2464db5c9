"""Profiles: the rules under which an agent acts and is scored."""

from dataclasses import dataclass
from typing import Literal

from milo_core.errors import MiloError


class UnknownProfileError(MiloError):
    """A profile that doesn't exist."""


@dataclass(frozen=True)
class Profile:
    """One set of rules."""

    name: str
    binding: Literal["nearest_each_step", "per_sub_goal"]
    """How a name finds its instance: `nearest_each_step` takes the instance nearest to the robot
    anew for every step, so that locating or approaching one instance counts for its whole type;
    `per_sub_goal` keeps one instance for a sub-goal until it is explicitly bound to another."""
    reactive: bool
    """The agent observes while it acts: it skips what is true, plans anew when the world differs,
    recovers from refusals and tidies up; else it makes a static plan and stops at the first
    failure."""
    physics: Literal["published", "physical"]
    """Which preconditions and effects of milo_core.actions hold: `published` are those of MILO
    Benchmark v1.x, `physical` adds what holds where nothing is forced."""
    seeds_held_object: bool
    """Planning starts with the truth about the hand; else every sub-goal is planned as if the
    hand were empty."""
    force: bool
    """Skills skip the engine's visibility, distance and type checks."""
    any_receptacle_type: bool
    """Objects may go where the engine's table of allowed receptacle types does not foresee them,
    all other checks kept. (With `force` that is so anyway.)"""
    navigation_mode: str
    """Mode of NavigateTo."""
    stay_without_pose: bool
    """An object without an interactable pose leaves the robot where it is, and the navigation
    counts as done; else it is a failure."""
    goal_rule: str
    """Rule by which the agent counts as successful: of milo_core.goals, or `strict`, that of
    milo_core.strict_goals. Both are computed for every episode."""


PROFILES: dict[str, Profile] = {
    "milo": Profile(
        name="milo",
        binding="nearest_each_step",
        reactive=False,
        physics="published",
        seeds_held_object=False,
        force=True,
        any_receptacle_type=False,
        navigation_mode="teleport",
        stay_without_pose=True,
        goal_rule="milo",
    ),
    "strict": Profile(
        name="strict",
        binding="per_sub_goal",
        reactive=True,
        physics="physical",
        seeds_held_object=True,
        force=False,
        any_receptacle_type=True,
        navigation_mode="path",
        stay_without_pose=False,
        goal_rule="strict",
    ),
}
"""`milo` is comparable with the published results of MILO Benchmark v1.x; `strict` is what a robot
without a helping hand has to do. docs/profiles.md compares them."""


def get_profile(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        UnknownProfileError: names the choices.
    """
    if name not in PROFILES:
        raise UnknownProfileError(f"There is no profile '{name}'; use {', '.join(PROFILES)}.")
    return PROFILES[name]
