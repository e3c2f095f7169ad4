"""`gpucluster quote`."""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from gpucluster.components.stack.first_spec import relative_schema
from gpucluster.core.documents.formats import write
from gpucluster.core.program.facts import Terms
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.money import ranged
from gpucluster.cost.pricing.terms import BadTerms, terms_from_options
from gpucluster.errors import Exit, InputError
from gpucluster.operate.quote.document import quote_document
from gpucluster.operate.quote.market import known_regions
from gpucluster.operate.quote.question import question_of
from gpucluster.operate.quote.quotes import Answer, Quote, answer
from gpucluster.operate.quote.spec_values import PLACE, budget_of, spec_text
from gpucluster.operate.quote.text import empty, left_out, what
from gpucluster.options import form_of, output, quiet, stack_option


@click.command()
@click.option("--gpus", metavar="N", help="GPUs that jobs can use, in nodes of 8; required.")
@click.option("--for", "lasting", metavar="TIME", help="How long: 12h, 30d, 2w or 1y; required.")
@click.option("--storage", metavar="SIZE", help="Data on shared storage, such as 50TiB.  [default: 20TiB]")
@click.option("--fabric", metavar="GBPS", help="Minimum GPU fabric of a node in Gb/s; less is listed as lost.")
@click.option("--spares", metavar="N", help="Spare nodes.  [default: 1, or none for a single node]")
@click.option("--accelerators", metavar="NAMES", help="GPU models, comma-separated.  [default: h100]")
@click.option("--clouds", metavar="NAMES", help="Clouds, comma-separated.  [default: all]")
@click.option("--regions", metavar="NAMES", help="Regions, or words such as eu, us and asia, comma-separated.")
@click.option("--budget", metavar="USD", help="Maximum cost for the whole time.")
@click.option(
    "--support", metavar="CLOUD=PLAN", multiple=True, help="A support plan, such as aws=business; repeatable."
)
@click.option("--discount", metavar="CLOUD=SHARE", multiple=True, help="Discount on all list prices, such as aws=8%.")
@click.option("--account-spend", metavar="CLOUD=USD", multiple=True,
              help="USD per month that the account spends outside this stack; support fees depend on it.")  # fmt: skip
@click.option(
    "--top", metavar="N", type=click.IntRange(min=1), default=20, show_default=True, help="Rows of table and markdown."
)
@click.option("--pick", metavar="N", type=click.IntRange(min=1), help="Write the spec of row N instead.")
@stack_option("Write row N of --pick as a stack: spec and configuration.")
@form_of("table", "json", "csv", "markdown")
@output
@quiet
def quote(
    gpus: str | None,
    lasting: str | None,
    storage: str | None,
    fabric: str | None,
    spares: str | None,
    accelerators: str | None,
    clouds: str | None,
    regions: str | None,
    budget: str | None,
    support: tuple[str, ...],
    discount: tuple[str, ...],
    account_spend: tuple[str, ...],
    top: int,
    pick: int | None,
    stack: str | None,
    form: str,
    output: TextIO,
    quiet: bool,
) -> None:
    """Price whole clusters in every region.

    Covers every machine and every purchase option, each priced as in its preview: with spare nodes, storage, network,
    control plane and metrics. The lowest total for the whole time comes first, at its upper bound. csv and json have
    every row; json has the spec of each and the notes of its plan;
    `gpucluster schema quote` describes it.

    \b
    gpucluster quote --gpus 64 --for 30d
    gpucluster quote --gpus 512 --for 1y --fabric 3200 --regions eu
    gpucluster quote --gpus 8 --for 12h --accelerators h100,h200 --budget 2000
    gpucluster quote --gpus 64 --for 1y --support aws=business --discount aws=8%
    gpucluster quote --gpus 64 --for 30d --pick 3 --stack trial
    gpucluster quote --gpus 64 --for 30d --pick 3 -o spec.yaml

    GPUCLUSTER_PRICES is a file of your own prices, as in previews. The first quote of a size takes some seconds longer.

    Exit code 1: no cluster matches.
    """
    gc.disable()  # as in `stacks/__main__.py`
    book = PriceBook.in_use()
    given = {
        "gpus": gpus,
        "for": lasting,
        "storage": storage,
        "fabric": fabric,
        "spares": spares,
        "accelerators": accelerators,
        "clouds": clouds,
        "regions": regions,
        "budget": budget,
    }
    terms, wrong = dict[str, Terms](), list[str]()
    try:
        terms = terms_from_options(book, support=support, discount=discount, account_spend=account_spend)
    except BadTerms as error:
        wrong = str(error).splitlines()
    if stack is not None and pick is None:
        wrong.append("--stack is for a row; add --pick N")
    question = question_of(given, known_regions(book) if regions else (), terms, wrong)
    found = answer(question, book, (lambda _: None) if quiet else functools.partial(click.echo, err=True))
    if not found.quotes and (pick is not None or not found.racks):
        click.echo("\n".join([empty(found), *(f"  - {text}" for text in left_out(found))]), err=True)
        sys.exit(Exit.FINDINGS)
    if pick is not None:
        _pick(found, pick, output, stack, quiet=quiet)
        return
    write(quote_document(found, top, book.today), form, output)
    if form == "table" and found.quotes and not quiet:
        click.echo("Next: add --pick N --stack NAME, which writes row N as a stack", err=True)


