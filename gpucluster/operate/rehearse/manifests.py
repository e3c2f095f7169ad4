"""The Kubernetes objects in a user's files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, items, mapping
from gpucluster.core.text.yaml_text import BadYaml, read_all
from gpucluster.errors import InputError

_DEFAULT: Final = "default"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """One object. source: its file and, if that has several, its number in it."""

    source: str
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """Such as TrainJob."""
        return str(self.body["kind"])

    @property
    def namespace(self) -> str:
        """`default` if it has none; meaningless for kinds without one."""
        return str(mapping(self.body["metadata"]).get("namespace") or _DEFAULT)

    @property
    def name(self) -> str:
        """The name as written."""
        return str(mapping(self.body["metadata"])["name"])

    @property
    def title(self) -> str:
        """Such as `TrainJob training/pytorch`."""
        return f"{self.kind} {self.namespace}/{self.name}"

    @property
    def makes_pods(self) -> bool:
        """Whether it creates pods: it has containers, or references a runtime that has."""
        return self.kind == "TrainJob" or _has_containers(self.body)


def read_manifests(files: Sequence[Path]) -> list[Manifest]:
    """All objects of the files, in their order. Raises InputError with all their errors."""
    found: list[Manifest] = []
    problems: list[InputError] = []
    for file in files:
        wrong: list[str] = []
        found += _read(file, wrong)
        if wrong:
            problems.append(InputError(str(file), wrong))
    if problems:
        raise InputError("", [], *problems) if len(problems) > 1 else problems[0]
    if not any(manifest.makes_pods for manifest in found):
        names = ", ".join(map(str, files))
        raise InputError(f"{names}: no object that creates pods; give the file of a TrainJob, Job, Deployment or Pod")
    _refuse_twins(found)
    return found


def _read(file: Path, wrong: list[str]) -> Iterator[Manifest]:
    try:
        documents = read_all(file)
    except FileNotFoundError:
        wrong.append("no such file")
        return
    except IsADirectoryError:
        wrong.append("is a folder; give the files in it")
        return
    except BadYaml as error:
        wrong.append(str(error))
        return
    bodies = [body for document in documents if document is not None for body in _of_list(document)]
    for number, body in enumerate(bodies, 1):
        source = f"{file}, document {number}" if len(bodies) > 1 else str(file)
        if problem := _problem(body):
            wrong.append(f"document {number}: {problem}")
        else:
            yield Manifest(source=source, body=dict(body))


def _of_list(document: object) -> list[Any]:
    """The separate objects of a list that kubectl accepts."""
    return items(document.get("items")) if is_object(document) and document.get("kind") == "List" else [document]


def _problem(body: object) -> str | None:
    if not is_object(body):
        return "is not a mapping; write a Kubernetes object"
    for field in ("apiVersion", "kind"):
        if not isinstance(body.get(field), str) or not body[field]:
            return (
                f"{field} is {body.get(field)!r}; write apiVersion and kind of a Kubernetes object, such as v1 and Pod"
            )
    metadata = mapping(body.get("metadata"))
    if isinstance(metadata.get("generateName"), str) and not metadata.get("name"):
        return "metadata.generateName generates a name in the cluster; write metadata.name for the rehearsal"
    name = metadata.get("name")
    return None if isinstance(name, str) and name else f"metadata.name is {name!r}; write a name"


def _refuse_twins(found: Sequence[Manifest]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for manifest in found:
        key = (str(manifest.body["apiVersion"]), manifest.title)
        if key in seen:
            raise InputError(f"{manifest.source}: {manifest.title} is also in {seen[key]}; rename one")
        seen[key] = manifest.source


def _has_containers(value: object) -> bool:
    if is_object(value):
        return bool(value.get("containers")) or any(map(_has_containers, value.values()))
    return is_list(value) and any(map(_has_containers, value))
