"""A stack's private configuration, so that the working tree stays as it is."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.errors import InputError
from gpucluster.sandbox.narrow import is_list, is_object
from gpucluster.sandbox.project import Project, replace_text

__all__ = ["exists", "private_config", "project_for_init", "selected"]

_ENCRYPTION_KEYS: Final = ("encryptionsalt", "encryptedkey", "secretsprovider")
UNREADABLE: Final = "not readable in the sandbox"
"""Stands for a value that is encrypted for a real account."""


def selected(project: Project) -> str | None:
    """The stack chosen by `gpucluster sandbox pulumi stack select`, None when there is none."""
    digest = hashlib.sha1(str(project.file).encode(), usedforsecurity=False).hexdigest()
    file = project.store.home / "workspaces" / f"{project.name}-{digest}-workspace.json"
    try:
        return json.loads(file.read_text()).get("stack") or None
    except (OSError, ValueError):
        return None


def exists(project: Project, stack: str) -> bool:
    """Whether the sandbox's state has this stack."""
    folder = project.store.state / ".pulumi" / "stacks" / project.name
    return any((folder / f"{stack}.json{suffix}").exists() for suffix in ("", ".gz"))


def project_for_init(project: Project) -> Path:
    """A bare folder of the same project; `pulumi stack init` there writes its file there."""
    folder = project.store.stacks
    # An engine of another run may read it at this moment.
    replace_text(folder / "Pulumi.yaml", yaml.safe_dump({"name": project.name, "runtime": "python"}))
    return folder


def private_config(project: Project, stack: str, source: Path, target: Path) -> list[str]:
    """Writes the configuration the engine gets; returns the keys whose secrets are not readable here.

    source: the stack's file in the working tree; it need not exist.
    The encryption is the sandbox's own: what `stack init` left in the bare project.
    """
    settings = _load(source)
    unreadable: list[str] = []
    config = settings.get("config")
    if is_object(config):
        settings["config"] = {key: _readable(value, str(key), unreadable) for key, value in config.items()}
    own = _load(project.store.stacks / f"Pulumi.{stack}.yaml")
    kept = {key: value for key, value in settings.items() if key not in _ENCRYPTION_KEYS}
    target.write_text(yaml.safe_dump({**kept, **{key: own[key] for key in _ENCRYPTION_KEYS if key in own}}))
    return unreadable


def _load(file: Path) -> dict[str, Any]:
    """The settings in a stack's file. Refuses what the engine would refuse too: a key that stands twice, a list."""
    if not file.is_file():
        return {}
    source = f"{file.parent.name}/{file.name}: 1 problem\n "
    try:
        text = file.read_text(encoding="utf-8")
        root, settings = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{source} is not UTF-8; save the file as UTF-8") from error
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise InputError(f"{source} {line}not YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise InputError(f"{source} not YAML: {error}") from error
    if settings is None:
        return {}
    if not isinstance(root, yaml.MappingNode) or not is_object(settings):
        raise InputError(f"{source} holds no mapping; a stack's file is a mapping with config:")
    for above, node in (("", root), *((f"{key.value}.", value) for key, value in root.value)):
        keys = [key for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        for index, key in enumerate(keys):
            if key.value in [other.value for other in keys[:index]]:
                name, line = f"{above}{key.value}", key.start_mark.line + 1
                raise InputError(f"{source} line {line}: {name} is given twice; keep one")
    if not is_object(settings.get("config") or {}):
        raise InputError(f"{source} config is no mapping; write a mapping from keys to values")
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
