"""Verdicts and curves as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from gpucluster.components.shared.machine_choice import shape_named
from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.inventory import Inventory, inventory_of
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import ALL_TO_ALL, CollectiveRun
from gpucluster.operate.acceptance.report.chart import COLOURS, Curve, bandwidth_chart
from gpucluster.operate.acceptance.report.text import ORDER, headline, node_serials, node_software
from gpucluster.operate.acceptance.verdicts.fabric import bar
from gpucluster.operate.acceptance.verdicts.verdict import Verdict, worst

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d2433; --paper: #ffffff; --soft: #6a7385; --line: #d9dee8;
  --pass: #1a7f43; --fail: #c0252d; --warn: #946200; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9f0; --paper: #14181f; --soft: #9aa4b6; --line: #333b49;
  --pass: #4cc38a; --fail: #ff7a80; --warn: #e2b340; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
  margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
.outcome { font-weight: 600; white-space: nowrap; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .warn, .cannot-tell { color: var(--warn); }
.measured, .where { color: var(--soft); } .where { font-size: .85em; overflow-wrap: anywhere; }
li { list-style: none; border-top: 1px solid var(--line); padding: .7rem 0; overflow-wrap: anywhere; }
ul { padding: 0; } svg { width: 100%; height: auto; }
.axis { font-size: 11px; fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--line); } .limit { stroke: var(--c, var(--fail)); stroke-dasharray: 6 4; }
.curve polyline { fill: none; stroke: var(--c); stroke-width: 2; } .curve circle { fill: var(--c); }
table { border-collapse: collapse; font-size: .85em; } td { border-top: 1px solid var(--line);
  padding: .3rem .6rem .3rem 0; vertical-align: top; overflow-wrap: anywhere; }
.legend { columns: 18rem; font-size: .9em; } .legend li { border: 0; padding: .1rem 0; break-inside: avoid; }
.swatch { display: inline-block; width: .8em; height: .8em; margin-right: .5em; background: var(--c); }
.c0 { --c: #2f6fde; } .c1 { --c: #d9822b; } .c2 { --c: #2a9d74; } .c3 { --c: #b4459c; } .c4 { --c: #8a8f2d; }
.c5 { --c: #7a5bd6; }
@media print { body { padding: 0; } li { break-inside: avoid; } }
"""


def html_report(verdicts: Sequence[Verdict], logs: Sequence[Log], machine: Machine | None) -> str:
    """The page. machine: of all nodes, if a log's own header does not contain it."""
    measurements = [measurement for log in logs for measurement in log.measurements]
    runs = [run for run in measurements if isinstance(run, CollectiveRun) and run.payloads]
    curves = [_curve(run, shape_named(run.machine_type) or machine) for run in runs]
    ordered = sorted(verdicts, key=lambda verdict: ORDER.index(verdict.outcome))
    entries = "".join(
        f'<li class="c{index % COLOURS}"><span class="swatch"></span>{escape(curve.name)}</li>'
        for index, curve in enumerate(curves)
    )
    legend = f'<ul class="legend">{entries}</ul>'
    chart = bandwidth_chart(curves)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Acceptance: {worst(verdicts)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(headline(verdicts))}</h1>"
        f"{chart}{legend if chart else ''}"
        f"<ul>{''.join(map(_item, ordered))}</ul>{_annex(inventory_of(logs))}</body></html>\n"
    )


def _curve(run: CollectiveRun, shape: Machine | None) -> Curve:
    held = bar(run, shape)
    if held is None or shape is None:
        return Curve(name=_name(run), payloads=run.payloads)
    wanted_by = f"{shape.machine_type}, {held.by}"
    return Curve(name=_name(run), payloads=run.payloads, wanted=held.gb_per_s, wanted_by=wanted_by)


def _name(run: CollectiveRun) -> str:
    nodes = f"{run.node_count} nodes, " if run.node_count else ""
    how = "" if run.collective == ALL_TO_ALL else f", {run.algorithm or 'algorithm unknown'}"
    return f"{nodes}{run.collective or 'collective unknown'}{how}: {run.log}:{run.line}"


def _annex(inventory: Inventory) -> str:
    """The measured hardware and the measuring software."""
    rows = "".join(
        f"<tr><td>{escape(node.name)}</td><td>{escape(node_software(node))}</td>"
        f"<td>{escape(node_serials(node))}</td></tr>"
        for node in inventory.nodes
    )
    tools = f"<p>Measured by {escape(', '.join(inventory.tools))}</p>" if inventory.tools else ""
    return f"{tools}{f'<table>{rows}</table>' if rows else ''}"


def _item(verdict: Verdict) -> str:
    figures = " ".join(
        text for text in (verdict.measured, f"(wanted {verdict.wanted})" if verdict.wanted else "") if text
    )
    where = f'<div class="where">{escape(verdict.log)}:{verdict.line}</div>' if verdict.log else ""
    return (
        f'<li><span class="outcome {verdict.outcome.replace(" ", "-")}">{verdict.outcome}</span> '
        f"<strong>{escape(verdict.check)}</strong> {escape(figures)}<div>{escape(verdict.why)}</div>{where}</li>"
    )
