"""Pictures of the running scene, drawn by MuJoCo without a screen: colour, depth, masks, normals.

Nothing here is imported before a client asks for images, so a headless player stays light.
"""
