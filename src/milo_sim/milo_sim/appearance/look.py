"""What decides the look of one object."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from milo_sim.appearance.model import Model, Paint
from milo_sim.appearance.parts import Vector

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Look:
    """An object as its builder sees it.

    Attributes:
        object_type: AI2-THOR type name.
        size: Full size of the object's box as it is now [m].
        openness: 0 closed to 1 open.
        flags: State flags that are true, by their metadata names (``isToggled`` ...).
        liquid: Content of a filled vessel ("water", "coffee", "wine") or "".
        materials: Salient materials of the instance.
        asset_id: Model name of the instance, or "".
        seed: Selects among plausible colours; see ``build_parts``.
    """

    object_type: str
    size: Vector
    openness: float = 0.0
    flags: frozenset[str] = frozenset()
    liquid: str = ""
    materials: tuple[str, ...] = ()
    asset_id: str = ""
    seed: int = 0

    @property
    def half(self) -> Vector:
        """Half size of the box [m]."""
        return (self.size[0] / 2, self.size[1] / 2, self.size[2] / 2)

    @property
    def on(self) -> bool:
        """Switched on."""
        return "isToggled" in self.flags

    @property
    def broken(self) -> bool:
        """Broken to pieces."""
        return "isBroken" in self.flags

    @property
    def dirty(self) -> bool:
        """Stained."""
        return "isDirty" in self.flags

    @property
    def filled(self) -> bool:
        """Filled with a liquid."""
        return "isFilledWithLiquid" in self.flags

    @property
    def cooked(self) -> bool:
        """Cooked."""
        return "isCooked" in self.flags

    @property
    def used_up(self) -> bool:
        """Used up."""
        return "isUsedUp" in self.flags

    def made_of(self, *materials: str) -> bool:
        """Whether any of the materials is salient."""
        return any(material in self.materials for material in materials)

    def share(self, salt: str = "") -> float:
        """Number in [0, 1) that is always the same for this asset, type, seed and ``salt``."""
        return _share(f"{self.object_type}|{self.asset_id}|{self.seed}|{salt}")

    def choose(self, options: Sequence[T], salt: str = "") -> T:
        """One of the options, always the same for this asset, type, seed and ``salt``."""
        return options[int(self.share(salt) * len(options))]

    def common(self, options: Sequence[T], salt: str) -> T:
        """One of the options, the same for all objects with this seed, whatever their type."""
        return options[int(_share(f"{self.seed}|{salt}") * len(options))]

    def vary(self, paint: Paint, amount: float = 0.08, salt: str = "vary") -> Paint:
        """The paint, up to ``amount`` darker or lighter."""
        return paint.scaled(1.0 + amount * (2.0 * self.share(salt) - 1.0))


def _share(text: str) -> float:
    # The low bits of a CRC change in step with the last characters; a multiplication mixes them.
    mixed = (zlib.crc32(text.encode()) * 2654435761) % 2**32
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) % 2**32
    return (mixed ^ (mixed >> 13)) / 2**32


Builder = Callable[[Look], Model]
