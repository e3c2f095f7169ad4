"""`python -m tests.sweep`: every fault at every operation of `up`, an update and `destroy` of the trial stacks.

Takes hours. Results are kept in a folder, and a run that is broken off goes on where it was. Prints the table of
docs/sweep.md.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click

from gpucluster.catalog.clouds import clouds
from gpucluster.sandbox.engine.language_host import children
from tests.sweep.cases import KINDS, Chain, Outcome, secrets_of, try_fault
from tests.sweep.recording import Recorder, Replayer, load, save
from tests.sweep.stage import Stage, copied, made, serving

_DIRECTIONS: Final = ("up", "update", "destroy")


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), default=Path(".sweep"), show_default=True)
@click.option("--stack", "names", multiple=True, help="Trial to sweep.  [default: all]")
@click.option("--direction", "directions", multiple=True, type=click.Choice(_DIRECTIONS), default=_DIRECTIONS)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), default=KINDS)
@click.option("--every", default=1, show_default=True, help="Operations apart.")
@click.option("--whole", default=20, show_default=True, help="Cases of a kind apart that run to the end.")
@click.option("--table", is_flag=True, help="Print the table of what is there; try nothing.")
def main(
    folder: Path,
    names: tuple[str, ...],
    directions: tuple[str, ...],
    kinds: tuple[str, ...],
    every: int,
    whole: int,
    table: bool,
) -> None:
    """Sweep the trial stacks with faults."""
    results = folder.absolute() / "results.jsonl"
    if not table:
        children.warm_up()
        for stack in names or [f"{cloud}-trial" for cloud in clouds()]:
            for direction in directions:
                sweep(folder.absolute() / stack, stack, direction, kinds, every, whole, results)
    print("\n".join(_table(_read(results))))
    sys.exit(int(any(row["problem"] for row in _read(results))))


def sweep(
    folder: Path, stack: str, direction: str, kinds: tuple[str, ...], every: int, whole: int, results: Path
) -> list[Outcome]:
    """Tries what has no result yet; returns what it tried."""
    recordings = _recorded(folder, stack)
    tried = {(row["stack"], row["direction"], row["at"], row["kind"]) for row in _read(results)}
    calls = load(recordings["update" if direction == "update" else "up"])
    secrets = secrets_of([json.loads(line) for line in (folder / "secrets.jsonl").read_text().splitlines()])
    found: list[Outcome] = []
    with serving(Replayer(calls)) as port:
        chain = _chain(folder, stack, direction, port)
        for at, kind in moments(chain.length, kinds, every):
            if (stack, direction, at, kind) in tried or (direction == "destroy" and kind == "partial"):
                continue
            outcome = try_fault(chain, at, kind, secrets, whole=(at - 1) // every % whole == whole - 1)
            found.append(outcome)
            with results.open("a") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
            print(f"{stack} {direction} {at}/{chain.length} {kind}: {outcome.problem or 'right'}", flush=True)
    return found


def moments(length: int, kinds: Sequence[str], every: int) -> list[tuple[int, str]]:
    """Each kind at operations that far apart; where some are left out, each kind leaves out others."""
    return sorted(
        (at, kind)
        for index, kind in enumerate(kinds)
        for at in range(1 + index * every // len(kinds), length + 1, every)
    )


def _recorded(folder: Path, stack: str) -> dict[str, Path]:
    """The registrations of the stack, and of its update: another owner, a node less. Made once."""
    files = {name: folder / f"{name}.json" for name in ("up", "update")}
    if not all(file.exists() for file in files.values()):
        empty = folder / "empty"
        stage = Stage(empty, stack) if empty.exists() else made(empty, stack, [])
        recorder = Recorder()
        with serving(recorder) as port:
            real = copied(stage, folder / "recorded")
            for name in files:
                if name == "update":
                    _change(real)
                ran = real.run("up", port=port)
                if ran.code:
                    raise click.ClickException(f"{stack} could not be recorded: {ran.output[-2000:]}")
                save(recorder.calls, files[name])
                (folder / "secrets.jsonl").open("a").writelines(_requests(recorder))
    return files


def _change(stage: Stage) -> None:
    spec = stage.root / "stacks" / "specs" / "trial.yaml"
    spec.write_text(spec.read_text().replace("nodes: 4", "nodes: 3", 1).replace("owner: ml-platform", "owner: other"))


def _requests(recorder: Recorder) -> Iterator[str]:
    from google.protobuf.json_format import MessageToDict
    from pulumi.runtime.proto import resource_pb2

    for call in recorder.calls:
        if call.method == "RegisterResource":
            message = resource_pb2.RegisterResourceRequest.FromString(call.request)
            yield json.dumps(MessageToDict(message.object)) + "\n"


def _chain(folder: Path, stack: str, direction: str, port: int) -> Chain:
    words = {"destroy": ("destroy", "--exclude-protected")}.get(direction, ("up",))
    start = Stage(folder / "empty", stack) if direction == "up" else _standing(folder, stack)
    chain = Chain(folder / direction, start, direction, words, port, 0)
    chain.folder.mkdir(exist_ok=True)
    chain.length = _length(chain)
    return chain


def _standing(folder: Path, stack: str) -> Stage:
    """The stack, all up."""
    root = folder / "standing"
    if not root.exists():
        with serving(Replayer(load(folder / "up.json"))) as port:
            stage = copied(Stage(folder / "empty", stack), folder / "standing-unfinished")
            ran = stage.run("up", port=port)
            if ran.code:
                raise click.ClickException(f"{stack} could not be replayed: {ran.output[-2000:]}")
            stage.root.rename(root)
    return Stage(root, stack)


def _length(chain: Chain) -> int:
    """How many operations the command has, undisturbed."""
    file = chain.folder / "length"
    if not file.exists():
        stage = copied(chain.start, chain.folder / "undisturbed")
        ran = chain.run(stage)
        if ran.code:
            raise click.ClickException(f"{chain.direction} of {stage.stack} fails by itself: {ran.output[-2000:]}")
        file.write_text(str(ran.requests))
    return int(file.read_text())


def _read(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "| stack | command | fault | operations tried | came right | ran to the end | seconds a case |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    groups: dict[tuple[str, int, int], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["stack"], _DIRECTIONS.index(row["direction"]), KINDS.index(row["kind"])].append(row)
    for (stack, direction, kind), found in sorted(groups.items()):
        right, whole = sum(not row["problem"] for row in found), sum(row["whole"] for row in found)
        seconds = sum(row["seconds"] for row in found) / len(found)
        names = f"{stack} | {_DIRECTIONS[direction]} | {KINDS[kind]}"
        yield f"| {names} | {len(found)} | {right} | {whole} | {seconds:.1f} |"


if __name__ == "__main__":
    main()
