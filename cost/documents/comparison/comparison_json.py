"""The JSON of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, AliasPath, BeforeValidator, Field

from gpucluster.core.documents.model import Model
from gpucluster.cost.comparison import Comparison, Row
from gpucluster.cost.documents.json_schema import Amount, Amounts, Answer, Known, known
from gpucluster.cost.documents.report.report_json import NotPriced, Trial, report_json
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.pricing.transfer import Egress

_FINE: Final = Decimal("0.001")
Thousandths = Annotated[Amount, AfterValidator(lambda value: value.quantize(_FINE))]


class Column(Model):
    """Fields of the whole estimate as in `gpucluster cost report --format json`."""

    title: str
    complete: bool
    known: Known
    monthly: Amounts
    hourly: Amounts
    per_training_gpu_hour: Amount | None
    training_gpus: Amount | None
    trial: Trial | None
    committed_elsewhere_monthly: Amount
    not_priced: list[NotPriced]
    not_built: list[str]
    losses: list[str]
    asked: dict[str, Any] | None
    equivalence: dict[str, Any] | None


class Values(Model):
    what: str
    values: dict[str, str]


class PartOfAll(Model):
    name: str
    monthly: dict[str, Amount | None]
    unpriced: list[str]
    ranked: bool
    why_not: str = Field(validation_alias="why")


class Rank(Model):
    title: str
    monthly: Amount
    rank: int
    times_the_least: Amount | None
    known: Known


class Transfer(Model):
    usd: Amount | None
    unpriced_gib: Amount | None
    reason: str


def _transfer(found: Egress | NotKnown | None) -> Any:
    if isinstance(found, NotKnown):
        return {"usd": None, "unpriced_gib": None, "reason": found.reason}
    if isinstance(found, Egress):
        return {"usd": found.usd, "unpriced_gib": found.unpriced_gib.quantize(Decimal(1)), "reason": ""}
    return found


TransferOf = Annotated[Transfer | None, BeforeValidator(_transfer)]


class OneStack(Model):
    machine: str
    nodes: Amount
    usd_per_gpu_hour: Amount | None
    usd_per_hour_per_1000_tf32_tflops: Thousandths | None = Field(validation_alias="per_1000_tflops")
    kw_per_node: Amount | None
    pue: Amount | None = Field(default=None, validation_alias=AliasPath("grid", "pue"))
    g_co2e_per_kwh: Amount | None = Field(default=None, validation_alias=AliasPath("grid", "g_per_kwh"))
    co2e_tonnes_a_year: Thousandths | None = Field(validation_alias="tonnes")
    days_to_move: Thousandths | None = Field(validation_alias="days")
    move_out: TransferOf = Field(validation_alias="moved")
    flow_out: TransferOf = Field(validation_alias="flow")


class Offer(Model):
    name: str
    usd_per_gpu_hour: Amount = Field(validation_alias="usd")
    rank: int | None
    why_not_ranked: str = Field(validation_alias="why")
    fabric: str
    source: str


class Compared(Answer):
    """Stacks side by side. Amounts by title."""

    columns: list[Column]
    differences: list[Values]
    parts: list[PartOfAll]
    ranking: list[Rank]
    figures: dict[str, OneStack | None]
    figure_notes: list[str]
    offers: dict[str, list[Offer]]
    complete_totals_least_first: list[str]
    certain_totals_least_first: list[str]
    cannot_tell: list[str]


def comparison_json(found: Comparison) -> Compared:
    """Lists are in a stable order."""
    titles = [column.title for column in found.columns]
    complete = {column.title for column in found.columns if column.estimate.complete}

    def by_title(cells: Any) -> dict[str, Any]:
        return dict(zip(titles, cells, strict=True))

    return Compared.model_validate(
        {
            "columns": [_column(column) for column in found.columns],
            "differences": [_values(row, by_title(row.cells)) for row in found.differences],
            "parts": [
                {
                    "name": part.name,
                    "monthly": by_title(part.monthly),
                    "unpriced": [title for title, gap in zip(titles, part.gaps, strict=True) if gap.missing],
                    "ranked": part.ranked,
                    "why_not": part.why,
                }
                for part in found.parts
            ],
            "ranking": [
                {
                    "title": item.title,
                    "monthly": item.monthly,
                    "rank": item.rank,
                    "times_the_least": item.times,
                    "known": known(item.monthly, item.gap),
                }
                for item in found.ranking
            ],
            "figures": by_title(found.figures),
            "figure_notes": found.notes,
            "offers": found.offers,
            "complete_totals_least_first": [title for title in found.cheapest if title in complete],
            "certain_totals_least_first": found.cheapest,
            "cannot_tell": found.undecided,
        }
    )


def _values(row: Row, values: Mapping[str, str]) -> dict[str, Any]:
    return {"what": row.key, "values": values}


def _column(column: Any) -> dict[str, Any]:
    report, cluster = dict(report_json(column.estimate)), column.cluster
    return {
        **{name: report[name] for name in Column.model_fields if name in report},
        "title": column.title,
        "losses": () if cluster is None else cluster.losses,
        "asked": None if cluster is None else cluster.asked,
        "equivalence": None if cluster is None else cluster.equivalence,
    }
