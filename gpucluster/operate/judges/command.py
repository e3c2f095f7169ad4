"""`gpucluster judge`."""

from __future__ import annotations

import sys
from typing import Literal, TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.errors import Exit
from gpucluster.operate.judges.document import report_document
from gpucluster.operate.judges.verdicts import NAMES, Outcome, Report, judged
from gpucluster.options import form_of, output, plan_argument, quiet


@click.command()
@plan_argument(required=False)
@click.option("--judge", "only", type=click.Choice(NAMES), multiple=True, help="Run only this judge; repeatable.")
@click.option("--strict", is_flag=True, help="Also exit with 1 if a resource was not judged.")
@form_of("table", "json")
@output
@quiet
def judge(
    file: TextIO | None,
    only: tuple[str, ...],
    strict: bool,
    form: Literal["table", "json"],
    output: TextIO,
    quiet: bool,
) -> None:
    """Validate a plan against the vendors' schemas.

    \b
    aws         CloudFormation schemas, machine types by region, IAM (cfn-lint)
    gcp         Google's discovery documents (google-api-python-client)
    azure       enumerations of Microsoft's APIs (azure-native SDK)
    kubernetes  schemas (kubernetes-validate), pinned definitions of custom kinds

    Accepts the plan of any Pulumi program. Values not known before the update are not judged. docs/plan/judges.md lists
    the limits of each judge; `gpucluster schema judge` describes json.

    Needs the extra judges, and for azure the extra azure.

    Exit code 1: a resource is refused.
    """
    source = file or sys.stdin
    name = "stdin" if source.name == "<stdin>" else source.name
    report = Report(file=name, verdicts=judged(read_text(source.read(), name), only))
    write(report_document(report, closing=not quiet), form, output)
    if report.of(Outcome.REFUSED) or (strict and report.of(Outcome.NOT_JUDGED)):
        raise SystemExit(Exit.FINDINGS)
