"""What the vendors' own documents say of mutants, beside what the simulated cloud says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.judges.verdicts import judged
from gpucluster.sandbox.clouds.types.limits import Limits
from tests.sandbox.clouds.mutants import LEFT_OUT, Mutant, Stand, others, random_wrong, unset, wrong

__all__ = ["Table", "measured"]

SEED: Final = 16
FRESH: Final = 500
"""Random mutants of a cloud, beside those of every scalar."""

_AT_ONCE: Final = 150
_BETWEEN_MUTANTS: Final = "overlaps with"
"""What cfn-lint says of two mutants of one subnet, which never stand together."""


@dataclass(frozen=True)
class Table:
    """What was found for a cloud.

    by_judge, by_sandbox: wrong mutants -> why they were refused. others: how many other values the judge takes, with
    what is optional left out. falsely: those of them that Check refuses, and why.
    """

    mutants: int
    by_judge: Mapping[Mutant, str]
    by_sandbox: Mapping[Mutant, str]
    others: int
    falsely: Mapping[Mutant, str]

    @property
    def judge_alone(self) -> Mapping[Mutant, str]:
        """What the judge refuses and the sandbox takes."""
        return {mutant: why for mutant, why in self.by_judge.items() if mutant not in self.by_sandbox}

    @property
    def missed(self) -> float:
        """Which part of what the judge refuses the sandbox takes."""
        return len(self.judge_alone) / max(len(self.by_judge), 1)

    @property
    def numbers(self) -> Sequence[int]:
        """One line of the table."""
        both = len(self.by_judge) - len(self.judge_alone)
        refused = [len(self.by_judge), len(self.by_sandbox), both, len(self.judge_alone)]
        return [self.mutants, *refused, self.others, len(self.falsely)]


def measured(stand: Stand, cloud: str, seed: int = SEED) -> Table:
    """What the judge and the simulated cloud say of the mutants of a stack that stands."""
    bad = [*wrong(stand), *random_wrong(stand, seed, FRESH), *unset(stand)]
    left_out = [mutant for mutant in bad if mutant.kind == LEFT_OUT]
    good = [*others(stand, Limits(f"gpucluster.sandbox.clouds.{cloud}")), *left_out]
    refused = refusals_of_judges(list(dict.fromkeys([*bad, *good])))
    ours = {mutant: why for mutant in bad if (why := stand.refusal(mutant))}
    taken = [mutant for mutant in good if mutant not in refused]
    return Table(
        mutants=len(bad),
        by_judge={mutant: refused[mutant] for mutant in bad if mutant in refused},
        by_sandbox=ours,
        others=len(taken),
        falsely={mutant: why for mutant in taken if (why := stand.check(mutant))},
    )


def refusals_of_judges(mutants: Sequence[Mutant]) -> Mapping[Mutant, str]:
    """The mutants that a judge refuses, and its words; a few at a time, for cfn-lint compares all of a template."""
    found: dict[Mutant, str] = {}
    for start in range(0, len(mutants), _AT_ONCE):
        found |= _refusals(mutants[start : start + _AT_ONCE])
    return found


def _refusals(mutants: Sequence[Mutant]) -> Mapping[Mutant, str]:
    named = {f"{mutant.urn}-{number}": mutant for number, mutant in enumerate(mutants)}
    resources = [Resource(urn=urn, type=it.type, name=str(urn), inputs=it.inputs) for urn, it in named.items()]
    said = {
        named[verdict.resource.urn]: "; ".join(
            f"{it.path}: {it.text}" for it in verdict.refusals if _BETWEEN_MUTANTS not in it.text
        )
        for verdict in judged(Resources(resources))
    }
    return {mutant: why for mutant, why in said.items() if why}
