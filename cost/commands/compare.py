"""`gpucluster cost compare`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final, TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import Resources
from gpucluster.cost.commands.options import AMOUNT, POSITIVE, pricing, tflops_of, tflops_option
from gpucluster.cost.comparison import compare as compared
from gpucluster.cost.comparison.compare import Column
from gpucluster.cost.comparison.figures import Ask, cluster_of
from gpucluster.cost.documents.comparison.comparison import comparison_document
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.options import form_of, output

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


@click.command()
@click.argument(
    "files",
    type=click.File(encoding="utf-8"),
    nargs=-1,
    required=True,
    metavar="FILE FILE...",
    help="Plans or states, 2 to 6, a column each; - for stdin.",
)
@form_of("table", "json", "csv", "markdown", "html")
@click.option("--dataset-tb", type=POSITIVE, help="Dataset to move out once, in decimal TB: shows days and price.")
@click.option("--gbps", type=POSITIVE, help="Transfer bandwidth in Gb/s.  [default: 100]")
@click.option("--flow-gbps", type=POSITIVE, help="Constant egress in Gb/s: shows the price of 30 days.")
@click.option("--usd-per-gb", type=AMOUNT, help="USD per decimal GB of egress.  [default: the price list]")
@click.option("--kw-per-node", type=POSITIVE, help="kW per node.  [default: the known value of its type]")
@tflops_option
@output
@pricing
def compare(
    files: tuple[TextIO, ...],
    form: str,
    output: TextIO,
    assumptions: Assumptions,
    prices: str | None,
    tflops: tuple[str, ...],
    **numbers: Decimal | None,
) -> None:
    """Compare several stacks side by side.

    Shows the specification, cost and losses of each. Parts
    are ranked if every column prices them; a total with something unpriced in it is ranked if its bounds leave only
    one place.
    html is one page that needs no network, with charts.

    Other figures: the price of a GPU-hour and of 1,000 TF32 TFLOPS, CO2e, time and price of moving data, and GPUs by
    the hour of other providers; those without a known fabric are shown but not ranked.

    In this repository `make compare` previews the given stacks and compares them: make compare
    STACKS="aws-trial gcp-trial".
    """
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    ask = Ask(tflops=tflops_of(tflops), **given)
    book = PriceBook.in_use(prices)
    found = compared(columns_of(files, book, assumptions), book, ask)
    write(comparison_document(found), form, output)
