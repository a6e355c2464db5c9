from pathlib import Path

import pytest
import yaml

from milo_benchmark.graph import ArgumentError, RunArguments, run_graph
from milo_benchmark.robot_graph import RobotArguments, default_parameters_file, robot_graph


def graph(**texts: str):
    return robot_graph(RobotArguments.parse(texts))


def test_simulator_and_robot_differ_only_in_the_driver_and_in_where_facts_come_from():
    mock, sim = graph(), graph(driver="sim")
    assert [s.name for s in mock] == ["mock_robot", "world_model", "planner"]
    assert [s.name for s in sim] == ["thor_bridge", "world_model", "planner"]
    assert mock[2] == sim[2]
    assert mock[1].parameters == {"world_source": "sensed"}
    assert sim[1].parameters == {"world_source": "simulated"}
    run = run_graph(RunArguments.parse({}))
    assert [(s.package, s.executable) for s in run[:3]] == [(s.package, s.executable) for s in sim]


def test_a_driver_of_ones_own():
    driver = graph(driver="my_robot/my_driver.py")[0]
    assert (driver.package, driver.executable, driver.name) == (
        *("my_robot", "my_driver.py", "my_driver"),
    )
    assert [s.name for s in graph(driver="none")] == ["world_model", "planner"]


def test_a_namespace_takes_the_global_names_along():
    for spec in graph(namespace="/left/"):
        assert spec.namespace == "left"
        assert ("/tf", "tf") in spec.remappings
    assert all(spec.remappings == () for spec in graph())


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"driver": "gazebo"}, "mock, sim, none or PACKAGE/EXECUTABLE"),
        ({"driver": "a/b/c"}, "a/b/c"),
        ({"namespace": "my robot"}, "no namespace"),
        ({"params_file": "/nowhere.yaml"}, "/nowhere.yaml"),
        ({"player": "unity"}, "player"),
    ],
)
def test_bad_arguments_are_one_sentence(texts: dict[str, str], words: str):
    with pytest.raises(ArgumentError) as error:
        RobotArguments.parse(texts)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_the_shipped_parameters_exist_and_have_the_declared_defaults():
    pytest.importorskip("rclpy", reason="needs ROS 2")
    pytest.importorskip("milo_msgs", reason="needs the built message package")
    from milo_sim_bridge import parameters
    from milo_sim_bridge.mock_robot import node

    declared = {
        "thor_bridge": {p[0]: p[1] for p in parameters._PARAMETERS},
        "mock_robot": {p[0]: p[1] for p in node.PARAMETERS},
    }
    shipped = yaml.safe_load(default_parameters_file().read_text())
    assert all(set(entry) == {"ros__parameters"} for entry in shipped.values())
    for name, entry in shipped.items():
        node_name = Path(name).name
        if node_name in declared:
            values = entry["ros__parameters"]
            assert {k: declared[node_name][k] for k in values} == values
