"""The programs that a stack needs on a machine: Pulumi, kubectl, and what a kubeconfig calls to log in."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gpucluster.core.catalog.tables import read_rows


@dataclass(frozen=True, kw_only=True)
class Program:
    """cloud: empty if every one needs it. use: who needs it. needs: the program that it calls itself. install: how one
    gets it. login: how one logs in with it. named: what names its user in a spec.
    """

    cloud: str
    use: str
    needs: str
    install: str
    login: str
    named: str

    @property
    def fix(self) -> str:
        """What to do without it."""
        return f"{self.use}; install it: {self.install}"


@cache
def programs() -> Mapping[str, Program]:
    """All, by name."""
    fields = ("cloud", "use", "needs", "install", "login", "named")
    return {
        row["program"]: Program(**{field: row[field] for field in fields})
        for row in read_rows("gpucluster/operate/account/programs.csv")
    }


def programs_of(cloud: str) -> Mapping[str, Program]:
    """What the stacks of a cloud need."""
    return {name: one for name, one in programs().items() if one.cloud in ("", cloud)}


def not_installed(name: str) -> list[str]:
    """A line for a program, and one for what it calls, if it is not on PATH; none for a program of others."""
    known = programs().get(name)
    if known is None:
        return []
    lines = [] if shutil.which(name) else [f"command: {name} is not on PATH; {known.fix}"]
    return lines + (not_installed(known.needs) if known.needs else [])
