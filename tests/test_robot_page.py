"""docs/robot.md names everything that the code offers."""

from pathlib import Path

import pytest

from milo_benchmark.robot_graph import ROBOT_ARGUMENTS
from milo_sim_bridge import check_driver
from milo_sim_bridge.adapters.translations import INTERFACES
from milo_sim_bridge.contract import load

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "robot.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("|")
]


def test_every_interface_of_the_contract_that_is_needed_is_named() -> None:
    for interface in load().interfaces:
        if interface.required or interface.one_of:
            assert f"`{interface.name}`" in PAGE.replace("`/tf", "`tf"), interface.name


def test_arguments_and_options() -> None:
    names = {row[0].strip("`") for row in ROWS}
    assert {argument.name for argument in ROBOT_ARGUMENTS} <= names
    options = {o for a in check_driver._parser()._actions for o in a.option_strings}
    for option in options - {"-h", "--help"}:
        assert f"`{option}" in PAGE, option


def test_parameters_of_mock_robot_with_their_defaults() -> None:
    pytest.importorskip("rclpy", reason="needs ROS 2")
    pytest.importorskip("milo_msgs", reason="needs the built message package")
    from milo_sim_bridge.mock_robot.node import PARAMETERS

    documented: dict[str, str] = {}
    for row in ROWS:
        if len(row) == 3:
            names, defaults = row[0].split(", "), row[1].split(", ")
            if len(names) == len(defaults):
                documented |= {n.strip("`"): d for n, d in zip(names, defaults, strict=True)}
    for name, default, _, _ in PARAMETERS:
        shown = f"{default:g}" if isinstance(default, int | float) else default
        assert documented[name] == shown, name


def test_standard_interfaces_as_they_are_mapped() -> None:
    for mapped in INTERFACES:
        (row,) = [r for r in ROWS if r[0] == f"{mapped.package}/{mapped.interface}"]
        assert row[1] == f"`{mapped.name}`"
        assert row[2].replace("`", "") == mapped.becomes
