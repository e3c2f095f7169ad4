"""Adds a context to a kubeconfig that may exist; keeps all other content."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import yaml

from gpucluster.core.text.typed import Source, typed, yaml_document
from gpucluster.errors import InputError
from gpucluster.operate.account.answers import Kubeconfig

_OURS: Final = "gpucluster"
"""The extension of a context that marks its owner, as minikube marks its own."""
_SECTIONS: Final = ("clusters", "contexts", "users")
_OTHER: Final = "give another file with --kubeconfig"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A context to write. mark: identifies its cluster. kubeconfig: a document with one cluster and one user. use:
    whether it replaces an existing current context.
    """

    name: str
    mark: Mapping[str, str]
    namespace: str
    kubeconfig: Mapping[str, Any]
    use: bool


def default_file(environment: Mapping[str, str]) -> Path:
    """The file that kubectl would write: of the files in KUBECONFIG the first that exists, else the first.

    Source: kubernetes/client-go, tools/clientcmd/loader.go, GetDefaultFilename.
    """
    named = [Path(one) for one in environment.get("KUBECONFIG", "").split(os.pathsep) if one]
    return next((one for one in named if _exists(one)), named[0] if named else Path.home() / ".kube/config")


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # no file can have this name
        return False


def edit(file: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """Changes the document in a kubeconfig, which need not exist, completely or not at all; only its user may read it.

    Raises InputError for a file that is not a kubeconfig, or that kubectl is changing.
    """
    try:
        return _edited(file, change)
    except (OSError, RuntimeError) as error:  # a link to itself is no OSError
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{file} cannot be written: {why}; {_OTHER}") from None


def _edited(file: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    # Follows a link: its target is the user's file.
    target = file.resolve()
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(target):
        changed = change(_read(target, file))
        scratch = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as open_file:
                yaml.safe_dump(changed, open_file, sort_keys=False)
            scratch.replace(target)
        finally:
            scratch.unlink(missing_ok=True)
    return changed


def with_context(document: Mapping[str, Any], entry: Entry) -> dict[str, Any]:
    """The document with the context, its cluster and its user. Raises InputError if another owner uses its name."""
    taken = [section for section in _SECTIONS if _foreign(document, section, entry)]
    if taken:
        fix = "choose another name with --context"
        raise InputError(
            f"the kubeconfig already has {entry.name!r} under {', '.join(taken)}, for another cluster; {fix}"
        )
    [cluster], [user] = entry.kubeconfig["clusters"], entry.kubeconfig["users"]
    name = entry.name
    context = {"cluster": name, "user": name, "namespace": entry.namespace, "extensions": [_mark(entry)]}
    parts = {
        "clusters": {"name": name, "cluster": dict(cluster["cluster"])},
        "contexts": {"name": name, "context": context},
        "users": {"name": name, "user": dict(user["user"])},
    }
    merged = {"apiVersion": "v1", "kind": "Config", **document}
    for section, part in parts.items():
        foreign = [one for one in _entries(document, section) if one.get("name") != name]
        merged[section] = [*foreign, part]
    if entry.use or not merged.get("current-context"):
        merged["current-context"] = name
    return merged


def _foreign(document: Mapping[str, Any], section: str, entry: Entry) -> bool:
    """Whether an entry of this name exists that was not written for this cluster."""
    if not any(one.get("name") == entry.name for one in _entries(document, section)):
        return False
    contexts = [one.get("context") for one in _entries(document, "contexts") if one.get("name") == entry.name]
    found: list[Any] = [one.get("extensions") for one in contexts if isinstance(one, dict)]
    return not any(_mark(entry) in (marks or ()) for marks in found)


def _mark(entry: Entry) -> dict[str, Any]:
    return {"name": _OURS, "extension": dict(entry.mark)}


def _entries(document: Mapping[str, Any], section: str) -> Sequence[Mapping[str, Any]]:
    return cast(Sequence[Mapping[str, Any]], document.get(section) or ())


def _read(target: Path, named: Path) -> dict[str, Any]:
    if not target.exists():
        return {}
    source = Source(name=str(named), fix=_OTHER)
    found = yaml_document(target, source, foreign=True).data
    if found is None:
        return {}
    typed(found, Kubeconfig, source)
    return found


@contextmanager
def _locked(target: Path) -> Generator[None]:
    """Holds the lock that kubectl respects (client-go, tools/clientcmd/loader.go, lockFile)."""
    lock = target.with_name(f"{target.name}.lock")
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise InputError(f"{lock} exists: another command is changing the file; if none is, remove it") from None
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
