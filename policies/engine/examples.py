"""The example of a rule, `rules/NAME.yaml`: a passing program, and a change that makes it fail, as in Pulumi YAML.

    resources:        # name -> type, properties; `component: true` for a component, whose properties are its facts
    fail:             # name -> properties, merged over those of the resource (null removes one)

`${name}` refers to a value from another resource. For a rule about changes, `fail` is a list of names that the plan
deletes, or of `replace NAME` and `create NAME`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.core.program.readers.records import UNKNOWN_TEXT
from gpucluster.core.program.values import is_list, is_object

_RULES: Final = Path(__file__).parents[1] / "rules"
_CONFIG: Final = {"aws:region": "us-east-1", "gcp:region": "us-central1", "azure-native:location": "eastus2"}

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""In C, if PyYAML was built with it."""

_REPLACE: Final = "replace "
_CREATE: Final = "create "

_REFERENCE: Final = re.compile(r"\$\{([\w-]+)\}")


@dataclass(frozen=True, kw_only=True)
class Example:
    """resources: name -> type and properties. fail: the merged properties, or the ended resources."""

    resources: Mapping[str, Any]
    fail: Mapping[str, Any] | list[str]

    @property
    def failing(self) -> dict[str, Any]:
        """The resources of the failing program, except those a plan deletes."""
        if isinstance(self.fail, list):
            return {name: of for name, of in self.resources.items() if name not in self.fail}  # replaced ones stay
        changed = self.fail
        return {
            name: {**of, "properties": _laid({**of.get("properties", {}), **changed.get(name, {})})}
            for name, of in self.resources.items()
        }


def _laid(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value is not None}


@functools.cache
def example_of(rule: str) -> Example | None:
    """The example of a rule, None without one."""
    file = _RULES / f"{rule.replace('-', '_')}.yaml"
    return Example(**yaml.load(file.read_text(encoding="utf-8"), _LOADER)) if file.is_file() else None


def plan_of(example: Example, *, fails: bool) -> dict[str, Any]:
    """The output of `pulumi preview --json --show-sames` for the passing or failing program."""
    urns = {name: f"urn:pulumi:example::example::{of['type']}::{name}" for name, of in example.resources.items()}
    around = next((name for name, of in example.resources.items() if of.get("component")), None)

    def state(name: str, of: Mapping[str, Any]) -> dict[str, Any]:
        properties = of.get("properties", {})
        return {
            "urn": urns[name],
            "type": of["type"],
            "custom": not of.get("component", False),
            "inputs": {key: _filled(value) for key, value in properties.items()},
            "parent": urns[around] if around is not None and around != name else None,
            "propertyDependencies": {
                key: [urns[found] for found in _REFERENCE.findall(str(value)) if found in urns]
                for key, value in properties.items()
            },
        }

    kept = example.failing if fails else example.resources
    words = example.fail if fails else []
    replaced, made = (
        [word.removeprefix(verb) for word in words if word.startswith(verb)] for verb in (_REPLACE, _CREATE)
    )
    steps: list[dict[str, Any]] = [
        {
            "op": "replace" if name in replaced else "create" if name in made else "same",
            "urn": urns[name],
            **({} if name in made else {"oldState": state(name, example.resources[name])}),
            "newState": state(name, of),
        }
        for name, of in kept.items()
    ]
    steps += [
        {"op": "delete", "urn": urns[name], "oldState": state(name, of)}
        for name, of in example.resources.items()
        if name not in kept
    ]
    return {"config": _CONFIG, "steps": steps, "changeSummary": {"same": len(kept) - len(replaced) - len(made)}}


def _filled(value: Any) -> Any:
    if isinstance(value, str):
        return UNKNOWN_TEXT if _REFERENCE.fullmatch(value) else value
    if is_object(value):
        return {key: _filled(item) for key, item in value.items()}
    return [_filled(item) for item in value] if is_list(value) else value
