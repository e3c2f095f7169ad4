"""What the JSON of a change is; its schema is made of these types."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from gpucluster.cost.diff.diff import Kind
from gpucluster.cost.documents.report.shape import LineShape
from gpucluster.cost.documents.words.shape import (
    Amount,
    AmountsShape,
    BoundShape,
    Currency,
    KnownShape,
    Version,
)


class CompleteShape(TypedDict):
    before: bool
    after: bool


class KnownSides(TypedDict):
    before: KnownShape
    after: KnownShape


class Sides(TypedDict):
    before: Amount
    after: Amount


class MaybeSides(TypedDict):
    before: Amount | None
    after: Amount | None


class MovedShape(TypedDict):
    """Null if a price is lost or gained, or one of two ceilings has no bound."""

    floor: Amount | None
    expected: Amount | None
    ceiling: Amount | None


class MonthlyShape(TypedDict):
    before: AmountsShape
    after: AmountsShape
    change: MovedShape


class ChangeShape(TypedDict):
    """Change of cost a month. A price that is lost or gained is not a change of cost: then there is no amount, and
    the verdict follows from the bound, if it does.
    """

    verdict: Literal["more", "less", "the same", "cannot tell"]
    expected: Annotated[Amount | None, "USD a month more; null if unknown"]
    at_least: Annotated[Amount | None, "null if something that differs had no price before"]
    at_most: Annotated[Amount | None, "null if something that differs has no price after"]
    priced_on_both_sides: Annotated[Amount, "the change without lines that lose or gain a price"]


class LineChangeShape(TypedDict):
    kind: Kind
    change: Annotated[Amount | None, "expected USD a month more than before; null if a price is lost or gained"]
    before: LineShape | None
    after: LineShape | None


class ResourceShape(TypedDict):
    name: str
    monthly: MonthlyShape
    lines: list[LineChangeShape]


class PartChangeShape(TypedDict):
    name: str
    change: ChangeShape
    complete: CompleteShape
    monthly: MonthlyShape
    resources: list[ResourceShape]
    lines_the_same: int


class LossShape(TypedDict):
    resource: str
    type: str
    what: Annotated[str, "storage, reserved capacity or machines in a reservation"]
    how: Literal["deleted", "replaced", "not in the new file"]
    because: Annotated[list[str], "properties that force a replacement"]
    retained: Annotated[bool, "whether it continues to exist and be billed"]
    monthly_before: Amount


class UnpricedShape(TypedDict):
    resource: str
    type: str
    part: str
    reason: str
    bound: BoundShape | None


class BudgetVerdict(TypedDict):
    monthly: Amount
    verdict: Literal["within", "over", "cannot tell"]


class DiffShape(TypedDict):
    """How the cost of a stack changes."""

    schema_version: Version
    currency: Currency
    stack: Annotated[str, "name after or before the change; empty if no resource has it"]
    old: Annotated[str, "file or revision"]
    new: str
    change: ChangeShape
    complete: Annotated[CompleteShape, "whether everything has a price; amounts are of what has one"]
    known: KnownSides
    monthly: MonthlyShape
    hourly: MonthlyShape
    per_training_gpu_hour: MaybeSides
    committed_elsewhere_monthly: Annotated[Sides, "part of monthly"]
    budget: BudgetVerdict | None
    parts: list[PartChangeShape]
    losses: Annotated[list[LossShape], "storage and reserved capacity that are deleted or replaced"]
    newly_unpriced: list[UnpricedShape]
    no_longer_unpriced: list[UnpricedShape]
    changed_unpriced: Annotated[list[UnpricedShape], "without a price before and after, and changed"]
