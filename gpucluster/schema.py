"""`gpucluster schema`."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Final

import click

_SCHEMAS: Final = {
    "spec": "gpucluster.components.spec.cluster:spec_schema",
    "stack": "gpucluster.components.stack.stack_config:stack_schema",
    "cost-report": "gpucluster.cost.documents.report.report_json:report_schema",
    "cost-reconcile": "gpucluster.cost.documents.reconciliation.reconciliation_json:reconciliation_schema",
    "cost-diff": "gpucluster.cost.documents.diff.diff_json:diff_schema",
    "quote": "gpucluster.operate.quote.document:quote_schema",
    "guardrails-check": "gpucluster.policies.render.document:json_schema",
    "judge": "gpucluster.operate.judges.document:json_schema",
    "acceptance-report": "gpucluster.operate.acceptance.document_json:acceptance_schema",
    "pr-check": "gpucluster.operate.pull_request.comment_json:judgement_schema",
    "versions": "gpucluster.operate.versions.command:versions_schema",
    "pull-request-evidence": "gpucluster.operate.pull_request.evidence:json_schema",
}
"""Name -> function that returns its schema, generated from the types that the program itself uses."""


@click.command()
@click.argument(
    "of",
    type=click.Choice([*_SCHEMAS]),
    default="spec",
    metavar="WHAT",
    help=f"Schema to print: {', '.join(_SCHEMAS)}.  [default: spec]",
)
def schema(of: str) -> None:
    """Print the JSON Schema of a spec or a report.

    Editors check and complete a spec with the schema of a spec, and Pulumi.STACK.yaml with that of a stack; the others
    describe the output of --format json, and the evidence of a pull request.
    """
    module, _, name = _SCHEMAS[of].partition(":")
    found = getattr(import_module(module), name)()
    click.echo(found.removesuffix("\n") if isinstance(found, str) else json.dumps(found, indent=2))
