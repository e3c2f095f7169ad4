"""Which Google Cloud resource types take labels, and under which argument: read once from the installed SDK.

Kept in `labelable.csv`. Types that are not in it, such as networks, firewalls and resource policies, take none.
`python -m gpucluster.policies.clouds.gcp.labelable` writes the file anew after an update of pulumi-gcp; a test
compares the two.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpucluster.policies.clouds.sdk_source import Source, sources

__all__ = ["FILE", "labelable", "read_sdk"]

FILE: Final = Path(__file__).with_name("labelable.csv")

_USER_LABELS: Final = "user_labels"
_LABELS: Final = ("resource_labels", "labels")
# With labels of Google Cloud the provider also returns all that a resource carries. Other arguments called `labels`, of
# a group or a notification channel, mean something else.
_RETURNED: Final = "effective_labels"


@functools.cache
def labelable() -> Mapping[str, str]:
    """Type token -> the input, in camel case, that holds the labels of the resource itself."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["type"]: row["argument"] for row in csv.DictReader(file)}


def read_sdk() -> dict[str, str]:
    """The same, from the sources of the installed pulumi-gcp; errors: ModuleNotFoundError without it."""
    found = {source.token: name for source in sources("pulumi_gcp") if (name := _argument(source)) is not None}
    return {token: re.sub("_(.)", lambda letter: letter[1].upper(), name) for token, name in sorted(found.items())}


def _argument(source: Source) -> str | None:
    for name in (_USER_LABELS, *(_LABELS if _RETURNED in source.code else ())):
        if re.search(rf"^\s+{name}: pulumi\.Input\[(?:Optional\[)?Mapping\[str, ", source.arguments, re.MULTILINE):
            return name
    return None


def main() -> None:
    """Write `labelable.csv`."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("type", "argument"))
        writer.writerows(read_sdk().items())


if __name__ == "__main__":
    main()
