"""`pulumi stack rename` in the sandbox: state, encryption, ledger and copies."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace

from gpucluster.errors import InputError
from gpucluster.sandbox import stacks
from gpucluster.sandbox.engine.model import Engine
from gpucluster.sandbox.project import Project
from gpucluster.sandbox.recovery.damage import differences, forgot_state, keep_copies
from gpucluster.sandbox.recovery.state import is_cloud_resource, read_state, state_files
from gpucluster.textio.values import PROJECT_NAME


def rename(project: Project, old: str, new: str, engine: Engine, variables: Mapping[str, str]) -> None:
    """Renames a stack that no command changes. The user renames its file, because the sandbox never writes into the
    working tree. Raises InputError if that has not happened, or if the engine refuses.
    """
    _refuse(project, old, new)
    command = [str(engine.binary), "-C", str(stacks.project_for_init(project)), "stack", "rename", new]
    command += ["--stack", old, "--non-interactive"]
    done = subprocess.run(command, env=dict(variables), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"the stack {old!r} could not be renamed: {done.stderr.strip() or done.stdout.strip()}")
    _rename_in_ledger(project, old, new)
    forgot_state(project, old)
    keep_copies(project, [new])


def _refuse(project: Project, old: str, new: str) -> None:
    if PROJECT_NAME.fullmatch(new) is None:  # the rule of stacks, too
        raise InputError(
            f"{new!r} is no name of a stack in the sandbox; write 1 to 100 letters, digits, hyphens, underscores and "
            "periods, without organization and project"
        )
    before, after = project.stack_file(old), project.stack_file(new)
    if not stacks.exists(project, old):
        raise InputError(f"the sandbox has no stack {old!r}")
    if stacks.exists(project, new):
        raise InputError(f"the stack {new!r} exists already")
    if before.exists() and not after.exists():
        move = f"mv {os.path.relpath(before)} {os.path.relpath(after)}"
        raise InputError(f"the sandbox does not rename files of the working tree: run `{move}`, then run this again")
    if any(difference for difference in differences(project) if difference.stack == old):
        raise InputError(f"state and clouds disagree: run `gpucluster sandbox recover --stack {old}` first")


def _rename_in_ledger(project: Project, old: str, new: str) -> None:
    """Renames what the state owns. What it released keeps its URN, by which the history knows it."""
    before, after = (f"urn:pulumi:{stack}::{project.name}::" for stack in (old, new))
    resources = read_state(state_files(project)[new], new).resources
    owned = {
        (str(item["type"]), str(item.get("id")), str(item["urn"])) for item in resources if is_cloud_resource(item)
    }
    with project.store.open_ledger() as ledger:
        for reference, settings in ledger.providers().items():
            if reference.startswith(before):
                ledger.put_provider(after + reference.removeprefix(before), settings)
        for entry in ledger.all():
            urn = after + entry.urn.removeprefix(before)
            if entry.urn.startswith(before) and (entry.type, entry.id, urn) in owned:
                reference = entry.provider_ref.replace(before, after, 1)
                ledger.put(replace(entry, urn=urn, provider_ref=reference))
