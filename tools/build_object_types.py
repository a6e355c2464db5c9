"""Build src/milo_core/milo_core/data/object_types.json from the iTHOR type facts.

Usage: python tools/build_object_types.py SHARED_DATA/ithor/object_types.json

Plural forms are produced here (package inflect, only needed by this tool), so that resolving a
name at run time is one dictionary look-up.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import inflect

OUT = Path(__file__).parents[1] / "src/milo_core/milo_core/data/object_types.json"
RULES = {
    "in": "InReceptacles (all 8 box corners must be inside the trigger box)",
    "on": "OnReceptacles (at least 4 corners inside)",
    "in_bottom_corners": "InReceptaclesThatOnlyCheckBottomFourCorners (at least 4 corners inside)",
}
# Words of everyday English that are no AI2-THOR type name, per type.
ALIASES = {
    "AppleSliced": ["apple slice", "sliced apple"],
    "ArmChair": ["easy chair"],
    "Blinds": ["blind"],
    "Boots": ["boot"],
    "BreadSliced": ["bread slice", "sliced bread"],
    "CellPhone": ["mobile", "mobile phone", "phone", "smartphone"],
    "CoffeeMachine": ["coffee maker"],
    "CounterTop": ["counter", "kitchen counter"],
    "Curtains": ["curtain"],
    "DiningTable": ["dinner table"],
    "EggCracked": ["cracked egg"],
    "Faucet": ["tap"],
    "Fridge": ["refrigerator"],
    "GarbageCan": ["bin", "trash can", "garbage bin", "rubbish bin", "waste basket"],
    "HousePlant": ["potted plant"],
    "LaundryHamper": ["laundry basket"],
    "LettuceSliced": ["lettuce slice", "sliced lettuce"],
    "Newspaper": ["paper"],
    "PotatoSliced": ["potato slice", "sliced potato"],
    "RemoteControl": ["remote", "tv remote"],
    "SideTable": ["end table", "nightstand", "bedside table"],
    "Sofa": ["couch"],
    "StoveBurner": ["burner"],
    "TeddyBear": ["teddy"],
    "Television": ["tv", "tv set", "telly"],
    "TissueBox": ["box of tissues"],
    "ToiletPaper": ["toilet roll"],
    "TomatoSliced": ["tomato slice", "sliced tomato"],
    "VacuumCleaner": ["vacuum", "hoover"],
}
# What slicing makes of a type, and how many pieces: the highest slice numbers in the object ids of
# ALFRED's trajectories (github.com/askforalfred/alfred, MIT); an egg is cracked instead.
SLICES = {
    "Apple": ["AppleSliced", 3],
    "Bread": ["BreadSliced", 9],
    "Egg": ["EggCracked", 1],
    "Lettuce": ["LettuceSliced", 8],
    "Potato": ["PotatoSliced", 9],
    "Tomato": ["TomatoSliced", 7],
}
PLURAL_TYPES = frozenset({"Blinds", "Boots", "Curtains"})
FLAGS = {
    "pickupable": "pickupable",
    "moveable": "moveable",
    "receptacle": "receptacle",
    "openable": "openable",
    "toggleable": "toggleable",
    "breakable": "breakable",
    "dirtyable": "dirtyable",
    "cookable": "cookable",
    "sliceable": "sliceable",
    "fillable": "fillable",
    "usedUp": "can_be_used_up",
    "heatSource": "heat_source",
    "coldSource": "cold_source",
}


def spoken(name: str) -> str:
    """`RemoteControl` -> `remote control`, `CD` -> `cd`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).lower()


def kind_of(name: str, rules: dict[str, list[str]]) -> str | None:
    """Which of the engine's three corner rules applies to a receptacle of this type."""
    return next((kind for kind, key in RULES.items() if name in rules[key]), None)


def row(name: str, facts: dict[str, Any], meta: dict[str, Any], plural: str) -> dict[str, Any]:
    """One compact table row; absent keys mean false or none."""
    rules = meta["receptacleRules"]
    documented = facts.get("docActionableProperties") or ()
    out: dict[str, Any] = {
        # The 5.0.0 metadata never says that something can be used up; the documentation does.
        "flags": [
            ours
            for theirs, ours in FLAGS.items()
            if facts.get(theirs) or (theirs == "usedUp" and theirs in documented)
        ],
        "spoken": spoken(name),
        "plural": plural,
    }
    size = facts.get("localBoxSize5_0") or facts.get("assetBoxSize_procthor")
    size = size or facts.get("aabbSize5_0")
    optional = {
        "aliases": ALIASES.get(name),
        "placement_restrictions": facts.get("placementRestrictions"),
        "receptacle_kind": kind_of(name, rules),
        "must_be_open": name in rules["MustBeOpenToPlaceObjectsIn"],
        "all_points": any(name in v for k, v in rules.items() if k.startswith("ReturnAllPoints")),
        "always_upright": bool(facts.get("alwaysPlaceUpright")),
        "parent_id_prefix": any(name in v for k, v in rules.items() if k.startswith("UsePar")),
        "must_be_closed_to_turn_on": name in rules["MustBeClosedToTurnOn"],
        "open_receptacle": any(name in v for k, v in rules.items() if k.startswith("SpawnOnly")),
        "slices": SLICES.get(name),
        "object_specific": meta["objectSpecificReceptacles"].get(name),
        "box_size": [round(size[a]["median"], 4) for a in "xyz"] if size else None,
        "mass": (facts.get("mass_kg") or {}).get("median"),
        "materials": sorted(facts["salientMaterials"]) if facts.get("salientMaterials") else None,
    }
    out.update({k: v for k, v in optional.items() if v})
    return out


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    source = json.loads(parser.parse_args().source.read_text())
    meta, types = source["_meta"], source["types"]
    engine = inflect.engine()
    table = {}
    for name, facts in sorted(types.items()):
        word = spoken(name)
        plural = word if name in PLURAL_TYPES else engine.plural_noun(word)
        table[name] = row(name, facts, meta, plural)
    lines = [f"  {json.dumps(n)}: {json.dumps(r, sort_keys=True)}" for n, r in table.items()]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(table)} types written to {OUT}")


if __name__ == "__main__":
    main()
