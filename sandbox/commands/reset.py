"""`gpucluster sandbox reset`: deletes the simulated clouds."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress

import click

from gpucluster.errors import InputError
from gpucluster.sandbox.machine import disk
from gpucluster.sandbox.project.project import Store, current_project
from gpucluster.sandbox.state.locks import all_locks, refuse_living


@click.command()
@click.option("--yes", is_flag=True, help="Start without asking.")
def reset(yes: bool) -> None:
    """Delete the simulated clouds.

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
    _end_clusters(store)
    _remove(store)
    click.echo(f"Forgot {what} and removed {store.root}.", err=True)


def _end_clusters(store: Store) -> None:
    if store.servers.is_dir():
        from gpucluster.sandbox.live.supervisor import stop

        for folder in store.servers.iterdir():
            stop(folder)


def _remove(store: Store) -> None:
    try:
        with store.locked("in-use", fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(store.root)
    except BlockingIOError as error:
        at_work = ", ".join(f"process {number}" for number in _at_work(store)) or "a command of the sandbox"
        raise InputError(
            f"{at_work} is at work in {store.root}; wait until it ends, or end it, then run this again"
        ) from error
    except OSError as error:
        raise InputError(f"{store.root} is only partly removed ({error}); run this again") from error


def _at_work(store: Store) -> Iterator[int]:
    """The other processes whose use of the files prevents their removal."""
    import psutil  # Imported late: nearly every reset finds none.

    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and str(store.root / "in-use") in {it.path for it in process.open_files()}:
                yield process.pid


def _what_there_is(store: Store) -> str:
    """Describes the content, even of a damaged ledger: damage is one reason for a reset."""
    try:
        return f"{len(store.existing())} simulated resources"
    except InputError:
        return "a ledger that cannot be read"
