"""`gpucluster cost report` as a page: totals first, then charts, then every line with its price and source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.documents.options.figures import option_figures
from gpucluster.cost.documents.report.table import committed_words, plain_number
from gpucluster.cost.documents.words.basis import basis_sentence
from gpucluster.cost.documents.words.by_usage import USAGE_HEADING, count_by_usage, rates_by_usage
from gpucluster.cost.documents.words.closing import coverage_words, price_words
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Group, Grouping
from gpucluster.cost.model import CostLine, Part, committed_sum
from gpucluster.cost.money import how_known, money, percent, ranged, unit_price
from gpucluster.cost.purchasing import Options
from gpucluster.cost.render.html.charts import Bar, Mark, bars, figure, marks, span
from gpucluster.cost.render.html.page import disclosure, items, page, safe, scrolling
from gpucluster.cost.teams import TeamCost, team_costs
from gpucluster.cost.verdict import budget_verdict


def report_page(estimate: Estimate, title: str, groupings: Sequence[Grouping], options: Options | None) -> str:
    """The whole page. groupings: by label. options: the purchase options, if shown."""
    return page(title, _body(estimate, title, groupings, options))


def _body(estimate: Estimate, title: str, groupings: Sequence[Grouping], options: Options | None) -> Iterator[str]:
    words = f'<p class="quiet">{safe(basis_sentence(estimate))}.</p>'
    yield f"<header>\n<h1>{safe(title)}</h1>\n{words}\n{_totals(estimate)}\n</header>\n<main>"
    yield _range(estimate)
    yield _parts(estimate)
    if teams := team_costs(estimate):
        yield _teams(teams, estimate.monthly.expected)
    if groupings:
        yield _labels(groupings, estimate)
    if options is not None:
        yield from option_figures(options)
    yield from _missing(estimate)
    yield _lines(estimate)
    yield _closing(estimate)
    yield "</main>"


def _totals(estimate: Estimate) -> str:
    """The main numbers, and whether they fit the budget."""
    monthly, gaps = estimate.monthly, estimate.gaps
    shown = [("Total per month", ranged(monthly.expected, gaps.expected))]
    if gaps.expected.missing and monthly.expected:
        shown.append(("Of which priced", money(monthly.expected)))
    if monthly.varies:
        shown.append(("Floor", ranged(monthly.floor, gaps.floor)))
        shown.append(("Ceiling", ranged(monthly.ceiling, gaps.ceiling)))
    if estimate.listed != monthly.expected:
        shown.append(("At list prices", ranged(estimate.listed, gaps.expected)))
    if estimate.committed_monthly:
        shown.append(("Of which committed elsewhere", money(estimate.committed_monthly)))
    shown.append(("Per hour", ranged(estimate.hourly.expected, gaps.hourly)))
    if (days := estimate.facts.duration_days) is not None and (trial := estimate.trial_total) is not None:
        shown.append((f"This trial, {plain_number(days)} days", ranged(trial, gaps.trial)))
        if estimate.upfront:
            shown.append(("Of which paid upfront", money(estimate.upfront)))
    if (per_gpu := estimate.per_training_gpu_hour) is not None:
        amount = "unknown" if estimate.training_unknown else ranged(per_gpu, gaps.gpu_hour)
        shown.append(("Per training GPU-hour", amount))
    if known := how_known(monthly.expected, gaps.expected):
        shown.append(("Known share of the month", known))
    listed = "".join(_total(name, amount, main=not number) for number, (name, amount) in enumerate(shown))
    verdict, by_usage = budget_verdict(estimate), count_by_usage(estimate)
    said = f"<p>{safe(by_usage)}.</p>" if by_usage else ""
    if verdict is not None:
        kind = verdict.outcome.split()[0]
        said += f'<p class="verdict {kind}">{safe(_sentence(verdict.sentence))}</p>'
    return f'<dl class="totals">{listed}</dl>\n{said}'


def _total(name: str, amount: str, *, main: bool) -> str:
    kind = ' class="main"' if main else ""
    return f"<div{kind}><dt>{safe(name)}</dt><dd>{safe(amount)}</dd></div>"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _range(estimate: Estimate) -> str:
    monthly, budget = estimate.monthly, estimate.facts.budget
    floor, expected, ceiling = marks(monthly, estimate.gaps)
    limit = None if budget is None else Mark("Budget", budget.monthly, money(budget.monthly))
    words = f"A month costs {expected.shown}"
    if monthly.varies:
        words += f" as expected, {floor.shown} where autoscaled pools are empty, {ceiling.shown} where they are full"
    else:
        words += "; nothing in it is autoscaled"
    words += f"; the budget is {limit.shown}." if limit else "; no budget is set."
    return figure("range", "Floor, expected, ceiling", words, span(floor, expected, ceiling, limit, words))


def _parts(estimate: Estimate) -> str:
    total = estimate.monthly.expected
    rows: list[Bar] = []
    for part in estimate.parts:
        gap = estimate.gaps.part(part.name)
        if not part.monthly.expected and not gap.missing and not part.monthly.varies:
            continue
        rows.append(
            Bar(
                part.name,
                part.monthly.expected,
                ranged(part.monthly.expected, gap),
                percent(part.monthly.expected / total) if total else "",
                _aside(part),
            )
        )
    priced = {part.name for part in estimate.parts}
    unpriced = sorted(estimate.unpriced_parts - priced)
    rows += [Bar(name, None, ranged(Decimal(0), estimate.gaps.part(name))) for name in unpriced]
    return figure("parts", "By part, a month", _most(rows), bars(rows))


def _teams(teams: Sequence[TeamCost], total: Decimal) -> str:
    rows = [
        Bar(
            team.name,
            team.monthly,
            ranged(team.monthly, team.gap),
            percent(team.monthly / total),
            "; ".join(filter(None, (f"{team.gpus:,} GPUs, {plain_number(team.gpu_hours)} GPU-hours", team.sentence))),
        )
        for team in teams
    ]
    return figure("teams", "By team, a month", _most(rows), bars(rows))


def _aside(part: Part) -> str:
    monthly = part.monthly
    notes = [f"floor {money(monthly.floor)}, ceiling {money(monthly.ceiling)}"] if monthly.varies else []
    if committed := committed_sum(part.lines):
        notes.append(f"of which committed elsewhere: {money(committed)}")
    return "; ".join(notes)


def _most(rows: Sequence[Bar]) -> str:
    """The bars in words: all of them if few, else the first ones."""
    if not rows:
        return "Nothing here has a cost."
    shown = [f"{row.name} {row.amount}{f' ({row.share})' if row.share else ''}" for row in rows[:4]]
    more = len(rows) - len(shown)
    return f"{', '.join(shown)}{f', and {more} more' if more > 0 else ''}."


def _labels(groupings: Sequence[Grouping], estimate: Estimate) -> str:
    """A panel for each label, one visible at a time; in print all of them are."""
    picks = "".join(
        f'<input class="pick" type="radio" name="label" id="label-{number}"{" checked" if not number else ""}>'
        for number in range(len(groupings))
    )
    choice = "".join(
        f'<label for="label-{number}">{safe(grouping.label)}</label>' for number, grouping in enumerate(groupings)
    )
    rules = "".join(
        f"#label-{number}:checked~.panels>#panel-{number}{{display:block}}"
        f"#label-{number}:checked~.choice>label[for=label-{number}]{{background:var(--ink);color:var(--paper)}}"
        f"#label-{number}:focus-visible~.choice>label[for=label-{number}]{{outline:2px solid var(--bar)}}"
        for number in range(len(groupings))
    )
    panels = "\n".join(_panel(number, grouping, estimate) for number, grouping in enumerate(groupings))
    words = f"The same total, split by {', '.join(grouping.label for grouping in groupings)}."
    drawing = f'<style>{rules}</style>{picks}<div class="choice">{choice}</div>\n<div class="panels">{panels}</div>'
    return figure("labels", "By label, a month", words, drawing)


def _panel(number: int, grouping: Grouping, estimate: Estimate) -> str:
    total = estimate.monthly.expected
    rows = [_group(group, total) for group in grouping.groups if group.monthly.expected or not group.complete]
    return (
        f'<div class="panel" id="panel-{number}"><h3>{safe(grouping.label)}</h3>'
        f'<p class="quiet">{safe(_most(rows))}</p>{bars(rows)}</div>'
    )


def _group(group: Group, total: Decimal) -> Bar:
    expected = group.monthly.expected
    share = percent(expected / total) if total else ""
    return Bar(group.value, expected, ranged(expected, group.gap), share)


def _missing(estimate: Estimate) -> Iterator[str]:
    for heading, texts in (
        ("Not built, not in the total", list(estimate.facts.not_built)),
        (
            "Not priced, not in the total",
            [
                f"{item.type} {estimate.names.get(item.urn, '')}: {unpriced_words(item)}"
                for item in sorted(estimate.not_priced, key=lambda item: item.urn)
            ],
        ),
        (USAGE_HEADING, rates_by_usage(estimate)),
        ("Assumptions", list(estimate.assumptions)),
    ):
        if texts:
            yield f'<section class="long">\n<h2>{heading}</h2>\n{items(texts)}\n</section>'


def _lines(estimate: Estimate) -> str:
    blocks = [_part(part, estimate) for part in estimate.parts if any(line.shown for line in part.lines)]
    return f'<section class="long" id="lines">\n<h2>Every line</h2>\n{"".join(blocks)}\n</section>'


def _part(part: Part, estimate: Estimate) -> str:
    head = (
        '<thead><tr><th scope="col">what</th><th scope="col" class="number">quantity</th>'
        '<th scope="col" class="number">unit price</th><th scope="col" class="number">$/month</th>'
        '<th scope="col">price of</th></tr></thead>'
    )
    rows = "".join(_row(line, estimate) for line in part.lines if line.shown)
    amount = ranged(part.monthly.expected, estimate.gaps.part(part.name))
    return disclosure(part.name, amount, scrolling(f"<table>{head}<tbody>{rows}</tbody></table>", part.name))


def _row(line: CostLine, estimate: Estimate) -> str:
    resource = estimate.names.get(line.urn, "")
    listed = "" if line.list_price is None else f" (list price {unit_price(line.list_price)})"
    price = "reserved" if line.paid_by else f"{unit_price(line.unit_price)} per {line.unit}{listed}"
    term = f" {line.term}" if line.term else ""
    source = ", ".join(filter(None, [line.source, line.as_of]))
    bought = f"{line.region} {line.purchase.replace('_', '-')}{term}: {source} ({line.confidence})"
    said = line.source if line.paid_by else bought
    bounds = f"floor {money(line.monthly_floor)}, ceiling {money(line.monthly_ceiling)}" if line.autoscaled else ""
    committed = committed_words(line) if line.spend == "committed-elsewhere" and not line.paid_by else ""
    quiet = "; ".join(filter(None, [resource, bounds, committed]))
    return (
        f'<tr><th scope="row">{safe(line.name)}<br><span class="quiet">{safe(quiet)}</span></th>'
        f'<td class="number">{safe(line.basis or f"{plain_number(line.quantity)} {line.unit}")}</td>'
        f'<td class="number">{safe(price)}</td><td class="number">{safe(money(line.monthly))}</td>'
        f'<td class="quiet">{safe(said)}</td></tr>'
    )


def _closing(estimate: Estimate) -> str:
    said = ". ".join(filter(None, [coverage_words(estimate), price_words(estimate)])) + "."
    return f'<section><p class="quiet">{safe(said)}</p></section>'
