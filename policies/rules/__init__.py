"""The rules, one file each.

A rule is registered by being here: every module of this folder has one `RULE`, whose name is that of the file with
hyphens. `NAME.yaml` beside it is its example. A rule with a check for each cloud has them as functions in the file, and
gives them to `per_cloud`; what rules share for a cloud is in `policies/clouds`.
"""

from __future__ import annotations

import functools
import pkgutil
from importlib import import_module

from gpucluster.policies.engine.rule import Enforcement, ReportRule, Rule


@functools.cache
def rules() -> tuple[Rule, ...]:
    """Every rule: mandatory ones first, report rules last; within these by `order`, then by name."""
    found: list[Rule] = [import_module(f"{__name__}.{module.name}").RULE for module in pkgutil.iter_modules(__path__)]
    return tuple(sorted(found, key=place))


def place(rule: Rule) -> tuple[bool, bool, int, str]:
    """Sort key of a rule in lists and reports."""
    return rule.enforcement is Enforcement.ADVISORY, isinstance(rule, ReportRule), rule.order, rule.name
