"""Plan and state files as columns of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, TextIO

from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import Resources
from gpucluster.cost.comparison.compare import Column
from gpucluster.cost.comparison.figures import cluster_of
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.usage import check_names

_MOST: Final = 6
"""Maximum of columns, for readability."""


def columns_of(files: Sequence[TextIO], book: PriceBook, assumptions: Assumptions) -> list[Column]:
    """A column for each file, titled by its stack, and by its file if several have the same stack.

    NotReadable has one line for each file that cannot be used.
    """
    if not 2 <= len(files) <= _MOST:
        given = "1 file" if len(files) == 1 else f"{len(files)} files"
        raise NotReadable(f"{given} to compare; give 2 to {_MOST}, a plan or state of each stack")
    read: list[tuple[str, Resources]] = []
    problems: list[str] = []
    for file in files:
        what = "stdin" if file.name == "<stdin>" else file.name
        try:
            resources = read_text(file.read(), what)
        except UnicodeDecodeError:
            problems.append(f"{what} is not text; give a plan or state file in JSON")
        except NotReadable as error:
            problems.append(str(error))
        else:
            if not len(resources):
                problems.append(f"{what} has no resources; give a plan or state of a stack that has some")
            read.append((what, resources))
    if problems:
        raise NotReadable("\n".join(problems))
    check_names(assumptions, *(resources for _, resources in read))
    stacks = [resources.stack for _, resources in read]
    times = Counter(stacks)
    return [
        Column(
            title=stack if times[stack] == 1 else f"{stack} ({what})",
            estimate=estimate(resources, book, assumptions),
            cluster=cluster_of(resources),
        )
        for stack, (what, resources) in zip(stacks, read, strict=True)
    ]
