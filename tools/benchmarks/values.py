"""Wrong values: which of them the vendors' own documents refuse, and which the sandbox refuses.

`python -m tools.benchmarks.values [CLOUD...]` builds the trial of each cloud, changes every scalar of every type,
leaves out and adds what is optional, and checks each mutant with both: the judges of `gpucluster judge`, and the
simulated cloud. A false refusal is one by Check of a value that a judge accepts: relations to other resources are for
the rules. The bars: at least 95 % of a judge's refusals, and no false refusal.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.sandbox.clouds.judged import Table, measured
from tests.sandbox.clouds.mutants import PACKAGES, built
from tools.benchmarks.harness import Bar, report

_HEADS: Final = ("mutants", "judge", "sandbox", "both", "judge alone", "other values", "falsely")


def bars(cloud: str, table: Table) -> list[Bar]:
    """As shares, so that more is worse."""
    return [
        Bar(f"{cloud}: refused by a judge and taken by the sandbox", table.missed, 0.05, " "),
        Bar(f"{cloud}: values that a judge takes and the sandbox refuses", len(table.falsely), 0, " "),
    ]


def _print(cloud: str, table: Table) -> None:
    print(" ".join(f"{text:>12}" for text in ("", *_HEADS)))
    print(" ".join(f"{text:>12}" for text in (cloud, *table.numbers)))
    for title, found in (("judge alone", table.judge_alone), ("falsely", table.falsely)):
        for mutant, why in found.items():
            print(f"  {title}: {mutant.what}: {why[:160]}")


def _all(clouds: Sequence[str]) -> list[Bar]:
    found: list[Bar] = []
    for cloud in clouds:
        with tempfile.TemporaryDirectory() as folder:
            table = measured(built(cloud, Path(folder)), cloud)
        _print(cloud, table)
        found += bars(cloud, table)
    return found


if __name__ == "__main__":
    sys.exit(report(_all(sys.argv[1:] or list(PACKAGES))))
