"""The inputs of owning: each with its unit, its value, and the value's origin.

`course example` in `fields.csv` is the worked example of a course on training infrastructure, in its lesson on clouds
versus own hardware: one consistent set of figures, not a survey of prices. Inputs missing there have no default, and
are reported as not included until a value is given.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from gpucluster.core.program.values import is_object
from gpucluster.core.text.values import shown_value
from gpucluster.errors import InputError


class BadInputs(InputError):
    """Inputs cannot be used; one line for each problem."""


@dataclass(frozen=True, slots=True)
class Field:
    """One input: its unit, bounds, default (None without a source), the default's source, and its meaning."""

    name: str
    unit: str
    least: Decimal
    most: Decimal
    default: Decimal | None
    source: str
    words: str

    @property
    def whole(self) -> bool:
        """Whether it counts indivisible items."""
        return self.unit in ("nodes", "GPUs")

    @property
    def allowed(self) -> str:
        """The allowed values as text."""
        return f"a {'whole ' if self.whole else ''}number from {self.least:,f} to {self.most:,f}, {self.unit}"


@dataclass(frozen=True, slots=True)
class Given:
    """An input with its value, None if not given, and the value's origin."""

    field: Field
    value: Decimal | None
    source: str


@dataclass(frozen=True, slots=True)
class Inputs:
    """All inputs. Costs whose input is missing are excluded from the result and listed there: they are never zero."""

    given: Mapping[str, Given]

    @classmethod
    def of(
        cls,
        *,
        file: Path | None = None,
        settings: Sequence[str] = (),
        plan: Mapping[str, Decimal] | None = None,
        plan_name: str = "",
    ) -> Inputs:
        """Defaults, overridden by a plan, then by a YAML file of `name: value`, then by `name=value`.

        BadInputs lists all problems.
        """
        found = {field.name: Given(field, field.default, field.source) for field in fields().values()}
        for name, value in (plan or {}).items():
            found[name] = Given(fields()[name], value, f"as many as in {plan_name}")
        problems: list[str] = []
        pairs = [] if file is None else [(name, value, file.name) for name, value in _read(file)]
        for text in settings:
            name, equals, value = text.partition("=")
            if not equals:
                problems.append(f"--set {text!r} is not NAME=VALUE; write for example usd_per_kwh=0.08")
                continue
            pairs.append((name.strip(), value.strip(), "--set"))
        for name, value, source in pairs:
            field = fields().get(name)
            problem = _unknown(name) if field is None else _problem(field, value)
            if problem is not None:
                problems.append(f"{source}: {problem}")
            elif field is not None:
                found[name] = Given(field, None if value is None else Decimal(str(value)), f"yours, {source}")
        if problems:
            raise BadInputs("\n".join(problems))
        return cls(found)

    def get(self, name: str) -> Decimal | None:
        """A value, None if not given."""
        return self.given[name].value

    def number(self, name: str) -> Decimal:
        """A value, 0 if not given: costs that depend on it are listed as not included."""
        return self.given[name].value or Decimal(0)

    def but(self, **values: Decimal) -> Inputs:
        """A copy with other values, for what-ifs."""
        changed = {name: Given(self.given[name].field, value, "what if") for name, value in values.items()}
        return Inputs({**self.given, **changed})


@cache
def fields() -> Mapping[str, Field]:
    """Every input, in display order."""
    with (Path(__file__).parent / "fields.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        row["name"]: Field(
            row["name"],
            row["unit"],
            Decimal(row["least"]),
            Decimal(row["most"]),
            Decimal(row["default"]) if row["default"] else None,
            row["source"],
            row["words"],
        )
        for row in rows
    }


def _read(path: Path) -> Iterator[tuple[str, Any]]:
    from gpucluster.core.text.yaml_text import BadYaml, read

    try:
        found = read(path)
    except OSError as error:
        raise BadInputs(f"{path} cannot be read: {error.strerror}") from None
    except BadYaml as error:
        raise BadInputs(f"{path} {error}; write lines such as usd_per_kwh: 0.08") from None
    if found.faults:
        raise BadInputs("\n".join(f"{path} {fault}" for fault in found.faults))
    if not is_object(found.data):
        raise BadInputs(f"{path} has no inputs; write lines such as usd_per_kwh: 0.08")
    yield from ((str(name), value) for name, value in found.data.items())


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, fields(), n=2, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(fields())}"
    return f"{name!r} is not an input; {hint}"


def _problem(field: Field, value: Any) -> str | None:
    if value is None and field.least:
        return f"{field.name} has no value; write {field.allowed}"
    if value is None:
        return None
    try:
        number = Decimal("NaN") if isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        number = Decimal("NaN")
    if number.is_finite() and field.least <= number <= field.most and not (field.whole and number % 1):
        return None
    return f"{field.name} is {shown_value(value)}; write {field.allowed}"
