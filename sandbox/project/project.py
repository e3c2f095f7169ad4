"""The Pulumi project around the current folder, and the sandbox's own files inside it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from gpucluster.core.text.project_file import ProjectFile, read_project
from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.store.ledger import DamagedLedgerError, Entry, Ledger
from gpucluster.sandbox.clouds.store.ledger_tables import Vault
from gpucluster.sandbox.machine import disk

__all__ = ["DamagedFileError", "InputError", "Project", "Store", "current_project", "find_project", "replace_text"]

_OF_THE_DISK: Final = (
    "SQLITE_CANTOPEN",
    "SQLITE_READONLY",
    "SQLITE_PERM",
    "SQLITE_FULL",
    "SQLITE_IOERR",
    "SQLITE_BUSY",
)
"""Errors of SQLite that are unrelated to the file's content."""


class DamagedFileError(InputError):
    """A file of the sandbox is damaged.

    wrong: the damage and the file, without a remedy.
    """

    def __init__(self, wrong: str) -> None:
        super().__init__(
            f"{wrong}; `gpucluster sandbox recover` repairs it, `gpucluster sandbox reset` forgets everything"
        )
        self.wrong = wrong


def replace_text(file: Path, text: str, *, mode: int = 0o666) -> None:
    """Writes a file completely or not at all, even with several concurrent writers."""
    scratch = file.with_name(f".{file.name}.{os.getpid()}")
    scratch.touch(mode=mode)
    scratch.write_text(text)
    scratch.replace(file)


@dataclass(frozen=True)
class Store:
    """The files of the sandbox of one project, all under `.sandbox/`, which git ignores.

    Deleting the folder deletes everything: Pulumi's state, the simulated clouds, and the passphrase of the stacks.
    """

    root: Path

    @property
    def state(self) -> Path:
        """Pulumi's file backend."""
        return self.root / "state"

    def states(self, project: str) -> Path:
        """The backend's folder of a project's states, one file for each stack."""
        return self.state / ".pulumi" / "stacks" / project

    @property
    def home(self) -> Path:
        """PULUMI_HOME: plugins, the selected stack."""
        return self.root / "home"

    @property
    def user(self) -> Path:
        """HOME of programs and packs; without the keys and kubeconfigs of the user's HOME."""
        return self.root / "user"

    @property
    def stacks(self) -> Path:
        """A bare project folder in which `pulumi stack init` writes its file, instead of the working tree."""
        return self.root / "stacks"

    @property
    def ledger(self) -> Path:
        """The ledger of the simulated clouds."""
        return self.root / "clouds.sqlite3"

    @property
    def servers(self) -> Path:
        """Real API servers: a folder for each cluster with one."""
        return self.root / "kubernetes"

    @property
    def copies(self) -> Path:
        """Copies of state and ledger after the last command."""
        return self.root / "copies"

    @contextmanager
    def locked(self, name: str, how: int) -> Generator[None]:
        """Holds a system lock, which ends with the process; how: as for flock."""
        with (self.root / name).open("a") as lock:
            fcntl.flock(lock, how)
            yield

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Blocks `gpucluster sandbox reset` while a command uses the files."""
        with self.locked("in-use", fcntl.LOCK_SH):
            yield

    @contextmanager
    def open_ledger(self) -> Generator[Ledger]:
        """The ledger, created if missing; raises InputError if the file cannot be read, or becomes unreadable."""
        ledger: Ledger | None = None
        try:
            ledger = Ledger(self.ledger, self.vault)
            yield ledger
        except (sqlite3.DatabaseError, DamagedLedgerError) as error:
            raise self._unreadable(error) from error
        finally:
            if ledger is not None:
                ledger.close()

    def _unreadable(self, error: Exception) -> InputError:
        name = str(getattr(error, "sqlite_errorname", ""))
        if self.ledger.is_dir():
            return DamagedFileError(f"{self.ledger} is a folder")
        if name.startswith(_OF_THE_DISK):
            why = disk.obstacle(self.root, needed=disk.LEAST) or disk.obstacle(self.ledger, needed=0)
            return InputError(why or f"{self.ledger} cannot be used now: {error}")
        return DamagedFileError(f"{self.ledger} is damaged ({error})")

    @property
    def ledger_copy(self) -> Path:
        """The path of the ledger's copy after the last command."""
        return self.copies / self.ledger.name

    def whole_copy(self) -> Path | None:
        """The copy of the ledger, None if it cannot be read."""
        with suppress(sqlite3.DatabaseError, DamagedLedgerError, OSError):
            if self.ledger_copy.is_file():
                with closing(Ledger(self.ledger_copy, self.vault)) as copy:
                    copy.verify()
                return self.ledger_copy
        return None

    def existing(self) -> list[Entry]:
        """Everything in the simulated clouds, oldest first; raises InputError if some of it cannot be read."""
        if not self.ledger.exists():
            return []
        with self.open_ledger() as ledger:
            ledger.verify()
            return ledger.all()

    @property
    def log(self) -> Path:
        """Faults of the sandbox itself."""
        return self.root / "clouds.log"

    @property
    def vault(self) -> Vault:
        """Encrypts secrets in the ledger."""
        return Vault(self.root / "passphrase")

    @property
    def passphrase(self) -> Path:
        """The random passphrase that encrypts secrets in state and ledger, created at first use."""
        return self.vault.made()

    def prepare(self) -> None:
        """Creates the folders that the engine needs at its start; raises InputError without write permission."""
        refused = disk.obstacle(self.root)
        if refused:
            raise InputError(refused)
        self.root.mkdir(mode=0o700, exist_ok=True)
        # Private on their own, for a root folder that another umask or a copy has opened.
        for folder in (self.state, self.home, self.user, self.stacks, self.copies):
            folder.mkdir(mode=0o700, exist_ok=True)
        ignore = self.root / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")


