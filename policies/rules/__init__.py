"""One rule per folder, found automatically: its `RULE`, the checks of clouds beside it, and its example."""

from __future__ import annotations

import functools
from importlib import import_module
from pathlib import Path

from gpucluster.policies.rule import Enforcement, ReportRule, Rule


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Every rule: mandatory ones first, report rules last; within these by `order`, then by name."""
    names = [file.parent.name for folder in __path__ for file in Path(folder).glob("*/__init__.py")]
    found: list[Rule] = [import_module(f"{__name__}.{name}").RULE for name in names]
    return tuple(sorted(found, key=_place))


def _place(rule: Rule) -> tuple[bool, bool, int, str]:
    return rule.enforcement is Enforcement.ADVISORY, isinstance(rule, ReportRule), rule.order, rule.name
