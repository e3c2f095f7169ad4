"""Sampled quotes whose spec costs something else in the program of its stack than was quoted; run by `test_quotes`.

Prints each, and at the end how many were sampled of which clouds.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from pathlib import Path

import yaml

from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.operate.quote.quotes import Answer, Quote, answer, assumed
from gpucluster.operate.quote.spec_values import budget_of, spec_text
from gpucluster.operate.quote.text import what
from tests.gpucluster.operate.quote.conftest import asked, nobody
from tools.pages import examples as pages

QUESTIONS = (
    {"gpus": "64", "lasting": "30d"},
    {"gpus": "64", "lasting": "1y"},
    {"gpus": "8", "lasting": "5d", "accelerators": "h200"},
    {"gpus": "8", "lasting": "5d"},
)
SAMPLED = 20


def sample(answers: list[Answer]) -> list[Quote]:
    """The same quotes each time for one price book, each cloud, machine and way among them as far as they go."""
    kinds: dict[tuple[str, str, str], list[Quote]] = {}
    for quote in (quote for found in answers for quote in found.quotes):
        one = quote.candidate
        kinds.setdefault((one.cloud, one.machine.machine_type, one.way.words), []).append(quote)
    chance = random.Random(0)
    one_each = [chance.choice(quotes) for quotes in kinds.values()]
    rest = [quote for quotes in kinds.values() for quote in quotes]
    return (chance.sample(one_each, min(SAMPLED, len(one_each))) + chance.sample(rest, SAMPLED))[:SAMPLED]


def main(folder: Path) -> None:
    book = PriceBook()
    chosen = sample([answer(asked(**given), book, nobody) for given in QUESTIONS])
    for quote in chosen:
        one, stack = quote.candidate, f"{quote.candidate.cloud}-trial"
        shutil.rmtree(folder / "stacks", ignore_errors=True)
        (folder / "stacks").mkdir()
        shutil.copy(pages.ROOT / "Pulumi.yaml", folder)
        text = spec_text(one.values, budget_of(quote.most_monthly), [], refuse=not one.way.assume)
        (folder / "stacks/spec.yaml").write_text(text)
        keys = {"spec": "spec.yaml", "cloud": one.cloud, **one.place, "machine": one.machine.machine_type}
        config = {"config": {f"gpucluster:{key}": value for key, value in keys.items()}}
        (folder / f"stacks/Pulumi.{stack}.yaml").write_text(yaml.safe_dump(config))
        with contextlib.chdir(folder):
            _, resources = pages._previewed(stack)
        found = estimate(resources, book, assumed(one))
        if (found.trial_total, found.monthly, found.gaps.trial) != (quote.total, quote.estimate.monthly, quote.gap):
            print(f"{what(quote)}: {found.trial_total} and not {quote.total}")
    print(len(chosen), *sorted({quote.candidate.cloud for quote in chosen}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main(Path(name))
