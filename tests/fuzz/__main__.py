"""`python -m tests.fuzz [--cases N] [--seed N] [--only NUMBER]`: a table, the faults, and exit code 1 with any."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import click

from tests.fuzz.case import Result, folder_of, limit_memory, run
from tests.fuzz.inputs import KINDS


@click.command()
@click.option("--cases", default=20_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--only", type=int, help="Number of the one case to run.")
def fuzz(cases: int, seed: int, only: int | None) -> None:
    """Run mutated files of others through every command that reads some."""
    limit_memory(6)
    folder = folder_of(Path(tempfile.mkdtemp(prefix="fuzz-")) / "project")
    found: dict[str, list[Result]] = defaultdict(list)
    for number in range(cases) if only is None else [only]:
        result = run(seed, number, folder)
        found[result.kind].append(result)
        if only is not None:
            print(*result.command, result.said, sep="\n")
        if result.wrong:
            print(f"{number}: {result.wrong}: {' '.join(result.command)}: {result.said.strip()[-300:]}", flush=True)
        elif number % 1000 == 999:
            print(f"{number + 1} cases", file=sys.stderr, flush=True)
    print(f"{'input':<22}{'cases':>7}{'0':>7}{'1':>7}{'2':>7}{'wrong':>7}{'slowest, s':>12}")
    for kind in (kind for kind in KINDS if kind in found):
        results = found[kind]
        codes = Counter(it.code for it in results)
        slowest, wrong = max(it.seconds for it in results), sum(bool(it.wrong) for it in results)
        print(f"{kind:<22}{len(results):>7}{codes[0]:>7}{codes[1]:>7}{codes[2]:>7}{wrong:>7}{slowest:>12.2f}")
    sys.exit(any(it.wrong for results in found.values() for it in results))


if __name__ == "__main__":
    fuzz()
