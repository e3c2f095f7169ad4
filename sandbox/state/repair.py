"""Repairs a state so that it owns its resources in the clouds.

The engine exports and imports it (`pulumi stack export`, `stack import`); it is never written to disk in between.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, items
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import Secret
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.project import stacks
from gpucluster.sandbox.project.environment import environment
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.state import StackState, is_cloud_resource

_SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"


@dataclass(frozen=True)
class Repair:
    """The repair of a stack's orphans.

    adopt: entered into the state as the resource of its URN.
    delete: the state already has a resource with that URN, and it exists.
    leave: neither the state nor the ledger knows a provider that could manage it.
    providers: settings, by `urn::id`, of providers that the state lacks and adopted resources need.
    """

    adopt: tuple[Entry, ...] = ()
    delete: tuple[Entry, ...] = ()
    leave: tuple[Entry, ...] = ()
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


def plan_repair(difference: Difference, state: StackState | None, providers: Mapping[str, Mapping[str, Any]]) -> Repair:
    """Adopts the newest orphan of each URN that has no other resource; older ones are deleted.

    providers: settings of the providers that have written to the ledger, by `urn::id`.
    """
    resources = state.resources if state else ()
    ghosts = {str(ghost["urn"]) for ghost in difference.ghosts}
    taken = {str(item["urn"]) for item in resources if not item.get("delete") and not item.get("pendingReplacement")}
    taken = taken - ghosts | {str(resource["urn"]) for resource, _ in difference.remade}
    adopt: list[Entry] = []
    delete: list[Entry] = []
    leave: list[Entry] = []
    needed: dict[str, str] = {}
    for entry in reversed(difference.orphans):
        in_state = _provider(entry, difference.pending, resources)
        if entry.urn in taken:
            delete.append(entry)
        # The resources of a deleted stack have no owner.
        elif in_state is None and (state is None or entry.provider_ref not in providers):
            leave.append(entry)
        else:
            adopt.append(entry)
            taken.add(entry.urn)
            if in_state is None:
                # One for each URN: if a provider was replaced, that of the newest resource.
                needed.setdefault(entry.provider_ref.rpartition("::")[0], entry.provider_ref)
    settings = {reference: providers[reference] for reference in needed.values()}
    return Repair(adopt=tuple(reversed(adopt)), delete=tuple(delete), leave=tuple(leave), providers=settings)


def repaired(deployment: Mapping[str, Any], difference: Difference, repair: Repair) -> dict[str, Any]:
    """The deployment of `pulumi stack export` with the adopted resources and without unfinished operations."""
    resources: list[dict[str, Any]] = [dict(item) for item in items(deployment.get("resources"))]
    for remade, entry in difference.remade:
        _at(resources, remade["urn"]).update(_in_the_cloud(entry))
        _at(resources, remade["urn"]).pop("pendingReplacement")
    if repair.providers and not resources:
        resources.append(_root(difference.stack, repair.adopt[0]))
    resources += [_made_provider(reference, settings) for reference, settings in repair.providers.items()]
    for entry in repair.adopt:
        standing = next((item for item in resources if item["urn"] == entry.urn and not item.get("delete")), None)
        if standing is not None:
            # The replaced resource is already deleted.
            standing.update(_in_the_cloud(entry))
            standing.pop("pendingReplacement", None)
        else:
            resources.append(_adopted(entry, difference.pending, resources))
    return {**deployment, "resources": resources, "pending_operations": []}


def _root(stack: str, entry: Entry) -> dict[str, Any]:
    """The root of all other resources of a stack."""
    project = entry.urn.split("::")[1]
    urn = f"urn:pulumi:{stack}::{project}::pulumi:pulumi:Stack::{project}-{stack}"
    return {"urn": urn, "custom": False, "type": "pulumi:pulumi:Stack"}


def _made_provider(reference: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    urn, _, id_ = reference.rpartition("::")
    values = _with_secrets(settings)
    kind = _types(urn).rsplit("$", 1)[-1]
    return {"urn": urn, "custom": True, "id": id_, "type": kind, "inputs": values, "outputs": values}


def _at(resources: list[dict[str, Any]], urn: str) -> dict[str, Any]:
    return next(item for item in resources if item["urn"] == urn and item.get("pendingReplacement"))


def _in_the_cloud(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "inputs": _with_secrets(entry.inputs),
        "outputs": _with_secrets(entry.outputs),
        "created": entry.created_at,
        "modified": entry.created_at,
    }


def _adopted(entry: Entry, pending: list[Mapping[str, Any]], before: list[dict[str, Any]]) -> dict[str, Any]:
    """The resource as the engine would have recorded it.

    Without an unfinished operation its dependencies are unknown. All earlier resources are then listed, so that a
    destroy removes it before them; the next `up` writes the program's dependencies.
    """
    known = {str(item["urn"]) for item in before if not item.get("delete")}
    begun = next(_begun(entry, pending), None)
    if begun is None:
        return {
            "urn": entry.urn,
            "custom": True,
            "type": entry.type,
            "provider": _provider(entry, pending, before),
            "parent": _parent(entry, before),
            "dependencies": [str(item["urn"]) for item in before if is_cloud_resource(item) and not item.get("delete")],
            **_in_the_cloud(entry),
        }
    dependencies = [urn for urn in items(begun.get("dependencies")) if urn in known]
    return {**begun, "dependencies": dependencies, **_in_the_cloud(entry)}


def _begun(entry: Entry, pending: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The unfinished creates of this resource."""
    for operation in pending:
        if operation["type"] == "creating" and operation["resource"]["urn"] == entry.urn:
            yield operation["resource"]


