"""Actions of AI2-THOR 5.0.0 that milo_sim refuses by name.

They are listed so that a client never takes a missing feature for a typing error.
"""

from typing import Final

# fmt: off
UNSUPPORTED: Final[frozenset[str]] = frozenset({
    "AdvancePhysicsStep", "BreakObject", "ChangeQuality", "ChangeTimeScale",
    "CleanObject", "CookObject", "CoordinateFromRaycastThirdPartyCamera", "CreateHouse",
    "DirectionalPush", "DirtyObject", "DisableObject", "DisableTemperatureDecay",
    "EmptyLiquidFromObject", "EnableObject", "EnableTemperatureDecay", "FillObjectWithLiquid",
    "Get2DSemanticHull", "Get2DSemanticHulls", "GetCoordinateFromRaycast",
    "GetMapViewCameraProperties", "GetObjectInFrame", "GetObjectMetadata", "GetSceneBounds",
    "GetSpawnCoordinatesAboveReceptacle", "GetVisibilityPoints", "GetVisibleObjects", "HideObject",
    "InitialRandomSpawn", "Look", "MakeAllObjectsMoveable",
    "MakeObjectsStaticKinematicMassThreshold", "MoveAgent", "MoveArm", "MoveArmBase",
    "MoveHandAhead", "MoveHandBack", "MoveHandDown", "MoveHandForce", "MoveHandLeft",
    "MoveHandRight", "MoveHandUp", "MoveHeldObject", "MoveHeldObjectAhead", "MoveHeldObjectBack",
    "MoveHeldObjectDown", "MoveHeldObjectLeft", "MoveHeldObjectRight", "MoveHeldObjectUp",
    "PausePhysicsAutoSim", "PerformRaycast", "PlaceHeldObject", "PlaceObjectAtPoint", "PullObject",
    "PushObject", "RandomizeColors", "RandomizeLighting", "RandomizeMaterials", "ReleaseObject",
    "RemoveFromScene", "RemoveObjectFromScene", "ResetColors", "ResetLighting", "ResetMaterials",
    "ResetObjectFilter", "Rotate", "RotateAgent", "RotateHand", "RotateHeldObject",
    "SetHandSphereRadius", "SetMassProperties", "SetObjectFilter", "SetObjectFilterForType",
    "SetObjectPoses", "SetObjectStates", "SetRandomSeed", "SetTemperatureDecayTime", "SliceObject",
    "TeleportObject", "ThrowObject", "ToggleMapView", "ToggleObjectOff", "ToggleObjectOn",
    "TouchThenApplyForce", "UnhideObject", "UnpausePhysicsAutoSim", "UseUpObject",
})
# fmt: on
