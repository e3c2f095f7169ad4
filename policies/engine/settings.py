"""The pack's configuration, in the format of Pulumi's `--policy-pack-config` file.

{"required-labels": {"labels": {"team": "research"}}, "budget-ceiling": "mandatory", "label-values": "disabled"}

`all` sets the level of every rule without its own.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.errors import InputError
from gpucluster.policies.engine.rule import Rule

DISABLED: Final = "disabled"
REMEDIATE: Final = "remediate"
"""Level of a rule that fixes what it can before a resource is created; remaining findings are mandatory."""

_LEVELS: Final = ("advisory", "mandatory", DISABLED)
_ALSO: Final = (*_LEVELS, REMEDIATE)
_ALL: Final = "all"
_TYPES: Final[Mapping[str, tuple[type | tuple[type, ...], str]]] = {
    "string": (str, "a string"),
    "object": (dict, "an object"),
    "array": (list, "a list"),
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
}


class BadSettings(InputError):
    """The configuration cannot be used; the message has a line for each problem."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """
    levels: rule -> `advisory`, `mandatory`, `disabled` or, for a rule that supports it, `remediate`.
    configs: rule -> its own configuration.
    """

    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def over(self, others: Settings) -> Settings:
        """These before others: each level and each setting of a rule by itself."""
        configs = {name: {**others.configs.get(name, {}), **config} for name, config in self.configs.items()}
        return Settings(levels={**others.levels, **self.levels}, configs={**others.configs, **configs})

    @property
    def all(self) -> Mapping[str, Any]:
        """The settings of every rule, for what several rules read in the same way."""
        return {name: value for config in self.configs.values() for name, value in config.items()}


def read_settings(text: str, rules: Iterable[Rule]) -> Settings:
    """Settings from JSON; BadSettings lists every unknown rule, level and setting, and every wrong value."""
    try:
        read: object = parse(text)
    except BadJson as error:
        raise BadSettings(f"the configuration {error}") from None
    if not isinstance(read, dict):
        raise BadSettings("the configuration is not an object of rule names")
    known = {rule.name: rule for rule in rules}
    levels: dict[str, str] = {}
    configs: dict[str, Mapping[str, Any]] = {}
    problems: list[str] = []
    for name, value in cast("dict[str, object]", read).items():
        if name not in known and name != _ALL:
            problems.append(f"unknown rule `{name}`{_hint(name, known)}")
            continue
        given = dict(cast("Mapping[str, Any]", value)) if isinstance(value, dict) else {"enforcementLevel": value}
        level = given.pop("enforcementLevel", None)
        allowed = _ALSO if name in known and known[name].mends_by else _LEVELS
        if level is not None and level not in allowed:
            near = _near(str(level), allowed)
            problems.append(f"the level of `{name}` is {level!r}, not {', '.join(allowed)}{near}")
        elif level is not None:
            levels[name] = str(level)
        if name == _ALL:
            problems += [
                f"all: setting `{setting}` is not allowed; only enforcementLevel applies to all rules"
                for setting in given
            ]
            continue
        needed = known[name].mends_by
        if level == REMEDIATE and needed is not None and not given.get(needed):
            problems.append(f"{name}: level `{REMEDIATE}` needs the setting `{needed}`, which is missing")
        of_settings = (*unknown_settings(known[name], given), *_wrong(known[name], given))
        problems += [f"{name}: {problem}" for problem in of_settings]
        configs[name] = given
    if problems:
        raise BadSettings("\n".join(problems))
    every = levels.pop(_ALL, None)
    return Settings(levels=levels if every is None else {**dict.fromkeys(known, every), **levels}, configs=configs)


def unknown_settings(rule: Rule, config: Mapping[str, Any]) -> list[str]:
    """Settings that the rule does not have; the engine passes them on without an error."""
    has = rule.settings
    return [f"unknown setting `{name}`{_hint(name, has)}" for name in config if name not in has]


def _wrong(rule: Rule, config: Mapping[str, Any]) -> Iterator[str]:
    """Values that do not match the schema of the rule's settings."""
    for name, schema in rule.settings.items():
        if name in config:
            yield from _mismatches(config[name], schema, f"setting `{name}`")


def _mismatches(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    """Every mismatch of a value, or of what it contains, with a schema; `where` is the value's place."""
    if problem := _mismatch(value, schema):
        yield f"{where} is {json.dumps(value)}; {problem}"
        return
    inner: Mapping[str, Any] | None = schema.get("items") or schema.get("additionalProperties")
    members: Mapping[str, Any] = schema.get("properties", {})
    for key, entry in _entries(value) if isinstance(value, list | dict) and (inner or members) else ():
        if key in members or inner:
            yield from _mismatches(entry, members.get(key) or inner or {}, f"{where.removesuffix(',')}, entry {key},")
        else:
            yield f"{where} has an unknown entry `{key}`{_hint(key, members)}"


def _entries(value: Any) -> Iterable[tuple[Any, Any]]:
    return (
        cast("dict[str, Any]", value).items()
        if isinstance(value, dict)
        else enumerate(cast("list[Any]", value), start=1)
    )


def _mismatch(value: Any, schema: Mapping[str, Any]) -> str | None:
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    allowed: list[str] | None = schema.get("enum")
    if isinstance(value, bool) or not any(isinstance(value, _TYPES[type_][0]) for type_ in types):
        return f"write {' or '.join(_TYPES[type_][1] for type_ in types)}"
    if isinstance(value, dict) and (lacking := [key for key in schema.get("required", ()) if key not in value]):
        return f"it lacks {', '.join(lacking)}"
    if isinstance(value, str) and (problem := _problem_of_text(value, schema)):
        return problem
    if isinstance(value, list) and not value and schema.get("minItems"):
        return "write at least one entry"
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        return f"allowed: {least} to {most}" if most is not None else f"allowed: at least {least}"
    if allowed is None or value in allowed:
        return None
    return f"allowed: {', '.join(allowed)}{_near(str(cast(object, value)), allowed)}"


def _problem_of_text(value: str, schema: Mapping[str, Any]) -> str | None:
    if schema.get("minLength") and not value.strip():
        return "it must not be blank"
    if schema.get("minLength") and value != value.strip():
        return "remove the blanks at its ends"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        return f"write it like {schema['examples'][0]}"
    if schema.get("format") == "regex":
        try:
            re.compile(value)
        except re.error as error:
            return f"it is no regular expression: {error}"
    return None


def _hint(name: str, known: Mapping[str, Any]) -> str:
    return _near(name, known) or f"; it is one of: {', '.join(known) or 'none'}"


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
