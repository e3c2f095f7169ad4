"""Rebuilds a ledger from the states, and creates an empty state that adopts the ledger's resources."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from gpucluster.errors import InputError
from gpucluster.light_import import stand_in_for_the_sdk
from gpucluster.sandbox import stacks
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.sdk import installed_sdks, site_packages
from gpucluster.sandbox.clouds.values import from_wire, to_struct
from gpucluster.sandbox.engine.find import find_engine
from gpucluster.sandbox.environment import environment
from gpucluster.sandbox.project import Project
from gpucluster.sandbox.recovery.copies import put_back, put_back_cut_states, version_of
from gpucluster.sandbox.recovery.engine import export_deployment
from gpucluster.sandbox.recovery.state import is_cloud_resource, state_files
from gpucluster.sandbox.type_guards import items, mapping


def make_state(project: Project, stack: str, file: Path) -> None:
    """Creates a state without resources; raises InputError if the engine refuses."""
    put_back(None, file)
    stacks.make(project, stack, find_engine(), environment(os.environ, project.store))


def make_ledger(project: Project) -> None:
    """Rebuilds the ledger from all states; raises InputError for a package whose SDK is not installed.

    Resources in no state are lost: those older than any stack, and those that Pulumi released without deleting them.
    """
    store = project.store
    put_back_cut_states(project)
    anew = store.ledger.with_name(f".{store.ledger.name}.{os.getpid()}")
    with tempfile.TemporaryDirectory() as folder, closing(Ledger(Path(folder) / "ledger", store.vault)) as ledger:
        for stack in state_files(project):
            document = export_deployment(project, stack, show_secrets=True)
            _restore(project, items(mapping(document.get("deployment")).get("resources")), ledger)
        anew.touch(mode=0o600)
        ledger.copy_to(anew, max(map(version_of, store.whole_copies()), default=0))
    put_back(None, store.ledger)
    anew.replace(store.ledger)


def _restore(project: Project, resources: list[Mapping[str, Any]], ledger: Ledger) -> None:
    """In the order of the state: a cluster is created before its objects."""
    stand_in_for_the_sdk()
    from pulumi.runtime.proto import provider_pb2

    from gpucluster.sandbox.clouds.provider import Provider
    from gpucluster.sandbox.clouds.registry import Clouds

    sdks = installed_sdks(site_packages(project.virtualenv))
    clouds, providers = Clouds(sdks, ledger), dict[str, Provider]()
    settings = {f"{item['urn']}::{item.get('id')}": item for item in resources}
    for resource in resources:
        if not is_cloud_resource(resource) or resource.get("external") or resource.get("pendingReplacement"):
            continue
        reference, package = str(resource["provider"]), str(resource["type"]).split(":")[0]
        if package not in sdks:
            raise InputError(f"the SDK of {package} is not installed: install it, then run this again")
        if reference not in providers:
            providers[reference] = clouds.provider(package)
            urn, _, id_ = reference.rpartition("::")
            args = to_struct(from_wire(mapping(settings[reference].get("inputs"))))
            providers[reference].Configure(provider_pb2.ConfigureRequest(urn=urn, id=id_, args=args), _Refusal())
        values = {side: from_wire(mapping(resource.get(side))) for side in ("inputs", "outputs")}
        created = str(resource.get("created") or "1970-01-01T00:00:00Z")
        providers[reference].restore(str(resource["urn"]), str(resource["id"]), values, created)


class _Refusal:
    """Ends a call that a provider refuses."""

    def abort(self, _: object, message: str) -> None:
        raise InputError(message)
