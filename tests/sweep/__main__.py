"""`python -m tests.sweep`: every fault at every operation of `up`, an update and `destroy` of the trial stacks.

Takes hours. Results are kept in a folder, and a run that is broken off goes on where it was. Prints the table of
docs/reference/sweep.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from gpucluster.core.catalog.clouds import clouds
from gpucluster.sandbox.engine.language_host import children
from gpucluster.sandbox.machine.disk import scratch_folder
from tests.sweep.commands import DIRECTIONS, prepared
from tests.sweep.stage import Operation
from tests.sweep.tour import KINDS, Round, Tour

_ALONE: Final = ("throttled", "crash", "kill")
"""What comes in no groups, since it ends no command, or ends each."""
_NEVER_TOGETHER: Final = "update"
"""With --continue-on-error Pulumi itself loses resources of a stack that stands: docs/reference/sweep.md."""
_SAMPLE: Final = 10
"""Operations apart at which the other kinds are tried alone; together they are tried at all."""


@click.command()
@click.option("--folder", type=click.Path(resolve_path=True, path_type=Path), default=Path(".sweep"), show_default=True)
@click.option("--stack", "names", multiple=True, help="Trial to sweep.  [default: all]")
@click.option("--direction", "directions", multiple=True, type=click.Choice(DIRECTIONS), default=DIRECTIONS)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS)
@click.option("--jobs", default=1, show_default=True, help="Commands swept side by side.")
@click.option("--table", is_flag=True, help="Print the table of what is there; try nothing.")
def main(
    folder: Path,
    names: tuple[str, ...],
    directions: tuple[str, ...],
    kinds: tuple[str, ...],
    jobs: int,
    table: bool,
) -> None:
    """Sweep the trial stacks with faults."""
    parts = [(stack, each) for stack in names or [f"{cloud}-trial" for cloud in clouds()] for each in directions]
    ended_well = True
    if len(parts) > 1 and not table:
        options = [f"--folder={folder}", *(f"--kind={kind}" for kind in kinds)]
        program = [sys.executable, "-m", "tests.sweep", *options]
        with ThreadPoolExecutor(jobs) as pool:
            commands = [[*program, f"--stack={stack}", f"--direction={direction}"] for stack, direction in parts]
            ended_well = not any(list(pool.map(subprocess.call, commands)))
    elif not table:
        with scratch_folder() as scratch:
            children.warm_up(scratch)
            sweep(folder, *parts[0], kinds)
    rounds = [one for part in parts for one in _read(folder, *part)]
    print("\n".join(_table(rounds)))
    sys.exit(int(not ended_well or any(one.problem for one in rounds)))


def sweep(folder: Path, stack: str, direction: str, kinds: tuple[str, ...], every: int = 1) -> list[Round]:
    """Tries what has no result yet; returns what it tried. every: operations apart."""
    done, found = _read(folder, stack, direction), []
    with prepared(folder / stack, stack, direction) as (command, secrets):
        for kind, alone, operations in tours(command.order, direction, kinds, every):
            before = [one for one in done if (one.kind, one.alone) == (kind, alone)]
            if before and before[-1].last:
                continue
            for one in Tour(command, kind, alone, operations, secrets).rounds(before):
                found.append(one)
                with _results(folder, stack, direction).open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
                about = f"{stack} {direction} {kind}{', alone' * alone}: {len(one.operations)} of {len(operations)}"
                print(f"{about} in {one.seconds} s: {one.problem or 'right'}", flush=True)
    return found


def tours(
    order: tuple[Operation, ...], direction: str, kinds: tuple[str, ...], every: int
) -> Iterator[tuple[str, bool, tuple[Operation, ...]]]:
    """Each kind, whether its faults come alone, and at which operations."""
    for kind in kinds:
        if kind in _ALONE or direction == _NEVER_TOGETHER:
            yield kind, True, order[::every]
        # What is being deleted is not made in part.
        elif kind != "partial" or direction != "destroy":
            yield kind, False, order[::every]
            yield kind, True, order[:: every * _SAMPLE]


def _results(folder: Path, stack: str, direction: str) -> Path:
    return folder / stack / f"{direction}.jsonl"


def _read(folder: Path, stack: str, direction: str) -> list[Round]:
    file = _results(folder, stack, direction)
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return [Round(**row | {"operations": tuple(Operation(*each) for each in row["operations"])}) for row in rows]


def _table(rounds: list[Round]) -> Iterator[str]:
    yield "| stack | command | fault | operations that met it | runs | came right | seconds |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    tours: dict[tuple[str, str, str, bool], list[Round]] = {}
    for one in rounds:
        tours.setdefault((one.stack, one.direction, one.kind, one.alone), []).append(one)
    for (stack, direction, kind, alone), found in tours.items():
        fault = f"{kind}{', alone' * (alone and kind not in _ALONE)}{', so far' * (not found[-1].last)}"
        met, right = sum(len(one.operations) for one in found), sum(not one.problem for one in found)
        seconds = sum(one.seconds for one in found)
        yield f"| {stack} | {direction} | {fault} | {met} | {len(found)} | {right} | {seconds:.0f} |"


if __name__ == "__main__":
    main()
