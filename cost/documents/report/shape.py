"""What the JSON of a report is; its schema is made of these types."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from gpucluster.cost.documents.words.shape import (
    Amount,
    AmountsShape,
    Bound,
    BoundShape,
    Currency,
    Date,
    KnownShape,
    Version,
)

Outcome = Literal["within", "over", "cannot tell"]


class LineShape(TypedDict):
    resource: Annotated[str, "URN"]
    resource_name: str
    part: Annotated[str, "name of the component it is shown under"]
    name: Annotated[str, "what is billed"]
    quantity: Annotated[Amount, "billing units a month, as expected"]
    floor_quantity: Amount
    ceiling_quantity: Bound
    unit: str
    basis: Annotated[str, "how the quantity is computed"]
    unit_price: Annotated[Amount, "USD per unit"]
    list_unit_price: Annotated[Amount, "USD per unit before a discount"]
    monthly: Annotated[Amount, "USD, quantity x unit_price rounded half up to the cent"]
    monthly_floor: Amount
    monthly_ceiling: Bound
    region: str
    purchase: str
    term: str
    source: str
    as_of: Annotated[Date, "day, month or year of the price; empty if another line pays"]
    confidence: Literal["high", "medium", "low"]
    assumption: str
    usage: Annotated[list[str], "names of the usage in the quantity; a line of quantity 0 with any depends on usage"]
    spend: Annotated[
        Literal["new", "committed-elsewhere"],
        "committed-elsewhere: capacity that is bought outside the stack; it counts in every sum",
    ]
    paid_by: Annotated[str, "reservation or block that pays for these machines; empty if this line does"]
    idle_quantity: Annotated[Amount, "units of the quantity that are paid for but unused here"]
    upfront: Annotated[Amount, "fee of a capacity block for the stated duration, paid before it starts"]


class TermsShape(TypedDict):
    support: Annotated[str, "support plan, empty for none"]
    discount: Annotated[Amount, "share off list prices"]
    account_spend: Annotated[Amount, "USD a month that the account spends outside the stack; support fees depend on it"]


class TeamShape(TypedDict):
    name: str
    gpus: int
    gpu_hours: Amount
    monthly: Amount
    hourly: Amount
    budget: Amount | None
    verdict: Outcome | None


class TrialShape(TypedDict):
    days: Amount
    expected: Amount
    ceiling: Bound
    upfront: Annotated[Amount, "part of expected that is paid before the machines start"]


class BudgetShape(TypedDict):
    monthly: Amount
    on_exceed: Literal["fail", "warn"]
    verdict: Outcome
    ceiling_over: bool


class PartShape(TypedDict):
    name: str
    training: bool
    monthly: AmountsShape


class FreeShape(TypedDict):
    resource: str
    type: str
    why: str
    source: str


class NotPricedShape(TypedDict):
    resource: str
    type: str
    part: str
    reason: str
    own_price_row: str
    bound: BoundShape | None


class CoverageShape(TypedDict):
    resources: int
    priced: int
    free: int
    not_priced: int
    both: Annotated[int, "priced in part: in both numbers"]


class DatesShape(TypedDict):
    oldest: str
    newest: str


class GroupShape(TypedDict):
    value: str
    complete: bool
    known: KnownShape
    lines: int
    monthly: AmountsShape
    committed_elsewhere_monthly: Amount
    parts: dict[str, Amount]


class GroupingShape(TypedDict):
    label: str
    groups: list[GroupShape]


class ReportShape(TypedDict):
    """What a Pulumi plan or state costs. Totals include what has a price; known describes the rest."""

    schema_version: Version
    currency: Currency
    complete: Annotated[bool, "whether every resource is priced or free"]
    known: KnownShape
    monthly: AmountsShape
    monthly_at_list_prices: Annotated[Amount, "expected, before discounts"]
    terms: Annotated[dict[str, TermsShape], "cloud -> agreed terms of its account, included in the amounts"]
    hourly: AmountsShape
    per_training_gpu_hour: Amount | None
    training_gpus: Amount | None
    per_slice_hour: Annotated[dict[str, dict[str, Amount]], "part -> size of a MIG slice -> USD for an hour of one"]
    trial: TrialShape | None
    committed_elsewhere_monthly: Annotated[Amount, "part of monthly"]
    unpriced_compute: Annotated[list[str], "URNs of machines without a price"]
    budget: BudgetShape | None
    teams: Annotated[list[TeamShape], "cost of each team's share; (no team) is the rest"]
    parts: list[PartShape]
    lines: list[LineShape]
    free: list[FreeShape]
    not_priced: list[NotPricedShape]
    what_if: Annotated[list[str], "values of this preview that differ from the spec"]
    not_built: list[str]
    idle_own_prices: list[str]
    assumptions: list[str]
    lines_by_usage: Annotated[int, "lines with a known price whose usage is assumed to be zero"]
    coverage: CoverageShape
    price_dates: DatesShape | None
    monthly_by_confidence: dict[str, Amount]
    group_by: Annotated[NotRequired[list[GroupingShape]], "with --group-by: every line is in exactly one group"]