def _provider(entry: Entry, pending: list[Mapping[str, Any]], resources: Any) -> str | None:
    """`urn::id` of the provider that manages it, None if the state has none."""
    wanted = next((str(begun.get("provider")) for begun in _begun(entry, pending)), entry.provider_ref)
    of_package = [item for item in resources if item["type"] == f"pulumi:providers:{entry.provider}"]
    references = [f"{item['urn']}::{item.get('id')}" for item in of_package]
    if wanted in references:
        return wanted
    # A replaced provider keeps its URN.
    return next(
        (reference for reference in references if reference.rsplit("::", 1)[0] == wanted.rsplit("::", 1)[0]), None
    )


def _parent(entry: Entry, before: list[dict[str, Any]]) -> str | None:
    """The parent, as far as the URN identifies it: it contains the parents' types, not their names."""
    chain = _types(entry.urn).rpartition("$")[0] or "pulumi:pulumi:Stack"
    return next((str(item["urn"]) for item in before if _types(str(item["urn"])) == chain), None)


def _types(urn: str) -> str:
    """The types in a URN; a name may contain the separator."""
    return urn.split("::", 3)[2]


def _with_secrets(value: Any) -> Any:
    """A value in the form of a deployment; the import encrypts its secrets."""
    if isinstance(value, Secret):
        return {_SIGNATURE: _SECRET, "plaintext": json.dumps(_with_secrets(value.value))}
    if is_object(value):
        return {key: _with_secrets(item) for key, item in value.items()}
    if is_list(value):
        return [_with_secrets(item) for item in value]
    return value


def export_deployment(project: Project, stack: str) -> dict[str, Any]:
    """The stack's deployment with encrypted secrets; raises EngineError if the engine does not export it."""
    return json.loads(_engine(project, stack, "export"))


def import_deployment(project: Project, stack: str, document: Mapping[str, Any]) -> None:
    """Replaces the stack's deployment; the engine validates it and encrypts its secrets."""
    _engine(project, stack, "import", text=json.dumps(document))


def _engine(project: Project, stack: str, verb: str, text: str | None = None) -> str:
    folder = stacks.project_for_init(project)
    command = [str(find_engine().binary), "-C", str(folder), "stack", verb, "--stack", stack, "--non-interactive"]
    variables = environment(os.environ, project.store)
    done = subprocess.run(command, env=variables, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip() or done.stdout.strip()
        raise EngineError(f"`pulumi stack {verb}` of {stack} failed, its state is as it was: {reason}")
    return done.stdout
