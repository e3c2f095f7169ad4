"""The Pulumi project around the current folder, and the sandbox's own files inside it."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from sandbox.clouds.ledger import Entry, Ledger
from sandbox.narrow import is_object

__all__ = ["InputError", "Project", "Store", "find_project"]


class InputError(Exception):
    """Something the user asked for cannot be done; the message says what to change."""


@dataclass(frozen=True)
class Store:
    """The files of the sandbox of one project, all under `.sandbox/`, which git ignores.

    Deleting the folder forgets everything: Pulumi's state, the simulated clouds, and the passphrase of the stacks.
    """

    root: Path

    @property
    def state(self) -> Path:
        """Pulumi's file backend."""
        return self.root / "state"

    @property
    def home(self) -> Path:
        """PULUMI_HOME: plugins, the selected stack, logs."""
        return self.root / "home"

    @property
    def user(self) -> Path:
        """HOME of programs and packs; without the keys and kubeconfigs of the real one."""
        return self.root / "user"

    @property
    def stacks(self) -> Path:
        """A bare project folder in which `pulumi stack init` leaves its file, instead of the working tree."""
        return self.root / "stacks"

    @property
    def ledger(self) -> Path:
        """What exists in the simulated clouds."""
        return self.root / "clouds.sqlite3"

    @property
    def servers(self) -> Path:
        """Real API servers: a folder for each cluster that was asked."""
        return self.root / "kubernetes"

    @contextmanager
    def open_ledger(self) -> Generator[Ledger]:
        """The ledger, made where there is none; raises InputError for a file that is none."""
        try:
            ledger = Ledger(self.ledger)
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.ledger} cannot be read ({error}); `sandbox reset` forgets it") from error
        try:
            yield ledger
        finally:
            ledger.close()

    def existing(self) -> list[Entry]:
        """Everything in the simulated clouds, sorted as it is shown."""
        if not self.ledger.exists():
            return []
        with self.open_ledger() as ledger:
            return sorted(
                ledger.all(), key=lambda entry: (entry.provider, entry.scope, entry.type, entry.name, entry.id)
            )

    @property
    def log(self) -> Path:
        """Faults of the sandbox itself."""
        return self.root / "clouds.log"

    @property
    def passphrase(self) -> Path:
        """The random passphrase that encrypts secrets in the state, made at first use."""
        file = self.root / "passphrase"
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_hex(32))
        return file

    def prepare(self) -> None:
        """Makes the folders that must be there before the engine starts."""
        self.root.mkdir(mode=0o700, exist_ok=True)
        for folder in (self.state, self.home, self.user, self.stacks):
            folder.mkdir(exist_ok=True)
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
    def settings(self) -> Mapping[str, Any]:
        """The content of Pulumi.yaml."""
        try:
            settings = yaml.safe_load(self.file.read_text())
        except yaml.YAMLError as error:
            raise InputError(f"{self.file} is no valid YAML: {error}") from error
        if not is_object(settings) or not settings.get("name"):
            raise InputError(f"{self.file} has no `name`; a Pulumi project needs one")
        return settings

    @property
    def name(self) -> str:
        """The project's name."""
        return str(self.settings["name"])

    @property
    def store(self) -> Store:
        """The sandbox's own files."""
        return Store(self.root / ".sandbox")

    @property
    def virtualenv(self) -> Path | None:
        """The virtual environment Pulumi.yaml names, None when it names none."""
        runtime = self.settings.get("runtime")
        options = runtime.get("options") if is_object(runtime) else None
        folder = options.get("virtualenv") if is_object(options) else None
        return self.root / folder if folder else None

    @property
    def stack_folder(self) -> Path:
        """Where the stacks' configuration files are."""
        return self.root / str(self.settings.get("stackConfigDir") or ".")

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
    """The nearest project from a folder upward, None when there is none."""
    for candidate in (folder, *folder.parents):
        for name in ("Pulumi.yaml", "Pulumi.yml"):
            if (candidate / name).is_file():
                return Project(candidate / name)
    return None
