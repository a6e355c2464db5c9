"""Actions of AI2-THOR 5.0.0 that milo_sim refuses by name.

They are listed so that a client never takes a missing feature for a typing error.
"""

from typing import Final

# fmt: off
UNSUPPORTED: Final[frozenset[str]] = frozenset({
    "BBoxDistance", "CameraCrack", "ChangeFOV", "ChangeQuality", "ChangeTimeScale",
    "CheckDroneCaught", "CheckUnobstructedPathBetweenObjectCenters", "CheckWhatObjectOn",
    "CheckWhatObjectsOn", "CloseVisibleObjects", "CoordinateFromRaycastThirdPartyCamera",
    "CreateObject", "DisableAllObjectsOfType", "DistanceToObject", "FlyAhead", "FlyBack", "FlyDown",
    "FlyLeft", "FlyRandomStart", "FlyRight", "FlyTo", "FlyUp", "GetMaterials",
    "GetMidLevelArmCollisions", "GetObjectHitFromRaycast", "GetShortestPath",
    "GetShortestPathToPoint", "HideAllObjects", "HideAllObjectsExcept", "HighlightObject",
    "LaunchDroneObject", "Look", "MakeAllObjectsBreakable", "MakeAllObjectsStationary",
    "MakeAllObjectsUnbreakable", "MakeObjectBreakable", "MakeObjectsOfTypeUnbreakable", "MoveAgent",
    "MoveArm", "MoveArmBase", "MoveArmRelative", "MoveContinuous", "MoveDroneLauncher",
    "MoveGlobal", "MoveHand", "MoveHandDelta", "MoveHandForce", "MoveHandMagnitude",
    "MoveMidLevelArm", "ObjectNavExpertAction", "OpenVisibleObjects", "OpenWithHand",
    "ParentObject", "PlaceHeldObject", "RandomizeSmoothness", "ReleaseObject",
    "RemoveObjectFromScene", "Rotate", "RotateAgent", "RotateContinuous", "RotateElbow",
    "RotateHand", "RotateHandRelative", "RotateWristRelative", "ScaleObject", "SetAgentRadius",
    "SetHandSphereRadius", "SetObjectStates", "SpawnAsset", "SpawnDroneLauncher",
    "SpawnTargetCircle", "TestActionDispatchConflict", "TestActionDispatchFindAmbiguous",
    "TestActionDispatchFindConflicts", "TestActionDispatchNoop", "TestActionDispatchNoopAllDefault",
    "TestActionDispatchNoopAllDefault2", "TestActionDispatchNoopServerAction",
    "TestActionDispatchSAAmbig", "TestActionDispatchSAAmbig2", "ToggleMapView", "UnhideAllObjects",
    "UnparentObject", "VisibleRange", "VisualizeGrid", "VisualizePath", "VisualizeShortestPaths",
})
# fmt: on
