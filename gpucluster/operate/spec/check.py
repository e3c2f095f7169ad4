"""`gpucluster check`: checks a spec and prints its plan, without a cloud or an engine."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

import click

from gpucluster.components.cluster.cloud import CLOUDS, ClusterPlan, cloud_of, missing_sdk
from gpucluster.components.cluster.versions import image_notes
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.spec.file import STDIN, SpecValues, stack_spec
from gpucluster.components.stack.stack_config import StackConfig, read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.documents.document import Document, table
from gpucluster.core.documents.formats import write
from gpucluster.core.program.closing import Line
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing import plan_prices
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.errors import InputError
from gpucluster.options import form_of, stack_option

_KEY: Final = re.compile(r"#\s+gpucluster:(\w+): '([^']*)'")
"""A key of a stack's configuration in a comment."""


@click.command()
@click.argument(
    "spec", required=False, type=click.Path(path_type=Path, allow_dash=True), help="YAML file of a spec; - for stdin."
)
@stack_option("Stack to check, with its configuration and spec.")
@click.option(
    "--cloud", type=click.Choice(CLOUDS), help=f"Cloud for SPEC.  [default: that in the head of SPEC, else {CLOUDS[0]}]"
)
@click.option(
    "--project", metavar="NAME", help="Google Cloud project for SPEC; it is not contacted.  [default: my-project]"
)
@click.option(
    "--region", metavar="NAME", help="Region for SPEC.  [default: that in its head, or us-east-1, us-central1]"
)
@click.option("--zone", metavar="NAME", help="Zone of the GPU nodes for SPEC.  [default: the first one of the region]")
@click.option(
    "--machine", metavar="NAME", help="Machine type of the training pool for SPEC.  [default: what the spec implies]"
)
@form_of("table", "json")
def check(
    spec: Path | None,
    stack: str | None,
    cloud: str | None,
    project: str | None,
    region: str | None,
    zone: str | None,
    machine: str | None,
    form: str,
) -> None:
    """Check a spec or stack and print its plan and cost.

    If it can't be used, prints every problem, as a preview does.
    """
    place = {"cloud": cloud, "project": project, "region": region, "zone": zone, "machine": machine}
    given = {key: text for key, text in place.items() if text is not None}
    if stack is not None:
        if spec or given:
            raise click.UsageError("--stack sets spec, cloud, location and machine; remove these arguments")
        config = read_stack(stack, Path.cwd())
        plan = plan_stack(config, plan_prices)
        specs = [config.spec.path] if isinstance(config.spec, SpecValues) and config.spec.path else []
    elif spec is not None:
        specs = [] if str(spec) == "-" else [spec]
        file = Path(STDIN) if str(spec) == "-" else spec
        if not given and (given := place_in_head(file)):
            fields = ", ".join(f"{key} {value}" for key, value in given.items())
            click.echo(f"{spec} names its place: {fields}", err=True)
        plan = _plan(file, given)
    else:
        raise click.UsageError("give a SPEC, or a stack with --stack")
    lines: list[Line] = []
    missing = missing_sdk(plan.training.shape.cloud)
    if not missing and form == "table":
        more = [Line("Next", f"gpucluster sandbox pulumi preview --stack {stack}")] if stack else []
        lines = [*_cost(plan, specs), *more]
    write(_document(plan), form, sys.stdout, lines)
    if missing:
        click.echo(f"a preview, and the cost here, {missing}", err=True)


def _cost(plan: ClusterPlan, specs: Sequence[Path]) -> list[Line]:
    # Imported late: they load the cloud's SDK, which a plan and its mistakes do not need.
    from gpucluster.cost.documents.closing import closing_lines
    from gpucluster.cost.estimate.estimate import estimate
    from gpucluster.operate.quote.plan_declaration import declared

    found = estimate(declared(plan), PriceBook.in_use(), Assumptions(regions=regions_in_use()))
    return closing_lines(found, specs=specs)


def place_in_head(spec: Path) -> dict[str, str]:
    """The keys of a stack's configuration in the comments at the head of a spec, as `gpucluster quote` writes them."""
    if not spec.is_file():  # standard input can be read only once; a missing file is reported where it is needed
        return {}
    found = dict[str, str]()
    with spec.open(encoding="utf-8", errors="replace") as file:
        for line in takewhile(lambda text: text.startswith("#"), file):
            if match := _KEY.fullmatch(line.strip()):
                found[match[1]] = match[2]
    return found if found.get("cloud") in CLOUDS else {}


def _plan(spec: Path, place: dict[str, str]) -> ClusterPlan:
    """The plan of a spec. place: cloud, location and machine, as far as they are given. Raises InputError; if no cloud
    is given and the spec fits another one than the default, with the option to add.
    """
    cloud, machine = place.pop("cloud", None), place.pop("machine", None)
    try:
        return plan_stack(_command_line(spec, cloud or CLOUDS[0], place, machine), plan_prices)
    except InputError as error:
        others = CLOUDS[1:] if cloud is None and spec.is_file() else ()
        if name := next((other for other in others if _fits(spec, other)), None):
            add = f"--cloud is missing; {spec} fits {cloud_of(name).title}: add --cloud {name}"
            raise InputError(str(error), None, InputError("command line", [add])) from None
        raise


def _fits(spec: Path, cloud: str) -> bool:
    try:
        plan_stack(_command_line(spec, cloud, {}, None), plan_prices)
    except InputError:
        return False
    return True


def _command_line(spec: Path, name: str, given: dict[str, str], machine: str | None) -> StackConfig:
    """The configuration from the options of `check SPEC`, in place of a stack. given: location options."""
    cloud = cloud_of(name)
    foreign = sorted(set(given) - set(cloud.keys))
    if foreign:
        raise click.UsageError(f"--{foreign[0]} is not an option for {cloud.title}; remove it")
    values = {**cloud.keys, **given}
    if "zone" not in given:
        values["zone"] = cloud.zone_in(values["region"])
    location, problems = cloud.locate(values)
    return StackConfig(
        stack=spec.stem,
        spec=stack_spec(spec),
        cloud=name,
        location=location,
        machine=machine,
        source="command line",
        prefix="--",
        problems=tuple(problems),
        options=("project", "region", "zone", "machine"),
    )


def _document(plan: ClusterPlan) -> Document:
    training, shape = plan.training, plan.training.shape
    cloud = cloud_of(shape.cloud)
    fabric = f"{shape.fabric} {shape.fabric_gbps:,} Gb/s a node" if shape.fabric_gbps else "no GPU fabric"
    rows = [
        ("cluster", f"{plan.name} on {cloud.service} {plan.kubernetes_version}, {plan.location.region}"),
        (
            TRAINING_POOL,
            f"{training.nodes} + {training.spares} spare x {shape.machine_type}: {training.nodes * shape.gpus} x "
            f"{shape.accelerator.upper()}, {fabric}, {plan.location.zone}",
        ),
        ("placement", str(plan.facts.equivalence["coLocation"])),
        *cloud.parts(plan),
        ("API", plan.access.summary),
        *(("lost", text) for text in plan.facts.losses),
        *(("before up", text) for text in plan.facts.before_up),
        *(("note", text) for text in (*plan.facts.notes, *image_notes(plan.versions, shape.cloud))),
        *(("not built", text) for text in plan.facts.not_built),
    ]
    lines = table(("", ""), rows, left={0, 1}, wide=1)
    return Document(title="", sections=lambda: [lines], model=plan.facts.registered)
