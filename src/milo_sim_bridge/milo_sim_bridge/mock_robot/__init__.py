"""A small kinematic household robot: no simulator in it, the thing to copy for your own.

`home` reads the rooms and objects, `state` keeps what is where, `motion` drives, `skills` are what
the robot can do, `camera` makes images; all ROS-free. `node` wires them to ROS.
"""
