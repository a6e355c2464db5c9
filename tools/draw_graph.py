"""Draw the running node graph of `./milo run` into docs/images/graph.svg.

Starts the very nodes of milo_benchmark.graph, asks ROS 2 what they publish, subscribe, serve and
call, and lays it out with Graphviz (Debian package graphviz).

Usage: source the workspace, then python tools/draw_graph.py
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from milo_benchmark.domain import own_domain
from milo_benchmark.graph import RunArguments, run_graph
from milo_benchmark.supervisor import find_executable, node_environment, ros_arguments

OUT = Path(__file__).parents[1] / "docs/images/graph.svg"
TIMEOUT = 30.0
HIDDEN = (
    "rosout",
    "parameter_events",
    "get_type_description",
    "_parameters",
    "_parameters_atomically",
    "_parameter_types",
)


@dataclass
class Links:
    """Who offers and who uses each name; a name is a topic, a service or an action."""

    kinds: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    sources: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    sinks: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(
        self, kind: str, name: str, type_name: str, *, source: str = "", sink: str = ""
    ) -> None:
        """Note one end of a link."""
        self.kinds[name], self.types[name] = kind, type_name.rpartition("/")[2]
        if source:
            self.sources[name].add(source)
        if sink:
            self.sinks[name].add(sink)

    def complete(self) -> list[str]:
        """Return the names that connect two nodes."""
        return sorted(n for n in self.kinds if self.sources[n] and self.sinks[n])


@contextmanager
def running_graph(domain: int) -> Iterator[list[str]]:
    """Start the nodes, the orchestrator waiting for goals; yields their names."""
    with tempfile.TemporaryDirectory() as folder:
        specs = run_graph(RunArguments.parse({"out": f"{folder}/out"}))
        environment = node_environment(domain, Path(folder))
        processes = []
        for spec in specs:
            if "autostart" in spec.parameters:
                spec = replace(spec, parameters={**spec.parameters, "autostart": False})
            command = [*find_executable(spec), *ros_arguments(spec)]
            processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
        try:
            yield [spec.name for spec in specs]
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(10)


def read_links(nodes: list[str]) -> Links:
    """Ask the graph until nothing new appears for a second."""
    import rclpy
    from rclpy.action import get_action_client_names_and_types_by_node as action_clients
    from rclpy.action import get_action_server_names_and_types_by_node as action_servers

    rclpy.init()
    node = rclpy.create_node("draw_graph")
    links, size, quiet_since, end = Links(), -1, time.monotonic(), time.monotonic() + TIMEOUT
    while time.monotonic() < end and time.monotonic() - quiet_since < 2.0:
        rclpy.spin_once(node, timeout_sec=0.2)
        seen = {name for name, _ in node.get_node_names_and_namespaces()}
        for name in set(nodes) & seen:
            for kind, names, end_of_link in (
                ("topic", node.get_publisher_names_and_types_by_node(name, "/"), "source"),
                ("topic", node.get_subscriber_names_and_types_by_node(name, "/"), "sink"),
                ("service", node.get_service_names_and_types_by_node(name, "/"), "sink"),
                ("service", node.get_client_names_and_types_by_node(name, "/"), "source"),
                ("action", action_servers(node, name, "/"), "sink"),
                ("action", action_clients(node, name, "/"), "source"),
            ):
                for entry, types in names:
                    if "_action/" not in entry and not entry.endswith(HIDDEN):
                        links.add(kind, entry, types[0], **{end_of_link: name})
        if len(seen & set(nodes)) < len(nodes) or len(links.kinds) != size:
            size, quiet_since = len(links.kinds), time.monotonic()
    rclpy.shutdown()
    return links


def to_dot(nodes: list[str], links: Links) -> str:
    """Write the links as a Graphviz digraph; one arrow a pair of nodes and kind."""
    style = {"topic": "solid", "service": "dashed", "action": "bold"}
    color = {"topic": "#2b6cb0", "service": "#6b7280", "action": "#b7410e"}
    arrows: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name in links.complete():
        for source in links.sources[name]:
            for sink in links.sinks[name] - {source}:
                arrows[source, sink, links.kinds[name]].append(name.lstrip("/"))
    lines = [
        "digraph milo {",
        '  graph [rankdir=LR, nodesep=0.6, ranksep=1.3, fontname="Helvetica", bgcolor=white];',
        '  node [shape=box, style="rounded,filled", fillcolor="#eef2f7", fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
        *(f'  {name} [label="{name}"];' for name in nodes),
    ]
    for (source, sink, kind), names in sorted(arrows.items()):
        label = "\\n".join(names)
        lines.append(
            f'  {source} -> {sink} [label="{label}", style={style[kind]}, '
            f'color="{color[kind]}", fontcolor="{color[kind]}"];'
        )
    return "\n".join([*lines, "}"])


def main() -> None:
    """Draw the picture."""
    if shutil.which("dot") is None:
        sys.exit("Graphviz is missing; install the package graphviz.")
    with own_domain() as domain, running_graph(domain) as nodes:
        os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        links = read_links(nodes)
    dot = to_dot(nodes, links)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["dot", "-Tsvg", "-o", str(OUT)], input=dot, text=True, check=True)
    print(f"{len(links.complete())} links between {len(nodes)} nodes drawn into {OUT}")


if __name__ == "__main__":
    main()
