"""`gpucluster sandbox kubernetes`: the real API server the sandbox can run, and its cache."""

from __future__ import annotations

import json

import click

from gpucluster.cache import cache_folder, empty
from gpucluster.options import form_of

__all__ = ["kubernetes"]


@click.command("kubernetes")
@click.option("--build", is_flag=True, help="Build the programs into the cache, even where they are.")
@click.option("--clear", is_flag=True, help="Remove the programs and the definitions from the cache.")
@form_of("table", "json")
def kubernetes(build: bool, clear: bool, form: str) -> None:
    """Show or build the Kubernetes API server.

    It is the one behind `--kubernetes real`; where there is none, it is built first.
    """
    # Imported late: every `gpucluster sandbox pulumi` would wait for it.
    from gpucluster.sandbox.api_server import binaries, definitions

    if build and clear:
        raise click.UsageError("--build and --clear: give one of them.")
    if clear:
        removed = empty(cache_folder() / "kubernetes", cache_folder() / "definitions")
        click.echo(f"{'Emptied' if removed else 'Nothing was in'} {cache_folder()}", err=True)
        return
    programs = binaries.find_binaries(anew=build)
    lacking = definitions.fetch_all()
    rows = [
        {
            "brought_by": " ".join(filter(None, (source.brought_by, source.version))),
            "module": f"{source.module} {source.module_version}",
            "lacking": lacking.get(source.module, ""),
        }
        for source in definitions.sources()
    ]
    if form == "json":
        document = {"version": binaries.VERSION, "programs": str(programs.folder), "definitions": rows}
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(f"version   {binaries.VERSION}\nprograms  {programs.folder}\ndefinitions")
    width = max(len(row["brought_by"]) for row in rows)
    for row in rows:
        click.echo(f"  {row['brought_by']:{width}}  {row['lacking'] or row['module']}")
