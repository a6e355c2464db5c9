"""Entry points of the nodes."""

from typing import NoReturn

from milo_ros.node_main import run_node


def planner() -> NoReturn:
    """Run the node planner."""
    run_node("milo_planner.planner_node", "PlannerNode")


def world_model() -> NoReturn:
    """Run the node world_model."""
    run_node("milo_planner.world_model_node", "WorldModelNode")