def _pick(found: Answer, pick: int, output: TextIO, stack: str | None, *, quiet: bool) -> None:
    if pick > len(found.quotes):
        raise InputError("command line", [f"--pick is {pick}; write the number of a row, 1 to {len(found.quotes)}"])
    chosen = found.quotes[pick - 1]
    file = None if output.name in ("-", "<stdout>") else Path(output.name)
    if stack is not None:
        _write_stack(chosen, stack, file, quiet=quiet)
        return
    output.write(picked_spec(chosen, None if file is None else relative_schema(file), _place_comments(chosen)))
    if not quiet:
        click.echo(f"Next: gpucluster check {file or 'SPEC'}", err=True)


def _write_stack(chosen: Quote, stack: str, file: Path | None, *, quiet: bool) -> None:
    from gpucluster.components.stack.new_stack import new_stack

    one = chosen.candidate
    made = new_stack(stack, Path.cwd(), file)
    made.write(lambda schema: picked_spec(chosen, schema), one.configuration)
    if not quiet:
        click.echo(made.report(one.cloud, "labels", *(["placement.id"] if one.way.reservation else [])))


def picked_spec(
    chosen: Quote,
    schema: str | None,
    place: Sequence[str] = (),
    *,
    values: dict[str, Any] | None = None,
    budget: int | None = None,
) -> str:
    """The text of a row's spec. place: comments that tell its place. values, budget: in place of the row's."""
    first = [] if schema is None else [f"yaml-language-server: $schema={schema}"]
    return spec_text(
        values or chosen.spec,
        budget or budget_of(chosen.most_monthly),
        [*first, *_comments(chosen), *place],
        refuse=not chosen.candidate.way.assume,
    )


def _comments(chosen: Quote) -> list[str]:
    one = chosen.candidate
    total = ranged(chosen.total, chosen.gap)
    comments = [
        f"{what(chosen)}: {total} in {one.values['duration']}{'' if chosen.terms else ' at list prices'}.",
        f"First: {one.way.needs}.",
    ]
    if one.way.reservation:
        comments.append("placement.id is an example: replace it with yours.")
    if one.way.kind == "capacity-block":
        comments.append("purchase.active: write false until the capacity starts.")
    if one.way.assume:
        comments.append(
            f"The price is under the commitment: `gpucluster cost report --assume {one.way.assume}=1`; a preview has "
            "the one on demand, and warns where it is over the budget."
        )
    return [*comments, "access.cidrs: replace with the ranges of your office or VPN."]


def _place_comments(chosen: Quote) -> list[str]:
    """The place in the configuration of a stack, which `gpucluster check SPEC` reads too."""
    return [PLACE, *(f"  gpucluster:{key}: {value!r}" for key, value in chosen.candidate.configuration.items())]
