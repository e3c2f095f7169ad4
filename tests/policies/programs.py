"""Compliant training clusters of each cloud, from `programs/`, in the form of a rule's example.

`needs` of a resource lists the sources of properties whose values are known; `outside` puts it outside of the
component, and `keeps` are properties that its options leave as they were made.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from gpucluster.core.program.readers.records import UNKNOWN_TEXT
from gpucluster.policies.engine.examples import Example, plan_of

_FOLDER = Path(__file__).with_name("programs")
PROGRAMS = sorted(file.stem for file in _FOLDER.glob("*.yaml"))
REFERENCE = re.compile(r"\$\{([\w-]+)\}")
PROVIDERS: Mapping[str, Mapping[str, str]] = {
    "aws": {"region": "us-east-1"},
    "gcp": {"project": "training-trial", "region": "us-central1", "zone": "us-central1-a"},
    "azure-native": {"location": "eastus", "subscriptionId": "00000000-0000-0000-0000-000000000000"},
}


@functools.cache
def _read(name: str) -> dict[str, Any]:
    return yaml.load((_FOLDER / f"{name}.yaml").read_text(), yaml.CSafeLoader)


def program_of(name: str) -> dict[str, Any]:
    """name -> resource of a program, for the caller to change."""
    return copy.deepcopy(_read(name))


def filled(value: Any) -> Any:
    """A value with its references unknown, as before the update."""
    if isinstance(value, str):
        return UNKNOWN_TEXT if REFERENCE.fullmatch(value) else value
    if isinstance(value, dict):
        return {key: filled(inner) for key, inner in value.items()}
    return [filled(inner) for inner in value] if isinstance(value, list) else value


def planned(program: Example) -> dict[str, Any]:
    """The plan of a program, with what only our own programs say of resources."""
    plan = plan_of(program, fails=False)
    urns = {step["urn"].rpartition("::")[2]: step["urn"] for step in plan["steps"]}
    for step in plan["steps"]:
        state = step["newState"]
        of = program.resources[state["urn"].rpartition("::")[2]]
        sources: dict[str, list[str]] = state["propertyDependencies"]
        for name, needed in of.get("needs", {}).items():
            sources[name] = [*sources.get(name, []), *(urns[one] for one in needed if one in urns)]
        state["propertyDependencies"] = {name: list(dict.fromkeys(found)) for name, found in sources.items() if found}
        state["parent"] = None if of.get("outside") else state["parent"]
        state["ignoreChanges"] = of.get("keeps", [])
        step["oldState"] = state
    return plan
