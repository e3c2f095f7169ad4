"""`sandbox reset`: forgets the simulated clouds."""

from __future__ import annotations

import shutil
import sys

import click

from sandbox.project import InputError
from sandbox.status import current_project

__all__ = ["reset"]


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(yes: bool) -> None:
    """Forget the simulated clouds.

    Removes .sandbox/: the ledger, Pulumi's state, the passphrase, the logs.
    """
    store = current_project().store
    if not store.root.exists():
        click.echo("Nothing to forget.", err=True)
        return
    what = _what_there_is()
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"this forgets {what} and removes {store.root}; add --yes to do it")
        click.confirm(f"Forget {what} and remove {store.root}?", abort=True, err=True)
    shutil.rmtree(store.root)
    click.echo(f"Forgot {what} and removed {store.root}.", err=True)


def _what_there_is() -> str:
    """In words, also for a ledger that is damaged: that is one reason to forget it."""
    try:
        return f"{len(current_project().store.existing())} simulated resources"
    except InputError:
        return "a ledger that cannot be read"
