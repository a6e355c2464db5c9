"""Actions of AI2-THOR 5.0.0 that milo_sim refuses by name.

They are listed so that a client never takes a missing feature for a typing error.
"""

from typing import Final

# fmt: off
UNSUPPORTED: Final[frozenset[str]] = frozenset({
    "ChangeQuality", "ChangeTimeScale", "CoordinateFromRaycastThirdPartyCamera",
    "Look", "MoveAgent", "MoveArm", "MoveArmBase", "MoveHandForce", "PlaceHeldObject",
    "ReleaseObject", "RemoveObjectFromScene", "Rotate", "RotateAgent", "RotateHand",
    "SetHandSphereRadius", "SetObjectStates", "ToggleMapView",
})
# fmt: on
