"""Parts of a change that affect its judgement, by the names of its files and by the exemptions in its plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from types import MappingProxyType
from typing import Final

from gpucluster.pull_request.base_and_head import LOCKS

_KINDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "policies": ("policies/*", "*/policies/*", "PulumiPolicy.yaml", "*/PulumiPolicy.yaml"),
        "prices": ("cost/prices/*", "*prices*.csv"),
        "workflows": (".github/*", ".gitlab-ci.yml", "ci/*", ".ci/*"),
        "the lock": (*LOCKS, *(f"*/{pattern}" for pattern in LOCKS), "pyproject.toml", "package.json"),
        "the check itself": ("pull_request/*", "cost/*", "program/*", "sandbox/*", "Makefile"),
    }
)
"""Kind -> patterns of paths, the first matching kind counts; `*` matches across folders."""


def touched(files: Iterable[str]) -> dict[str, list[str]]:
    """Kind -> its changed files, in the order above; kinds without any are omitted."""
    found: dict[str, list[str]] = {}
    for file in sorted(files):
        kind = next((kind for kind, patterns in _KINDS.items() if any(fnmatch(file, one) for one in patterns)), None)
        if kind is not None:
            found.setdefault(kind, []).append(file)
    return {kind: found[kind] for kind in _KINDS if kind in found}
