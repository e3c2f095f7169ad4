"""`make bench`: every bar in one run; exits with 1 if one is missed.

Programs start as under a released Pulumi, which users have. Previews are those of the given trial stacks, such as
`python -m tools.benchmarks gcp-trial`; by default of all known ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from gpucluster.sandbox.engine.language_host.children import NO_FORK_VARIABLE
from tools.benchmarks import clouds, commands, cost_plan, guardrails, preview, scale
from tools.benchmarks.harness import ROOT, report

_PARTS = (cost_plan, clouds, scale, guardrails, commands)


def _stacks(words: Sequence[str]) -> list[str]:
    """Ends the program if one is unknown."""
    known = sorted(path.stem.removeprefix("Pulumi.") for path in (ROOT / "stacks").glob("Pulumi.*-trial.yaml"))
    parser = argparse.ArgumentParser(
        prog="python -m tools.benchmarks", description="Measure every bar. Exit code 1: one is missed."
    )
    parser.add_argument("stacks", nargs="*", metavar="STACK", help=f"of {', '.join(known)}; all of them without")
    named: list[str] = parser.parse_args(words).stacks
    if unknown := [name for name in named if name not in known]:
        parser.error(f"no stack {', '.join(map(repr, unknown))} is measured; allowed: {', '.join(known)}")
    return named or known


if __name__ == "__main__":
    # If this is set, every preview recompiles the SDKs: a one-time cost for users that is not ours.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ[NO_FORK_VARIABLE] = "1"
    of_stacks = [bar for stack in _stacks(sys.argv[1:]) for bar in preview.bars(stack)]
    of_all = [bar for part in _PARTS for bar in part.bars()]
    sys.exit(report([*of_stacks, *of_all]))
