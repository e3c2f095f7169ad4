"""`gpucluster cost types`."""

from __future__ import annotations

import json

import click

from gpucluster.catalog.free import free_types
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.options import form_of


@click.command()
@form_of("table", "json")
def types(form: str) -> None:
    """List the resource types that are priced or free.

    Free types are listed with their source.
    """
    priced = {name: (handler.__doc__ or "").strip().splitlines()[0] for name, handler in priced_types().items()}
    free = free_types()
    if form == "json":
        listed = {name: {"why": why, "source": source} for name, (why, source) in free.items()}
        click.echo(json.dumps({"schema_version": 1, "priced": priced, "free": listed}, indent=2))
        return
    click.echo(f"Priced ({len(priced)})")
    for name, text in priced.items():
        click.echo(f"  {name}\n      {text}")
    click.echo(f"\nFree ({len(free)})")
    for name, (why, source) in free.items():
        click.echo(f"  {name}\n      {why} ({source})")
    click.echo("\nAny other type is reported as not priced.")
