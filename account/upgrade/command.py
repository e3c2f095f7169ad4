"""`gpucluster upgrade --plan`."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TextIO

import click

from gpucluster.account.pulumi import of_user
from gpucluster.account.upgrade.render import as_text
from gpucluster.account.upgrade.standing import Standing, standing
from gpucluster.account.upgrade.steps import Stake, next_version, steps
from gpucluster.cost.estimate import estimate
from gpucluster.cost.model import HOURS_PER_MONTH, cents
from gpucluster.cost.prices import PriceBook
from gpucluster.options import STACK
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resources

_EXTENDED = {"aws": ("aws", "eks-cluster-extended-support"), "azure": ("azure", "aks-premium-tier")}


@click.command()
@click.option("--plan", is_flag=True, required=True, help="Print the steps; you run each one with `pulumi up`.")
@click.option("--stack", "-s", type=STACK, help="Stack of the cluster.  [default: the selected one]")
@click.option(
    "--state",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="State file (`pulumi stack export`) to read instead of calling pulumi; - for stdin.",
)
def upgrade(plan: bool, stack: str | None, state: TextIO | None) -> None:
    """Print outdated versions of a cluster and the upgrade steps.

    Prints when support of its Kubernetes version ends, what extended support costs, and the steps in order: control
    plane, system pool, one GPU node, the rest, with the edits of the spec and the commands. Changes nothing.
    """
    del plan
    text, name = (state.read(), state.name) if state else (_export(stack), "the output of `pulumi stack export`")
    resources = read_text(text, name)
    found, to = standing(resources), None
    to = next_version(found)
    way = [] if to is None else steps(found, to, stack=stack or resources.stack, stake=_stake(found, resources))
    today = datetime.datetime.now(datetime.UTC).date()
    click.echo(as_text(found, way, to=to, today=today, price=_price(found.cloud)))


def _export(stack: str | None) -> str:
    return of_user("read the state of a stack", "or give a file with --state").read("stack", "export", stack=stack)


def _stake(found: Standing, resources: Resources) -> Stake:
    """The stake of the GPU pools, at their current purchase option."""
    urns = {pool.urn for pool in found.pools if pool.gpus}
    lines = [line for line in estimate(resources).lines if line.urn in urns]
    usd = cents(sum((line.monthly for line in lines), Decimal(0)) / HOURS_PER_MONTH) if lines else None
    return Stake(gpus=sum(pool.gpus for pool in found.pools), usd=usd)


def _price(cloud: str) -> str:
    """The price of extended support; per hour and cluster, in all regions."""
    if cloud not in _EXTENDED:
        return "its additional fee is in no price book"
    prices = sorted({row.usd_per_unit for row in PriceBook().of_sku(*_EXTENDED[cloud])})
    shown = " to ".join(dict.fromkeys(f"${price:.2f}" for price in (prices[0], prices[-1])))
    return f"the control plane then costs {shown} an hour"
