"""The room around the objects, worked out from what is on record of a scene."""
