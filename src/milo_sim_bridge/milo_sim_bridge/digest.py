"""A fingerprint of a scene's layout."""

import hashlib

from milo_core.snapshot import Snapshot


def scene_digest(snapshot: Snapshot) -> str:
    """Return the SHA-256, in hex, over the ids and poses of all objects.

    One line an object in the order of the ids: the id, position x y z in metres and rotation x y z
    in degrees, Unity's frame, with four decimals. Scenes with equal layouts have equal digests.
    """
    lines = []
    for object_id in sorted(snapshot.objects):
        obj = snapshot.objects[object_id]
        # Adding zero after rounding turns -0.0 into 0.0.
        numbers = (round(value, 4) + 0.0 for value in (*obj.position, *obj.rotation))
        lines.append(" ".join((object_id, *(f"{number:.4f}" for number in numbers))))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
