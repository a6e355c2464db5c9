"""`check_driver`: does the driver in this graph keep the robot contract?

Exit code 0: it does. 1: it does not; the table and the sentences below it say where. 2: the
contract file or an argument can't be used. Arguments are read before anything heavy is imported.
"""

import argparse
import json
import os
import sys
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from milo_core.errors import MiloError
from milo_sim_bridge.contract import Contract, load
from milo_sim_bridge.contract_findings import Check, Finding, Status
from milo_sim_bridge.contract_rules import failed, judge

EXIT_KEPT, EXIT_BROKEN, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
_SIGNS = {Status.PASSED: "ok", Status.FAILED: "FAIL", Status.SKIPPED: "-"}


def check(
    contract: Contract,
    namespace: str = "",
    *,
    read_only: bool = False,
    scene: str = "",
    duration: float = 3.0,
    timeout: float = 5.0,
    domain: int | None = None,
) -> list[Finding]:
    """Look at the driver of a running graph and judge it.

    Args:
        contract: what it must offer.
        namespace: where its relative names are.
        read_only: listen only; for a bag that is played.
        scene: let a simulator load this scene first.
        duration: seconds to listen.
        timeout: seconds to wait for interfaces, and then for answers.
        domain: ROS domain id; None: that of the environment.

    Raises:
        MiloError: the scene can't be loaded.
    """
    import rclpy
    from rclpy.context import Context

    from milo_sim_bridge.driver_probe import DriverProbe

    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain)
    try:
        # A name of its own, so that two checks at once don't take each other for the driver.
        node = rclpy.create_node(f"check_driver_{uuid.uuid4().hex[:8]}", context=context)
        probe = DriverProbe(node, contract, namespace, read_only)
        try:
            if scene:
                probe.load_scene(scene, max(timeout, 60.0))
            probe.wait_until_present(timeout)
            probe.listen(duration)
            if not read_only:
                probe.try_refusals(timeout)
            return judge(contract, probe.observed, read_only)
        finally:
            probe.close()
            node.destroy_node()
    finally:
        rclpy.try_shutdown(context=context)


def report(contract: Contract, findings: Sequence[Finding]) -> None:
    """Print the table, and one sentence for everything that is wrong."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    table = Table(title=f"{contract.name} {contract.version}", title_justify="left")
    for heading in ("interface", "kind", *Check):
        table.add_column(str(heading))
    styles = {Status.PASSED: "green", Status.FAILED: "bold red", Status.SKIPPED: "dim"}
    for interface in contract.interfaces:
        cells = _cells([f for f in findings if f.interface == interface.name])
        if cells:
            shown = [
                Text(_SIGNS[cells[c]], styles[cells[c]]) if c in cells else Text() for c in Check
            ]
            table.add_row(interface.name, interface.kind, *shown)
    console.print(table)
    broken = failed(findings)
    for finding in broken:
        console.print(
            Text.assemble(
                ("FAIL ", "bold red"), (f"{finding.interface} {finding.check}: "), finding.detail
            )
        )
    verdict = f"{len(broken)} checks failed." if broken else "The driver keeps the contract."
    console.print(verdict)


def _cells(findings: Sequence[Finding]) -> dict[Check, Status]:
    """The worst verdict of each check."""
    order = [Status.SKIPPED, Status.PASSED, Status.FAILED]
    cells: dict[Check, Status] = {}
    for finding in findings:
        known = cells.get(finding.check, finding.status)
        cells[finding.check] = max(known, finding.status, key=order.index)
    return cells


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="check_driver",
        description="Check the driver of the running graph against the robot contract.",
    )
    parser.add_argument("--contract", type=Path, metavar="FILE", help="default: the shipped one")
    parser.add_argument("--namespace", default="", help="where the driver's names are")
    parser.add_argument(
        "--read-only", action="store_true", help="listen only: for a bag that is played"
    )
    parser.add_argument("--scene", default="", help="let a simulator load this scene first")
    parser.add_argument(
        "--duration", type=_positive, default=3.0, metavar="S", help="seconds to listen (3)"
    )
    parser.add_argument(
        "--timeout", type=_positive, default=5.0, metavar="S", help="seconds to wait (5)"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    return parser


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 86400:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds above 0")
    return value


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(_without_ros_arguments(arguments))
    try:
        contract = load(options.contract)
        findings = check(
            contract,
            options.namespace,
            read_only=options.read_only,
            scene=options.scene,
            duration=options.duration,
            timeout=options.timeout,
        )
    except MiloError as error:
        print(f"check_driver: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    if options.json:
        print(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        report(contract, findings)
        if not any(f.check is Check.PRESENT and f.status is Status.PASSED for f in findings):
            print(
                f"Nothing of the contract was found in ROS domain "
                f"{os.environ.get('ROS_DOMAIN_ID', '0')}, namespace "
                f"/{options.namespace.strip('/')}; is the driver running there?"
            )
    return EXIT_BROKEN if failed(findings) else EXIT_KEPT


def _without_ros_arguments(arguments: Sequence[str] | None) -> list[str]:
    """`ros2 run` and launch files may add arguments for rclpy; nothing here takes any."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return given[: given.index("--ros-args")] if "--ros-args" in given else given


def main() -> int:
    """Entry point."""
    return run()


if __name__ == "__main__":
    sys.exit(main())
