"""Every pack. They run the same rules, but differ in the rules that stop a preview; training: each at its own level.

`policies` itself is the folder of the training pack; each other pack has a folder here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Enforcement, ReportRule
from gpucluster.policies.rules import rules

TRAINING: Final = Pack(
    name="training",
    description="Co-location, fabric, labels, storage, safety and budget of GPU training clusters",
    rules=rules(),
    mandatory=frozenset(rule.name for rule in rules() if rule.enforcement is Enforcement.MANDATORY),
)
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
    # The author of a program may not switch off the rules that stop it.
    program_exemptions=False,
)
PACKS: Final[Mapping[str, Pack]] = MappingProxyType({pack.name: pack for pack in (BASELINE, TRAINING, PRODUCTION)})
