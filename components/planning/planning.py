"""One pass from a spec to a plan: the facts that each part of a cluster gets, and its reports. Imports no Pulumi."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from gpucluster.components.planning.problem import Problem
from gpucluster.core.program.questions import Question
from gpucluster.errors import InputError

# Lustre slows down above 80 % full: 25 % more than the data size keeps it below.
HEADROOM = Decimal("1.25")
GIB_PER_TIB = 1024


class Prices(Protocol):
    """Prices for a plan. The program provides them: a plan chooses by them and reports them, but contains none. None if
    no price is known.
    """

    def storage_price(self, cloud: str, region: str, tier: int) -> Decimal | None:
        """USD per GiB-month of shared storage. tier: MB/s per TiB."""
        ...

    def storage_price_in_other_regions(self, cloud: str, tier: int) -> Decimal | None:
        """The lowest price known in any region of the cloud, else of any other cloud: only for ranking tiers."""
        ...

    def machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        """USD per hour of a machine. purchase: its kind as the spec names it."""
        ...

    def own_machine_usd(self, cloud: str, region: str, machine_type: str, purchase: str) -> Decimal | None:
        """The same from the user's own prices and discounts; None if they do not change it."""
        ...

    def machines_usd(self, cloud: str, region: str) -> Mapping[str, Decimal]:
        """Every machine type with a price in the region, and its USD per hour on demand."""
        ...


class PlanError(InputError):
    """A spec that this cloud can't run as requested, or an object that Kubernetes would refuse, with every reason.

    problems: texts are about objects, which have no field of the spec.
    """

    def __init__(self, problems: Sequence[Problem | str]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(Problem("", one) if isinstance(one, str) else one for one in problems)


Location = TypeVar("Location")
Plan = TypeVar("Plan")


@dataclass(kw_only=True)
class Planning(Generic[Location]):
    """The argument of each part's plan, which reports its findings here and then returns its plan.

    A part that refuses a value still returns a plan, built from the value or from a default: the others then report
    their own problems, and the whole plan is discarded.

    location: of the cluster; an example of the cloud if `located` is false, because the configuration has none that
    can be used. machine: type of the training nodes, None for the one that the spec implies. prices: None if no price
    is known.

    problems: of the spec. config_problems: in the terms of the stack's configuration. before_up: notes for a reader
    who must do or check something, or `up` fails. questions: what only the account can answer. notes: good to know.
    losses: requests that the cloud cannot provide. not_built: requested parts that the cluster lacks. quotas: amounts
    needed, by the cloud's own names of its quotas.
    """

    stack: str
    location: Location
    located: bool = True
    machine: str | None = None
    prices: Prices | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    config_problems: list[Problem] = field(default_factory=list[Problem])
    before_up: list[str] = field(default_factory=list[str])
    questions: list[Question] = field(default_factory=list[Question])
    notes: list[str] = field(default_factory=list[str])
    losses: list[str] = field(default_factory=list[str])
    not_built: list[str] = field(default_factory=list[str])
    quotas: Counter[str] = field(default_factory=Counter[str])

    def refuse(self, field: str, seen: str, fix: str = "") -> None:
        """A value of the spec. The arguments are those of Problem."""
        self.problems.append(Problem(field, seen, fix))

    def ask(self, *questions: Question) -> None:
        """Leaves questions to the account. Their notes tell a reader until they have been asked."""
        self.questions += questions
        notes = dict.fromkeys(question.note for question in questions if question.note)
        self.before_up += [note for note in notes if note not in self.before_up]

    def refuse_config(self, field: str, seen: str, fix: str = "") -> None:
        """A value of the stack's configuration, such as the machine."""
        self.config_problems.append(Problem(field, seen, fix))

    def refuse_place(self, field: str, seen: str, fix: str = "") -> None:
        """The same for a value that doesn't fit the location; nothing if there is none."""
        if self.located:
            self.refuse_config(field, seen, fix)

    def check(self) -> None:
        """Raises PlanError with every problem."""
        if problems := [*self.config_problems, *self.problems]:
            raise PlanError(problems)


def plan_name(name: str, planning: Planning[Any], *, form: Callable[[str], str], service: str, longest: int) -> str:
    """The cluster's name, from the spec's and the stack's. form: makes it of both. longest: characters that the service
    accepts.
    """
    full = form(f"{name}-{planning.stack}")
    if len(full) > longest:
        fix = f"{service} allows {longest} characters: shorten one of them"
        planning.refuse("name", f"and stack give the cluster name {full!r}", fix)
    return full


def lower_case(name: str) -> str:
    """A name on clouds with lower-case names; characters that only stack names allow become hyphens."""
    return re.sub(r"[^a-z0-9-]+", "-", name.lower()).rstrip("-")
