"""`gpucluster sandbox reset`: forgets the simulated clouds."""

from __future__ import annotations

import fcntl
import shutil
import sys

import click

from gpucluster.errors import InputError
from gpucluster.sandbox import disk
from gpucluster.sandbox.project import Store, current_project
from gpucluster.sandbox.recovery.locks import all_locks, refuse_living

__all__ = ["reset"]


@click.command()
@click.option("--yes", is_flag=True, help="Start without asking.")
def reset(yes: bool) -> None:
    """Forget the simulated clouds.

    Removes .sandbox/: the ledger, Pulumi's state, the passphrase, the logs.
    """
    store = current_project().store
    if not store.root.exists():
        click.echo("Nothing to forget.", err=True)
        return
    refused = disk.obstacle(store.root, needed=0)
    if refused:
        raise InputError(refused)
    refuse_living(all_locks(store))
    what = _what_there_is(store)
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"this forgets {what} and removes {store.root}; add --yes to do it")
        click.confirm(f"Forget {what} and remove {store.root}?", abort=True, err=True)
    _remove(store)
    click.echo(f"Forgot {what} and removed {store.root}.", err=True)


def _remove(store: Store) -> None:
    try:
        with store.locked("in-use", fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(store.root)
    except BlockingIOError as error:
        raise InputError(
            f"a command of the sandbox is at work in {store.root}; wait for its end, or end it, and run this again"
        ) from error
    except OSError as error:
        raise InputError(f"{store.root} is not removed whole ({error}); run this again") from error


def _what_there_is(store: Store) -> str:
    """In words, also for a ledger that is damaged: that is one reason to forget it."""
    try:
        return f"{len(store.existing())} simulated resources"
    except InputError:
        return "a ledger that cannot be read"
