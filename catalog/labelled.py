"""Resource types with labels or tags, and the argument that holds them: `labelled_PACKAGE.csv` for each SDK.

The source of these rows is the SDK in `requirements.lock`: `python -m gpucluster.catalog.labelled` regenerates them
after an SDK update, and a test compares the two. Types that are missing, such as networks, firewalls and resource
policies of Google Cloud, have no labels.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.rows import rows
from gpucluster.catalog.sdk_source import Source, sources

PACKAGES: Final = tuple(cloud.package for cloud in clouds().values())

# Other arguments called `tags`, lists and texts, are different; only an Auto Scaling group has a list of tags.
_TAGS: Final = {
    "aws": r"(?:Optional\[)?(?:Mapping\[str, |Sequence\[.*GroupTagArgs)",
    "azure-native": r"Optional\[Mapping\[str, pulumi\.Input\[_builtins\.str\]\]\]\]",
}
_USER_LABELS: Final = "user_labels"
_LABELS: Final = ("resource_labels", "labels")
# If a type has Google Cloud labels, the provider also returns all labels of a resource. Other arguments called
# `labels`, of a group or a notification channel, are different.
_RETURNED: Final = "effective_labels"


def argument_of(type_: str) -> str | None:
    """The input, in camel case, with the labels of the resource itself; None for a type without labels."""
    package = type_.partition(":")[0]
    return labelled(package).get(type_) if package in PACKAGES else None


@functools.cache
def labelled(package: str) -> Mapping[str, str]:
    """Type token -> that input, of one SDK."""
    return {row["type"]: row["argument"] for row in rows(f"labelled_{package}")}


def read_sdk(package: str) -> dict[str, str]:
    """The same, from the sources of the installed SDK; raises ModuleNotFoundError without it."""
    installed = sources(f"pulumi_{package.replace('-', '_')}")
    found = {source.token: name for source in installed if (name := _argument(package, source)) is not None}
    return {token: re.sub("_(.)", lambda letter: letter[1].upper(), name) for token, name in sorted(found.items())}


def _argument(package: str, source: Source) -> str | None:
    if package in _TAGS:
        return "tags" if _takes(source, "tags", _TAGS[package]) else None
    names = (_USER_LABELS, *(_LABELS if _RETURNED in source.code else ()))
    return next((name for name in names if _takes(source, name, r"(?:Optional\[)?Mapping\[str, ")), None)


def _takes(source: Source, name: str, type_: str) -> bool:
    return re.search(rf"^\s+{name}: pulumi\.Input\[{type_}", source.arguments, re.MULTILINE) is not None


def main() -> None:
    """Write every table."""
    for package in PACKAGES:
        with Path(__file__).with_name(f"labelled_{package}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("type", "argument"))
            writer.writerows(read_sdk(package).items())


if __name__ == "__main__":
    main()
