"""Standard interfaces on top of the robot contract, where their packages are installed.

`translations` turns requests of nav2_msgs, control_msgs, vision_msgs and simulation_interfaces into
those of the contract and back, on anything that has the fields; `node` serves what is there.
"""