@dataclass(frozen=True)
class Project:
    """A Pulumi project: the file that declares it."""

    file: Path

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.file.parent

    @cached_property
    def settings(self) -> ProjectFile:
        """The content of Pulumi.yaml. Raises InputError."""
        return read_project(self.file)

    @property
    def name(self) -> str:
        """The project's name."""
        return self.settings.name

    @property
    def store(self) -> Store:
        """The sandbox's own files."""
        return Store(self.root / ".sandbox")

    @property
    def runtime(self) -> str:
        """The language of the program, such as python or yaml; empty if Pulumi.yaml has none."""
        return self.settings.runtime

    @property
    def virtualenv(self) -> Path | None:
        """The virtual environment in Pulumi.yaml; None without one."""
        folder = self.settings.virtualenv
        return self.root / folder if folder else None

    @property
    def stack_folder(self) -> Path:
        """The folder of the stacks' configuration files."""
        return self.root / self.settings.stack_folder

    def stack_file(self, stack: str) -> Path:
        """The configuration file of a stack, which need not exist."""
        return self.stack_folder / f"Pulumi.{stack}.yaml"

    def stacks(self) -> list[str]:
        """The stacks with a configuration file in the working tree."""
        names = (
            file.name.removeprefix("Pulumi.").removesuffix(".yaml") for file in self.stack_folder.glob("Pulumi.*.yaml")
        )
        return sorted(names)


def find_project(folder: Path) -> Project | None:
    """The nearest project from a folder upward, None when there is none.

    Raises InputError for a path that is no UTF-8, with which the engine fails.
    """
    try:
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the path {str(folder)!r} is no UTF-8, as the engine needs it; rename the folder") from error
    for candidate in (folder, *folder.parents):
        for name in ("Pulumi.yaml", "Pulumi.yml"):
            if (candidate / name).is_file():
                return Project(candidate / name)
    return None


def current_project() -> Project:
    """The project around the current folder; raises InputError when there is none."""
    project = find_project(Path.cwd())
    if project is None:
        raise InputError(f"no Pulumi.yaml in {Path.cwd()} or above; run this in a Pulumi project")
    return project
