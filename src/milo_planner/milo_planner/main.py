"""Entry points of the nodes."""

from milo_ros.node_main import run_node


def planner() -> int:
    """Run the node planner; returns the exit code."""
    return run_node("milo_planner.planner_node", "PlannerNode")


def world_model() -> int:
    """Run the node world_model; returns the exit code."""
    return run_node("milo_planner.world_model_node", "WorldModelNode")
