"""`pulumi stack export`, `stack import` and `state repair`; the deployment is never written to disk in between."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox import stacks
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.environment import environment
from gpucluster.sandbox.project import Project


def export_deployment(project: Project, stack: str, *, show_secrets: bool = False) -> dict[str, Any]:
    """The stack's deployment; raises EngineError if the engine does not export it.

    show_secrets: in plain text, else encrypted.
    """
    return json.loads(_engine(project, stack, "stack", "export", *(["--show-secrets"] if show_secrets else [])))


def import_deployment(project: Project, stack: str, document: Mapping[str, Any]) -> None:
    """Replaces the stack's deployment; the engine validates it and encrypts its secrets."""
    _engine(project, stack, "stack", "import", text=json.dumps(document))


def repair_state(project: Project, stack: str) -> bool:
    """Sorts the state's resources and drops references to missing ones; False if that is not sufficient."""
    try:
        _engine(project, stack, "state", "repair", "--yes")
    except EngineError:
        return False
    return True


def _engine(project: Project, stack: str, group: str, verb: str, *flags: str, text: str | None = None) -> str:
    folder = stacks.project_for_init(project)
    command = [str(find_engine().binary), "-C", str(folder), group, verb, "--stack", stack, "--non-interactive"]
    command += flags
    variables = environment(os.environ, project.store)
    done = subprocess.run(command, env=variables, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip() or done.stdout.strip()
        raise EngineError(f"`pulumi {group} {verb}` of {stack} failed, its state is as it was: {reason}")
    return done.stdout
