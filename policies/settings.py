"""The pack's configuration, in the form of Pulumi's `--policy-pack-config` file.

{"required-labels": {"labels": {"team": "research"}}, "budget-ceiling": "mandatory", "label-values": "disabled"}
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from policies.rule import Rule, StackRule

__all__ = ["DISABLED", "BadSettings", "Settings", "misspelt", "read_settings"]

DISABLED: Final = "disabled"
_LEVELS: Final = ("advisory", "mandatory", DISABLED)


class BadSettings(Exception):
    """The configuration cannot be used; the message says why, in one line."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    levels: rule -> `advisory`, `mandatory` or `disabled`.
    configs: rule -> its own configuration.
    """

    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


def read_settings(text: str, rules: Iterable[Rule]) -> Settings:
    """Settings from JSON; BadSettings for a rule, level or setting that does not exist."""
    try:
        read: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadSettings(f"the configuration is not JSON (line {error.lineno}: {error.msg})") from None
    if not isinstance(read, dict):
        raise BadSettings("the configuration is not an object of rule names")
    known = {rule.name: rule for rule in rules}
    levels: dict[str, str] = {}
    configs: dict[str, Mapping[str, Any]] = {}
    for name, value in cast("dict[str, object]", read).items():
        if name not in known:
            raise BadSettings(f"rule `{name}` is not known{_hint(name, known)}")
        given = dict(cast("Mapping[str, Any]", value)) if isinstance(value, dict) else {"enforcementLevel": value}
        level = given.pop("enforcementLevel", None)
        if level is not None and level not in _LEVELS:
            raise BadSettings(f"the level of `{name}` is {level!r}, not {', '.join(_LEVELS)}")
        if level is not None:
            levels[name] = str(level)
        if problems := misspelt(known[name], given):
            raise BadSettings(f"{name}: {problems[0]}")
        configs[name] = given
    return Settings(levels=levels, configs=configs)


def misspelt(rule: Rule, config: Mapping[str, Any]) -> list[str]:
    """Settings the rule does not have; the engine passes them on without a word."""
    has: Mapping[str, Any] = rule.config if isinstance(rule, StackRule) else {}
    return [f"setting `{name}` is not known{_hint(name, has)}" for name in config if name not in has]


def _hint(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else f"; it is one of: {', '.join(known) or 'none'}"
