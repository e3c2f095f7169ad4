"""A pack: which rules run, and which of them stop the preview."""

from __future__ import annotations

from dataclasses import dataclass

from policies.rule import Enforcement, Rule

__all__ = ["Pack"]


@dataclass(frozen=True, kw_only=True)
class Pack:
    """A selection of rules; `mandatory` names those promoted from advisory."""

    name: str
    description: str
    rules: tuple[Rule, ...]
    mandatory: frozenset[str]

    def enforcement(self, rule: Rule) -> Enforcement:
        return Enforcement.MANDATORY if rule.name in self.mandatory else rule.enforcement
