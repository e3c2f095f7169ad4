"""Which AWS resource types take tags: read once from the installed SDK, kept in `taggable.csv`.

`python -m gpucluster.policies.clouds.aws.taggable` writes the file anew after an update of pulumi-aws; a test
compares the two.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Final

from gpucluster.policies.clouds.sdk_source import sources

__all__ = ["FILE", "read_sdk", "taggable"]

FILE: Final = Path(__file__).with_name("taggable.csv")

_TAGS = re.compile(r"^\s+tags: pulumi\.Input\[(?:Optional\[)?(?:Mapping\[str, |Sequence\[.*GroupTagArgs)", re.MULTILINE)


@functools.cache
def taggable() -> frozenset[str]:
    """Type tokens whose argument `tags` holds the tags of the resource itself."""
    return frozenset(FILE.read_text(encoding="utf-8").splitlines()[1:])


def read_sdk() -> list[str]:
    """The same, from the sources of the installed pulumi-aws; errors: ModuleNotFoundError without it."""
    return sorted({source.token for source in sources("pulumi_aws") if _TAGS.search(source.arguments)})


def main() -> None:
    """Write `taggable.csv`."""
    FILE.write_text("\n".join(("type", *read_sdk(), "")), encoding="utf-8")


if __name__ == "__main__":
    main()
