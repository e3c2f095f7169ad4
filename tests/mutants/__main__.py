"""`python -m tests.mutants [--count N] [--area AREA] [--seed N]`: the score, what survived, exit code 1 below 90 %."""

from __future__ import annotations

import csv
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

import click

from gpucluster.core.cache import cache_folder
from tests.mutants.choose import AREAS, Mutant, chosen, shares
from tests.mutants.trial import Tree

_ROOT: Final = Path(__file__).parents[2]
_EQUIVALENT: Final = Path(__file__).with_name("equivalent.csv")
_WANTED: Final = 0.9


@click.command()
@click.option("--count", default=300, show_default=True, help="Mutants of all areas.")
@click.option("--area", "areas", multiple=True, type=click.Choice(AREAS), default=AREAS, help="Try these only.")
@click.option("--seed", default=1, show_default=True, help="Another sample.")
@click.option("--jobs", default=1, show_default=True, help="Mutants tried at once.")
@click.option("--only", help="Key of the one mutant to try.")
def mutants(count: int, areas: tuple[str, ...], seed: int, jobs: int, only: str | None) -> None:
    """Change the code in one place at a time, and run the quick tests of its area."""
    with _EQUIVALENT.open(newline="") as file:
        never = {row["key"] for row in csv.DictReader(file)}
    of_each = shares(_ROOT, count)
    print(f"{'area':<14}{'mutants':>9}{'killed':>9}{'score':>9}")
    survivors: list[Mutant] = []
    enough = True
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees: SimpleQueue[Tree] = SimpleQueue()
        for job in range(jobs):
            trees.put(Tree(_ROOT, Path(folder) / str(job), cache_folder()))
        for name in areas:
            tried = [it for it in chosen(_ROOT, name, of_each[name], seed, never) if only in (None, it.key)]
            survived = _survivors(tried, name, trees, jobs)
            if tried:
                score = 1 - len(survived) / len(tried)
                print(f"{name:<14}{len(tried):>9}{len(tried) - len(survived):>9}{score:>9.0%}", flush=True)
                enough = enough and score >= _WANTED
            survivors += survived
    for mutant in survivors:
        print(f"\n{mutant.file}:{mutant.line} survived ({mutant.key})\n{mutant.diff}")
    sys.exit(not enough)


def _survivors(tried: list[Mutant], name: str, trees: SimpleQueue[Tree], jobs: int) -> list[Mutant]:
    tree = trees.get()
    area = tree.measured(name, f"tests/{name}", _ROOT / ".sandbox" / "mutants")
    trees.put(tree)
    if area.failed:
        print(f"{name}: {len(area.failed)} tests fail without a change", file=sys.stderr)

    def survives(mutant: Mutant) -> bool:
        tree = trees.get()
        try:
            found = tree.survives(mutant, area)
        finally:
            trees.put(tree)
        print(f"{mutant.file}:{mutant.line} {'survives' if found else 'dies'}", file=sys.stderr, flush=True)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return [mutant for mutant, found in zip(tried, pool.map(survives, tried), strict=True) if found]


if __name__ == "__main__":
    mutants()
