"""A pack: which rules run, and which of them stop a preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gpucluster.policies.engine.exemptions import Grant
from gpucluster.policies.engine.rule import ChangeRule, Enforcement, Rule
from gpucluster.policies.engine.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Pack:
    """A selection of rules; `mandatory` names those that stop a preview.

    program_exemptions: whether exemptions that a program registers count, or only those of the pack's configuration.
    settings: its own levels and settings, below those of a run. version: in Pulumi; empty for the default.
    """

    name: str
    description: str
    rules: tuple[Rule, ...]
    mandatory: frozenset[str]
    program_exemptions: bool = True
    settings: Settings = field(default_factory=Settings)
    version: str = ""

    @property
    def change_rules(self) -> tuple[ChangeRule, ...]:
        """Rules for deletions and replacements, which run on plan files and not in a policy pack."""
        return tuple(rule for rule in self.rules if isinstance(rule, ChangeRule))

    def grant(self, configs: Mapping[str, Mapping[str, Any]], computed_ends: frozenset[str] | None = None) -> Grant:
        """By the settings of the rules. computed_ends: see `Grant`."""
        names = [rule.name for rule in self.rules]
        return Grant.of(configs, names, trusts=self.program_exemptions, computed=computed_ends)

    def enforcement(self, rule: Rule) -> Enforcement:
        """Its level without settings."""
        return Enforcement.MANDATORY if rule.name in self.mandatory else Enforcement.ADVISORY
