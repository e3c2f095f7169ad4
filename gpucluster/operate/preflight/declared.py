"""What the program of a plan declares. A separate process finds it while the account is asked: it loads the SDKs of a
whole program.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, Final

from gpucluster.core.program.values import at

_RELEASE: Final = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, kw_only=True)
class Declared:
    """types: of resources. charts: (chart, repository) of Helm releases; no repository for a full OCI reference."""

    types: frozenset[str]
    charts: frozenset[tuple[str, str]]


@contextmanager
def declaring(plan: Any) -> Generator[Callable[[], Declared]]:
    """A function that waits for the result."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"), initializer=_quiet) as pool:
        yield pool.submit(declared_by, plan).result


def _quiet() -> None:
    """An interrupt ends the command, which ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def declared_by(plan: Any) -> Declared:
    """In this process."""
    from gpucluster.operate.quote.plan_declaration import declared

    found = declared(plan)
    releases = [one.inputs for one in found.of_type(_RELEASE)]
    return Declared(
        types=frozenset(one.type for one in found if one.custom),
        charts=frozenset((str(at(one, "chart")), str(at(one, "repositoryOpts", "repo") or "")) for one in releases),
    )
