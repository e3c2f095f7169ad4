"""`gpucluster sandbox status`: resources in the simulated clouds, by provider, region or cluster, and type.

Also lists differences between the clouds and Pulumi's state: orphans, ghosts, and resources kept on purpose.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import click
from pydantic import Field

from gpucluster.core.documents.document import Document, Notes, Row, Section, Table
from gpucluster.core.documents.formats import write
from gpucluster.core.documents.model import Model
from gpucluster.core.program.resources import urn_name
from gpucluster.options import form_of
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project.project import Store, current_project
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.damage import differences


class Resource(Model):
    provider: str
    scope: str = Field(description="region, or API server of a cluster")
    type: str
    name: str
    state: str
    id: str
    urn: str
    created_at: str


class Known(Model):
    urn: str
    id: str | None


class Status(Model):
    """Result of `gpucluster sandbox status --format json`."""

    schema_version: Literal[1] = 1
    counts: dict[str, int]
    resources: list[Resource]
    orphans: list[Known] = Field(description="in the clouds but in no state")
    ghosts: list[Known] = Field(description="in a state but not in the clouds")
    kept: list[Known] = Field(description="released by Pulumi, not deleted")
    living: list[str] = Field(description="clusters with running controllers")


@click.command()
@form_of("table", "json")
def status(form: str) -> None:
    """List what exists in the simulated clouds."""
    project = current_project()
    found, entries = differences(project), sorted(project.store.existing(), key=_place)
    living = _living(project.store, entries)

    def model() -> Status:
        return Status(
            counts=Counter(entry.provider for entry in entries),
            resources=[Resource(**{name: getattr(entry, name) for name in Resource.model_fields}) for entry in entries],
            orphans=[Known.model_validate(entry) for difference in found for entry in difference.orphans],
            ghosts=[Known(urn=str(it["urn"]), id=it.get("id")) for difference in found for it in difference.ghosts],
            kept=[Known.model_validate(entry) for difference in found for entry in difference.kept],
            living=living,
        )

    write(Document(title="", sections=lambda: _sections(entries, found, living), model=model), form, sys.stdout)


def _place(entry: Entry) -> tuple[str, ...]:
    return entry.provider, entry.scope, entry.type, entry.name, entry.id


def _living(store: Store, entries: list[Entry]) -> list[str]:
    """The clusters with running controllers."""
    if not store.servers.is_dir():
        return []
    from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
    from gpucluster.sandbox.live.supervisor import FOLDER, keeper_of

    clusters = {entry.name: servers[0] for entry in entries if (servers := api_servers(entry))}
    return [
        name
        for name, scope in sorted(clusters.items())
        if keeper_of(server_folder(store.servers, scope) / FOLDER) is not None
    ]


def _disagreements(found: list[Difference]) -> Iterator[str]:
    """The resources on one side only, a line each, and the remedy."""
    for difference in found:
        for entry in difference.orphans:
            yield f"orphan: {entry.type} {urn_name(entry.urn)} ({entry.id}) is in the clouds but in no state"
        for ghost in difference.ghosts:
            name = urn_name(str(ghost["urn"]))
            yield f"ghost:  {ghost['type']} {name} ({ghost.get('id')}) is in the state of {difference.stack} but gone"
        for entry in difference.kept:
            yield f"kept:   {entry.type} {urn_name(entry.urn)} ({entry.id}) was released by Pulumi, not deleted"


def _sections(entries: Sequence[Entry], found: list[Difference], living: list[str]) -> Iterator[Section]:
    if not entries:
        yield "Nothing exists in the simulated clouds."
    else:
        yield Table(heads=("name", "type", "state", "id"), rows=[*_rows(entries)], left=range(4), wide=None)
        counts = Counter(entry.provider for entry in entries)
        yield f"{len(entries)} resources: {', '.join(f'{count} {name}' for name, count in sorted(counts.items()))}"
    if living:
        yield Notes("Running; stop it: gpucluster sandbox stop --stack NAME", living)
    if differences := [*_disagreements(found)]:
        yield Notes("Clouds and state differ", differences)
        yield "A command that is running may explain this; after a crash: gpucluster sandbox recover"


def _rows(entries: Sequence[Entry]) -> Iterator[Row]:
    """Below each provider and region or cluster."""
    clusters = {servers[0]: entry.name for entry in entries if (servers := api_servers(entry))}
    before = ("", "")
    for entry in entries:
        group = (entry.provider, entry.scope)
        if group != before:
            yield Row((f"{entry.provider}, {clusters.get(entry.scope, entry.scope)}", "", "", ""), strong=True)
        yield Row((entry.name, entry.type.split(":", 1)[1], entry.state, entry.id))
        before = group
