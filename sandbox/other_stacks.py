"""Puts outputs of other projects' stacks, which programs read by stack references, into the sandbox's state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.errors import InputError
from gpucluster.sandbox.project import Project, replace_text

ORGANIZATION: Final = "organization"
"""The only organization of Pulumi's file backend (pulumi/pulumi pkg/backend/diy/store.go)."""


def put_other_stacks(project: Project, stacks: Mapping[str, Mapping[str, Any]]) -> None:
    """stacks: `organization/PROJECT/STACK` -> outputs. Raises InputError for a stack of this project."""
    for name, outputs in stacks.items():
        _, other, stack = name.split("/")
        if other == project.name:
            raise InputError(
                f"the scenario has the stack {name}, which belongs to this project: create it with its own `up`"
            )
        resource = {
            "urn": f"urn:pulumi:{stack}::{other}::pulumi:pulumi:Stack::{other}-{stack}",
            "custom": False,
            "type": "pulumi:pulumi:Stack",
            "outputs": outputs,
        }
        latest = {"manifest": {"time": "0001-01-01T00:00:00Z", "magic": "", "version": ""}, "resources": [resource]}
        document = {"version": 3, "checkpoint": {"stack": name, "latest": latest}}
        file = project.store.states(other) / f"{stack}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_text(file, json.dumps(document))
