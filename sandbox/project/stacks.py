"""A stack's private configuration, which keeps the working tree unchanged."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.core.text.yaml_text import BadYaml, read
from gpucluster.errors import InputError
from gpucluster.sandbox.engine.engine import Engine
from gpucluster.sandbox.project.project import Project, replace_text

_ENCRYPTION_KEYS: Final = ("encryptionsalt", "encryptedkey", "secretsprovider")
UNREADABLE: Final = "not readable in the sandbox"
"""Replaces a value that is encrypted for a real account."""


def selected(project: Project) -> str | None:
    """The stack selected by `gpucluster sandbox pulumi stack select`; None without a selection.

    `stack init` writes it with its organization, which is not part of its name here.
    """
    digest = hashlib.sha1(str(project.file).encode(), usedforsecurity=False).hexdigest()
    file = project.store.home / "workspaces" / f"{project.name}-{digest}-workspace.json"
    try:
        return str(mapping(json.loads(file.read_text())).get("stack") or "").rpartition("/")[2] or None
    except (OSError, ValueError):
        return None


def exists(project: Project, stack: str) -> bool:
    """Whether the sandbox's state has this stack."""
    return (project.store.states(project.name) / f"{stack}.json").exists()


def make(project: Project, stack: str, engine: Engine, variables: Mapping[str, str]) -> None:
    """Creates an empty stack with its own encryption; raises InputError if the engine refuses."""
    folder = project_for_init(project)
    (folder / f"Pulumi.{stack}.yaml").unlink(missing_ok=True)
    command = [str(engine.binary), "-C", str(folder), "stack", "init", stack, "--no-select", "--non-interactive"]
    made = subprocess.run(command, env=dict(variables), capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise InputError(f"the stack {stack!r} could not be made: {made.stderr.strip() or made.stdout.strip()}")


def known(project: Project) -> list[str]:
    """The stacks with a file in the working tree or a state in the sandbox."""
    return sorted({*project.stacks(), *(file.stem for file in project.store.states(project.name).glob("*.json"))})


def is_declared(project: Project, stack: str, source: Path | None = None) -> bool:
    """Whether the stack has a file, or the sandbox's state has it. source: its file, if not the project's own."""
    return (source or project.stack_file(stack)).exists() or exists(project, stack)


def similar(project: Project, stack: str) -> str | None:
    """The stack that an unknown name may mean; None without one."""
    return next(iter(difflib.get_close_matches(stack, known(project), n=1)), None)


def refuse_unknown(project: Project, stack: str, source: Path | None = None, *, fix: str = "") -> None:
    """Raises InputError if nothing declares the stack and the sandbox's state has none of this name.

    source: its file, if not the project's own. fix: how to create it, added to the message.
    """
    if is_declared(project, stack, source):
        return
    close = similar(project, stack)
    raise InputError(
        f"there is no stack {stack!r}: it has no {os.path.relpath(source or project.stack_file(stack))}; stacks here: "
        f"{', '.join(known(project)) or 'none yet'}{f'; did you mean {close}?' if close else ''}{fix}"
    )


def project_for_init(project: Project) -> Path:
    """A bare folder of the same project, in which `pulumi stack init` writes its file."""
    folder = project.store.stacks
    # The engine of another run may be reading it.
    replace_text(folder / "Pulumi.yaml", yaml.safe_dump({"name": project.name, "runtime": "python"}))
    return folder


def own_file(project: Project, stack: str) -> Path:
    """The sandbox's own file of a stack, from `stack init`: its encryption and its secrets."""
    return project.store.stacks / f"Pulumi.{stack}.yaml"


def full_key(project: Project, key: str) -> str:
    """A key with its namespace, which is the project's if it has none."""
    return key if ":" in key else f"{project.name}:{key}"


def forget_secrets(project: Project, stack: str, keys: Collection[str]) -> None:
    """Deletes the sandbox's own secrets of these keys: a plain value replaces them, or nothing does."""
    own = _load(own_file(project, stack))
    secrets = mapping(own.get("config"))
    if kept := {key: value for key, value in secrets.items() if key not in keys}:
        own["config"] = kept
    else:
        own.pop("config", None)
    if len(kept) < len(secrets):
        replace_text(own_file(project, stack), yaml.safe_dump(own), mode=0o600)


def private_config(project: Project, stack: str, source: Path, target: Path) -> list[str]:
    """Writes the engine's configuration; returns the keys whose secrets are not readable here.

    source: the stack's file in the working tree; it need not exist.
    The encryption is the sandbox's own, from the file that `stack init` wrote in the bare project; so are the secrets
    of `config set --secret`, which replace the file's values.
    """
    settings, own = _load(source), _load(own_file(project, stack))
    unreadable: list[str] = []
    secrets, config = mapping(own.get("config")), mapping(settings.get("config"))
    given = {key: value for key, value in config.items() if full_key(project, str(key)) not in secrets}
    if given or secrets:
        plain = {key: _readable(value, str(key), unreadable) for key, value in given.items()}
        settings["config"] = {**plain, **secrets}
    kept = {key: value for key, value in settings.items() if key not in _ENCRYPTION_KEYS}
    target.write_text(yaml.safe_dump({**kept, **{key: own[key] for key in _ENCRYPTION_KEYS if key in own}}))
    return unreadable


def _load(file: Path) -> dict[str, Any]:
    """The settings in a stack's file. Refuses duplicate keys and lists, as the engine would."""
    if not file.is_file():
        return {}
    source = f"{os.path.relpath(file)}: 1 problem\n "
    try:
        found = read(file)
    except BadYaml as error:
        raise InputError(f"{source} {error}") from error
    settings = found.data
    if settings is None:
        return {}
    if not is_object(settings):
        raise InputError(f"{source} is not a mapping; a stack's file is a mapping with config:")
    for fault in found.faults:
        if fault.repeats:
            raise InputError(f"{source} {fault}")
    if not is_object(settings.get("config") or {}):
        raise InputError(f"{source} config is not a mapping; write a mapping from keys to values")
    return dict(settings)


def _readable(value: Any, path: str, unreadable: list[str]) -> Any:
    if is_object(value):
        if set(value) == {"secure"}:
            unreadable.append(path)
            return UNREADABLE
        return {key: _readable(item, f"{path}.{key}", unreadable) for key, item in value.items()}
    if is_list(value):
        return [_readable(item, f"{path}[{index}]", unreadable) for index, item in enumerate(value)]
    return value
