"""The Kubernetes objects of a file, and those that controllers create from them, with their events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, items, mapping
from gpucluster.core.text.yaml_text import BadYaml, read_all
from gpucluster.errors import InputError
from gpucluster.sandbox.api_server.client import Client, ObjectRefused

_DEFAULT: Final = "default"
_SCHEDULE: Final = "CronJob"
_GROUP: Final = "kueue.x-k8s.io/pod-group-name"
_HOOK: Final = "helm.sh/hook"
_STDIN: Final = Path("-")


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
        return f"{self.kind} {self.namespace}/{self.name}" + (" (one Job of it)" if self.kind == _SCHEDULE else "")

    @property
    def submitted(self) -> Mapping[str, Any]:
        """The object to create: of a CronJob a Job, as at its time."""
        if self.kind != _SCHEDULE:
            return self.body
        template = mapping(mapping(self.body.get("spec")).get("jobTemplate"))
        metadata = {**mapping(template.get("metadata")), "name": self.name, "namespace": self.namespace}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec")}

    @property
    def group(self) -> str | None:
        """The group of pods that it starts with, with its namespace; None for any other object."""
        labels = mapping(mapping(self.body["metadata"]).get("labels"))
        name = labels.get(_GROUP) if self.kind == "Pod" else None
        return f"{self.namespace}/{name}" if name else None

    @property
    def makes_pods(self) -> bool:
        """Whether it creates pods: it has containers, or references a runtime that has."""
        return self.kind == "TrainJob" or _has_containers(self.body)


def read_manifests(files: Sequence[Path], namespace: str | None = None) -> list[Manifest]:
    """All objects of the files, `-` for stdin, in their order. Raises InputError with all their errors.

    namespace: of objects without one, as with kubectl.
    """
    found: list[Manifest] = []
    problems: list[InputError] = []
    for file in files:
        wrong: list[str] = []
        found += _read(file, namespace, len(found), wrong)
        if wrong:
            problems.append(InputError(str(file), wrong))
    if problems:
        raise InputError("", [], *problems) if len(problems) > 1 else problems[0]
    if not any(manifest.makes_pods for manifest in found):
        names = ", ".join(map(str, files))
        raise InputError(f"{names}: no object that creates pods; give the file of a TrainJob, Job, Deployment or Pod")
    _refuse_twins(found)
    return found


def _read(file: Path, namespace: str | None, count: int, wrong: list[str]) -> Iterator[Manifest]:
    """count: of the objects before it, for generated names."""
    try:
        documents = read_all(Path("/dev/stdin") if file == _STDIN else file)
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
        elif not _is_test(body):
            metadata = dict(body["metadata"])
            if not metadata.get("name"):
                metadata["name"] = f"{metadata.pop('generateName')}{count + number}"
            if namespace is not None and not metadata.get("namespace"):
                metadata["namespace"] = namespace
            yield Manifest(source=source, body={**body, "metadata": metadata})


def _is_test(body: Mapping[str, Any]) -> bool:
    """Whether it is in the output of `helm template`, but Helm creates it only for `helm test`."""
    hooks = str(mapping(mapping(body.get("metadata")).get("annotations")).get(_HOOK) or "")
    return bool(hooks) and all(hook.strip().startswith("test") for hook in hooks.split(","))


def _of_list(document: object) -> list[Any]:
    """The separate objects of a list that kubectl accepts."""
    return items(document.get("items")) if is_object(document) and document.get("kind") == "List" else [document]


def _problem(body: object) -> str | None:
    if not is_object(body):
        return "is not a mapping; write a Kubernetes object"
    for name in ("apiVersion", "kind"):
        if not isinstance(body.get(name), str) or not body[name]:
            return f"{name} is {body.get(name)!r}; write apiVersion and kind of a Kubernetes object, such as v1 and Pod"
    metadata = mapping(body.get("metadata"))
    name = metadata.get("name") or metadata.get("generateName")
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


Object = Mapping[str, Any]

_WORKLOAD: Final = ("kueue.x-k8s.io/v1beta2", "Workload")
_MADE: Final = (
    ("v1", "Pod"),
    ("batch/v1", "Job"),
    ("apps/v1", "ReplicaSet"),
    ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    _WORKLOAD,
)
"""Kinds that controllers create for jobs and services."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """pods, workloads: those that the object owns directly or indirectly. events: warnings about any of them, by
    time. claims: names of its pods' claims that have no volume yet.
    """

    pods: tuple[Object, ...] = ()
    workloads: tuple[Object, ...] = ()
    events: tuple[Object, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Families:
    """Finds the families of objects in one cluster."""

    client: Client
    _owners: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def made_for(self, uid: str, namespace: str) -> tuple[str, ...]:
        """Remaining objects that controllers created for the object, as `Pod name`.

        An object with a deleted owner is found only by an instance that has seen the owner. Raises ObjectRefused.
        """
        return tuple(
            f"{kind} {mapping(one.get('metadata')).get('name')}"
            for api_version, kind in _MADE
            for one in self._owned(api_version, kind, namespace, uid)
        )

    def of(self, uid: str, namespace: str) -> Family:
        """The family of the object with this uid. Raises ObjectRefused if the server does not answer."""
        pods = self._owned("v1", "Pod", namespace, uid)
        workloads = self._owned(*_WORKLOAD, namespace, uid)
        related = {uid, *(_uid(one) for one in (*pods, *workloads)), *self._between(uid)}
        events = [
            event
            for event in self._listed("v1", "Event", namespace)
            if mapping(event.get("involvedObject")).get("uid") in related and event.get("type") == "Warning"
        ]
        return Family(
            pods=tuple(pods),
            workloads=tuple(workloads),
            events=tuple(sorted(events, key=_time)),
            claims=tuple(dict.fromkeys(self._unbound(pods, namespace))),
        )

    def _unbound(self, pods: Sequence[Object], namespace: str) -> Iterator[str]:
        volumes = (items(mapping(pod.get("spec")).get("volumes")) for pod in pods)
        named = {
            str(mapping(mapping(one).get("persistentVolumeClaim")).get("claimName")) for some in volumes for one in some
        }
        for claim in self._listed("v1", "PersistentVolumeClaim", namespace) if named - {"None"} else []:
            name = str(mapping(claim.get("metadata")).get("name"))
            if name in named and mapping(claim.get("status")).get("phase") == "Pending":
                yield name

    def _owned(self, api_version: str, kind: str, namespace: str, uid: str) -> list[Object]:
        return [
            item
            for item in self._listed(api_version, kind, namespace)
            if uid == _uid(item) or uid in self._ancestors(item, namespace)
        ]

    def _listed(self, api_version: str, kind: str, namespace: str) -> list[Object]:
        if not self.client.knows(api_version, kind):
            return []
        return [*self.client.list(api_version, kind, namespace=namespace)]

    def _ancestors(self, item: Object, namespace: str) -> set[str]:
        """Uids of its owners, direct and indirect. Owners of owners are requested once: they never change."""
        found: set[str] = set()
        for owner in _references(item):
            own = str(owner.get("uid"))
            if own not in self._owners:
                self._owners[own] = tuple(self._above(owner, namespace))
            found |= {own, *self._owners[own]}
        return found

    def _above(self, owner: Object, namespace: str) -> set[str]:
        named = {"name": owner.get("name"), "namespace": namespace}
        try:
            there = self.client.get({"apiVersion": owner["apiVersion"], "kind": owner["kind"], "metadata": named})
        except ObjectRefused:
            there = None
        return self._ancestors(there, namespace) if there is not None else set()

    def _between(self, uid: str) -> set[str]:
        """Uids of the owners that are descendants of the object."""
        return {own for own, above in self._owners.items() if uid in above}


def _references(item: Object) -> Iterable[Object]:
    return map(mapping, items(mapping(item.get("metadata")).get("ownerReferences")))


def _uid(item: Object) -> str:
    return str(mapping(item.get("metadata")).get("uid"))


def _time(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")
