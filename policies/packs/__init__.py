"""Every pack. They run the same rules, but differ in the rules that stop a preview.

`policies` itself is the folder of the training pack; each other pack has a folder here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from gpucluster.policies.pack import Pack
from gpucluster.policies.rule import ReportRule
from gpucluster.policies.training import PACK as TRAINING

__all__ = ["BASELINE", "PACKS", "PRODUCTION", "TRAINING"]

BASELINE: Final = replace(
    TRAINING,
    name="baseline",
    description="The rules of the training pack, all advisory: no finding stops a preview",
    mandatory=frozenset(),
)
PRODUCTION: Final = replace(
    TRAINING,
    name="production",
    description="The rules of the training pack, all mandatory; exemptions count from the pack's configuration alone",
    # Undecided and accepted findings are reported and stop nothing.
    mandatory=frozenset(rule.name for rule in TRAINING.rules if not isinstance(rule, ReportRule)),
    # Whoever writes a program may not switch off what stops it.
    program_exemptions=False,
)
PACKS: Final[Mapping[str, Pack]] = MappingProxyType({pack.name: pack for pack in (BASELINE, TRAINING, PRODUCTION)})
