"""The question: how many GPUs, for how long, where; reports all of its mistakes at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, TypeVar

from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.planning.problem import did_you_mean
from gpucluster.components.shared.machine_choice import shapes
from gpucluster.core.catalog.racks import rack_accelerators, racks_of
from gpucluster.core.program.facts import Terms
from gpucluster.errors import InputError
from gpucluster.operate.quote.market import continents

_REQUIRED: Final = {"gpus": "how many GPUs, such as 64", "for": "for how long, such as 30d"}
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "y": 365 * 24}
_TIB: Final = {"": 1, "TiB": 1, "PiB": 1024}
_MOST_NODES: Final = 4_096  # like `training.nodes` of a spec
_MOST_SPARES: Final = 512
_MOST_FABRIC: Final = 12_800
_MOST_UNITS: Final = 9_999  # of a duration, which a spec writes in four digits
_MOST_TIB: Final = 100_000

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True)
class Question:
    """hours: duration of the cluster. storage_tib, spares, fabric_gbps: None for the default of a first spec.
    clouds, accelerators: at least one each. places: names of regions and of continents; empty for everywhere.
    budget: USD for the whole duration, None without a limit. terms: cloud -> its agreed terms.
    """

    gpus: int
    hours: int
    accelerators: tuple[str, ...]
    clouds: tuple[str, ...]
    places: frozenset[str]
    storage_tib: Decimal | None = None
    fabric_gbps: int | None = None
    spares: int | None = None
    budget: Decimal | None = None
    terms: Mapping[str, Terms] = field(default_factory=dict[str, Terms])

    @property
    def nodes(self) -> int:
        """Number of nodes with 8 GPUs."""
        return -(-self.gpus // NODE_GPUS)

    @property
    def duration(self) -> str:
        """In the format of a spec."""
        return f"{self.hours // 24}d" if self.hours % 24 == 0 else f"{self.hours}h"


class _BadOption(ValueError):
    """An unusable value; the text follows the option's name."""


def question_of(
    given: Mapping[str, str | None],
    regions: Iterable[str],
    terms: Mapping[str, Terms] | None = None,
    wrong: Iterable[str] = (),
) -> Question:
    """The question from options, by their names without dashes. regions: all known ones, needed if it names any.
    wrong: problems of the terms.

    Raises InputError with all problems.
    """
    problems: list[str] = []

    def read(option: str, how: Callable[[str], _Read], default: _Read) -> _Read:
        text = given.get(option)
        if text is None:
            if option in _REQUIRED:
                problems.append(f"--{option} is missing; write {_REQUIRED[option]}")
            return default
        try:
            return how(text.strip())
        except _BadOption as error:
            problems.append(f"--{option} is {text!r}; {error}")
            return default

    built = tuple(dict.fromkeys(row.accelerator for row in shapes() if row.gpus == NODE_GPUS))
    accelerators = (*built, *rack_accelerators())
    places = sorted({*continents(), *regions})
    question = Question(
        gpus=read("gpus", lambda text: _whole(text, 1, _MOST_NODES * NODE_GPUS, "GPUs, such as 64"), 0),
        hours=read("for", _hours, 0),
        accelerators=read("accelerators", lambda text: _names(text, accelerators), accelerators[:1]),
        clouds=read("clouds", lambda text: _names(text, CLOUDS), CLOUDS),
        places=frozenset(read("regions", lambda text: _places(text, places), ())),
        storage_tib=read("storage", _tib, None),
        fabric_gbps=read("fabric", lambda text: _whole(text, 0, _MOST_FABRIC, "Gb/s a node, such as 1600"), None),
        spares=read("spares", lambda text: _whole(text, 0, _MOST_SPARES, "nodes, such as 1"), None),
        budget=read("budget", _usd, None),
        terms=terms or {},
    )
    problems += [*_no_whole_racks(question), *wrong]
    if problems:
        raise InputError("command line", problems)
    return question


def _no_whole_racks(question: Question) -> Iterator[str]:
    """Clouds that sell no rack of that size are left out of the answer, unless none of those in the question does."""
    for name in question.accelerators:
        sizes = sorted({rack.rack_gpus for rack in racks_of(name) if rack.cloud in question.clouds})
        if sizes and all(question.gpus % size for size in sizes):
            size = sizes[0]
            yield (
                f"--gpus is {question.gpus}; {name} is sold in racks of {' or '.join(map(str, sizes))} GPUs: write "
                f"{size}, {2 * size}, {3 * size} or another multiple, or leave {name} out"
            )


def _whole(text: str, least: int, most: int, what: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text) or not least <= int(text) <= most:
        raise _BadOption(f"write a whole number from {least} to {most:,}: {what}")
    return int(text)


def _hours(text: str) -> int:
    match = re.fullmatch(r"([1-9]\d{0,3})\s*([hdwy])", text)
    allowed = "write hours, days, weeks or years, such as 12h, 30d, 2w or 1y"
    if match is None:
        raise _BadOption(allowed)
    hours = int(match[1]) * _HOURS[match[2]]
    if hours > _MOST_UNITS * (24 if hours % 24 == 0 else 1):
        raise _BadOption(f"a spec lasts at most {_MOST_UNITS:,}d; {allowed}")
    return hours


def _tib(text: str) -> Decimal:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)\s*(TiB|PiB|)", text)
    tib = Decimal(0) if match is None else Decimal(match[1]) * _TIB[match[2]]
    if not 0 < tib <= _MOST_TIB:
        raise _BadOption(f"write a size in TiB or PiB, above 0 and up to {_MOST_TIB:,}TiB, such as 50TiB")
    return tib


def _usd(text: str) -> Decimal:
    plain = text.replace(",", "").removeprefix("$")
    if not re.fullmatch(r"\d{1,12}(\.\d{1,2})?", plain) or not Decimal(plain):
        raise _BadOption("write USD above 0 for the whole time, such as 500000")
    return Decimal(plain)


def _names(text: str, allowed: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        near = did_you_mean(unknown[0], allowed) if unknown else ""
        raise _BadOption(f"{_not_known(unknown)}allowed, comma-separated: {', '.join(allowed)}{near}")
    return names


def _places(text: str, allowed: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",") if part.strip()))
    unknown = [name for name in names if name not in allowed]
    if unknown or not names:
        near = did_you_mean(unknown[0], allowed) if unknown else ""
        raise _BadOption(
            f"{_not_known(unknown)}allowed, comma-separated: {', '.join(continents())}, or regions such as "
            f"us-east-1, us-central1 and eastus{near}"
        )
    return names


def _not_known(unknown: Sequence[str]) -> str:
    return f"{', '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not known; " if unknown else ""
