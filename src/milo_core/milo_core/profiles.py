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
    binding: Literal["nearest_each_step"]
    """How a name finds its instance: `nearest_each_step` takes the instance nearest to the robot
    anew for every step, so that locating or approaching one instance counts for its whole type."""
    seeds_held_object: bool
    """Planning starts with the truth about the hand; else every sub-goal is planned as if the
    hand were empty."""
    force: bool
    """Skills skip the engine's visibility, distance and type checks."""
    navigation_mode: str
    """Mode of NavigateTo."""
    stay_without_pose: bool
    """An object without an interactable pose leaves the robot where it is, and the navigation
    counts as done; else it is a failure."""
    goal_rule: str
    """Rule of milo_core.goals."""


PROFILES: dict[str, Profile] = {
    "milo": Profile(
        name="milo",
        binding="nearest_each_step",
        seeds_held_object=False,
        force=True,
        navigation_mode="teleport",
        stay_without_pose=True,
        goal_rule="milo",
    ),
}
"""`milo` is comparable with the published results of MILO Benchmark v1.x."""


def get_profile(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        UnknownProfileError: names the choices.
    """
    if name not in PROFILES:
        raise UnknownProfileError(f"There is no profile '{name}'; use {', '.join(PROFILES)}.")
    return PROFILES[name]
