"""`gpucluster sandbox kubernetes`: the API server and the controllers of the sandbox, and their cache."""

from __future__ import annotations

import json

import click

from gpucluster.core.cache import cache_folder, empty
from gpucluster.options import form_of


@click.command("kubernetes")
@click.option("--build", is_flag=True, help="Build the programs into the cache, even if they exist.")
@click.option("--clear", is_flag=True, help="Remove the programs and the definitions from the cache.")
@click.option("--live", is_flag=True, help="Build the controllers of `--kubernetes live` too.")
@form_of("table", "json")
def kubernetes(build: bool, clear: bool, live: bool, form: str) -> None:
    """Show or build Kubernetes' programs.

    The API server of `--kubernetes real` is built first if it is missing. The controllers of `--kubernetes live` are
    listed, and built by --live.
    """
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.api_server import binaries, definitions
    from gpucluster.sandbox.engine.find import say_on_stderr
    from gpucluster.sandbox.live import programs as controllers
    from gpucluster.sandbox.live.charts import CHARTS, RENDERED, fetch

    if build and clear:
        raise click.UsageError("--build and --clear: give one of them.")
    if clear:
        removed = empty(cache_folder() / "kubernetes", cache_folder() / "definitions", *controllers.folders())
        click.echo(f"{'Emptied' if removed else 'Nothing was in'} {cache_folder()}", err=True)
        return
    programs = binaries.find_binaries(rebuild=build)
    lacking = definitions.fetch_all()
    if live:
        controllers.build(say_on_stderr)
        for chart in (*CHARTS.values(), *RENDERED.values()):
            fetch(chart, say_on_stderr)
    paths = {program.name: str(program.path) if program.is_there() else "" for program in controllers.programs()}
    rows = [
        {
            "brought_by": " ".join(filter(None, (source.brought_by, source.version))),
            "module": f"{source.module} {source.module_version}",
            "lacking": lacking.get(source.module, ""),
        }
        for source in definitions.sources()
    ]
    if form == "json":
        document = {
            "version": binaries.VERSION,
            "programs": str(programs.folder),
            "controllers": paths,
            "definitions": rows,
        }
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(f"version   {binaries.VERSION}\nprograms  {programs.folder}\ncontrollers")
    for name, path in paths.items():
        click.echo(f"  {name:{max(map(len, paths))}}  {path or 'not built: gpucluster sandbox kubernetes --live'}")
    click.echo("definitions")
    width = max(len(row["brought_by"]) for row in rows)
    for row in rows:
        click.echo(f"  {row['brought_by']:{width}}  {row['lacking'] or row['module']}")
