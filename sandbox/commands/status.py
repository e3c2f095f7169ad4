"""`gpucluster sandbox status`: resources in the simulated clouds, by provider, region or cluster, and type.

Also lists differences between the clouds and Pulumi's state: orphans, ghosts, and resources kept on purpose.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator

import click

from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.terminal import beneath, plain, shows_styles
from gpucluster.options import form_of
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project.project import Store, current_project
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.damage import differences

_COLUMNS = ("provider", "scope", "type", "name", "state", "id")


@click.command()
@form_of("table", "json")
def status(form: str) -> None:
    """List what exists in the simulated clouds."""
    project = current_project()
    found, entries = differences(project), sorted(project.store.existing(), key=_place)
    if form == "json":
        click.echo(json.dumps(_document(entries, found, _living(project.store, entries)), indent=2))
    else:
        _print(entries)
        for name in _living(project.store, entries):
            click.echo(f"running: {name}; stop it: gpucluster sandbox stop")
        for line in _disagreements(found):
            click.echo(line)


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


def _document(entries: list[Entry], found: list[Difference], living: list[str]) -> dict[str, object]:
    """`{"schema_version": 1, "counts": {..}, "resources": [..], "orphans": [..], "ghosts": [..], "kept": [..],
    "living": [..]}`.
    """
    resources = [
        {**{column: getattr(entry, column) for column in _COLUMNS}, "urn": entry.urn, "created_at": entry.created_at}
        for entry in entries
    ]
    return {
        "schema_version": 1,
        "counts": Counter(entry.provider for entry in entries),
        "resources": resources,
        "orphans": [{"urn": entry.urn, "id": entry.id} for difference in found for entry in difference.orphans],
        "ghosts": [{"urn": it["urn"], "id": it.get("id")} for difference in found for it in difference.ghosts],
        "kept": [{"urn": entry.urn, "id": entry.id} for difference in found for entry in difference.kept],
        "living": living,
    }


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
    if any(found):
        yield "\nA command that is running may explain this; after a crash: gpucluster sandbox recover"


def _print(entries: list[Entry]) -> None:
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not entries:
        click.echo("Nothing exists in the simulated clouds.")
        return
    terminal = beneath(sys.stdout)
    bold = "bold" if shows_styles(terminal) else ""
    table = Table(*(column.capitalize() for column in _COLUMNS), box=None, pad_edge=False, header_style=bold)
    clusters = {servers[0]: entry.name for entry in entries if (servers := api_servers(entry))}
    before = ("", "")
    for entry in entries:
        group = (entry.provider, entry.scope)
        shown = group if group != before else ("", "")
        provider, scope = shown
        cells = (provider, clusters.get(scope, scope), entry.type.split(":", 1)[1], entry.name, entry.state, entry.id)
        table.add_row(*(Text(plain(cell)) for cell in cells))
        before = group
    # Outside a terminal nothing may be truncated: users copy the ids.
    Console(file=terminal, width=None if terminal.isatty() else 1000).print(table)
    counts = Counter(entry.provider for entry in entries)
    click.echo(f"\n{len(entries)} resources: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
