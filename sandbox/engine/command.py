"""`gpucluster sandbox engine`: the Pulumi engine in use, and its cache."""

from __future__ import annotations

import json

import click

from gpucluster.options import form_of
from gpucluster.sandbox.engine import engine as release
from gpucluster.sandbox.engine import find
from gpucluster.sandbox.engine.engine import Engine

_ORIGINS = {
    "PATH": "installed on this machine, found on PATH",
    "release": "official release, downloaded",
    "built": "built from its Go module",
}


@click.command("engine")
@click.option("--build", is_flag=True, help="Build the engine into the cache, even if one exists.")
@click.option("--clear", is_flag=True, help="Remove engines and Go toolchains from the cache.")
@form_of("table", "json")
def engine(build: bool, clear: bool, form: str) -> None:
    """Show or build the Pulumi engine in use.

    If there is none, it is downloaded or built first.
    """
    if build and clear:
        raise click.UsageError("--build and --clear: give one of them.")
    if clear:
        with find.installation_lock(find.say_on_stderr):
            removed = find.clear()
        click.echo(f"{'Emptied' if removed else 'Nothing was in'} {find.cache_folder()}", err=True)
        return
    facts = _facts(find.rebuild_engine() if build else find.find_engine())
    if form == "json":
        click.echo(json.dumps(facts, indent=2))
    else:
        for name, value in facts.items():
            click.echo(f"{name.replace('_', ' '):14}{_ORIGINS.get(value, value) if name == 'origin' else value}")


def _facts(engine: Engine) -> dict[str, str]:
    return {
        "version": engine.version,
        "accepted": release.ACCEPTED_RANGE,
        "origin": engine.origin,
        "binary": str(engine.binary),
        "language_host": str(engine.language_host / "pulumi-language-python")
        if engine.language_host
        else "the engine's own",
        "cache": str(find.cache_folder()),
    }
