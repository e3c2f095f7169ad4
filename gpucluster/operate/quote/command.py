"""`gpucluster quote`."""

from __future__ import annotations

import functools
import gc
import sys
from pathlib import Path
from typing import TextIO

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
from gpucluster.operate.quote.spec_values import spec_text
from gpucluster.operate.quote.text import empty, left_out, what
from gpucluster.options import form_of, output, quiet


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
@click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Rows of table and markdown.")
@click.option("--pick", metavar="N", type=click.IntRange(min=1), help="Write the spec of row N instead.")
@form_of("table", "json", "markdown", "csv")
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
    gpucluster quote --gpus 512 --for 1y --storage 500TiB --fabric 3200 --regions eu
    gpucluster quote --gpus 8 --for 12h --accelerators h100,h200 --budget 2000
    gpucluster quote --gpus 64 --for 1y --clouds aws --support aws=business --discount aws=8%
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
    question = question_of(given, known_regions(book) if regions else (), terms, wrong)
    found = answer(question, book, (lambda _: None) if quiet else functools.partial(click.echo, err=True))
    if not found.quotes:
        click.echo("\n".join([empty(found), *(f"  - {text}" for text in left_out(found))]), err=True)
        sys.exit(Exit.FINDINGS)
    if pick is not None:
        _pick(found, pick, output, quiet=quiet)
        return
    write(quote_document(found, top), form, output)


def _pick(found: Answer, pick: int, output: TextIO, *, quiet: bool) -> None:
    if pick > len(found.quotes):
        raise InputError("command line", [f"--pick is {pick}; write the number of a row, 1 to {len(found.quotes)}"])
    chosen = found.quotes[pick - 1]
    file = output.name
    schema = None if file == "<stdout>" else relative_schema(Path(file))
    first = [] if schema is None else [f"yaml-language-server: $schema={schema}"]
    head, committed = [*first, *_comments(chosen)], bool(chosen.candidate.way.assume)
    output.write(spec_text(chosen.spec, chosen.most_monthly, head, refuse=not committed))
    if not quiet:
        shown = "SPEC" if file == "<stdout>" else file
        click.echo(f"Next: gpucluster check {shown} {_place(chosen)}", err=True)


def _place(chosen: Quote) -> str:
    one = chosen.candidate
    told = {"cloud": one.cloud, "region": one.place["region"], "zone": one.place["zone"]}
    return " ".join(f"--{key} {value}" for key, value in {**told, "machine": one.machine.machine_type}.items())


def _comments(chosen: Quote) -> list[str]:
    one = chosen.candidate
    total = ranged(chosen.total, chosen.gap)
    said = [
        f"{what(chosen)}: {total} in {one.values['duration']}{'' if chosen.terms else ' at list prices'}.",
        f"First: {one.way.needs}.",
    ]
    if one.way.reservation:
        said.append("placement.id is an example: replace it with yours.")
    if one.way.kind == "capacity-block":
        said.append("purchase.active: write false until the capacity starts.")
    if one.way.assume:
        said.append(
            f"The price is under the commitment: `gpucluster cost report --assume {one.way.assume}=1`; a preview has "
            "the one on demand, and warns where it is over the budget."
        )
    said += [
        "access.cidrs: replace with the ranges of your office or VPN.",
        "Set the place in the stack's configuration:",
    ]
    keys = {"cloud": one.cloud, **one.place, "machine": one.machine.machine_type}
    return [*said, *(f"  gpucluster:{key}: {value!r}" for key, value in keys.items())]
