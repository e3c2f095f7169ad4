"""Install commands for optional packages: each within the range of our extra. We are not on PyPI yet ourselves."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, requires


def installing(package: str) -> str:
    """The command for a package of one of our extras; for any other package, without a version."""
    try:
        ours = requires("gpucluster") or []
    except PackageNotFoundError:
        ours = []
    found = [
        match[1] for each in ours if (match := re.match(rf"{re.escape(package)}((?:[<>=!~].*?)?)\s*(?:;|$)", each))
    ]
    lowest_first = ",".join(sorted(found[0].split(","), reverse=True)) if found else ""
    return f"pip install '{package}{lowest_first}'"
