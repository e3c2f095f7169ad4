"""Plan and state files as the two sides of a change."""

from __future__ import annotations

from typing import TextIO

from cost.assumptions import Assumptions
from cost.changes.diff import Side
from cost.estimate import estimate
from cost.prices import PriceBook
from cost.resources import urn_stack
from cost.sources.errors import NotReadable
from cost.sources.files import read_file

__all__ = ["sides_of"]


def sides_of(old: TextIO, new: TextIO, book: PriceBook, assumptions: Assumptions) -> tuple[Side, Side]:
    """Both sides. NotReadable has one line for each file that cannot be used."""
    if old.name == new.name == "<stdin>":
        raise NotReadable("OLD and NEW are both stdin; give a file for one of them")
    sides: list[Side] = []
    problems: list[str] = []
    for file in (old, new):
        what = "stdin" if file.name == "<stdin>" else file.name
        try:
            read = read_file(file.read(), what)
        except UnicodeDecodeError:
            problems.append(f"{what} is not text; give a plan or state file in JSON")
        except NotReadable as error:
            problems.append(str(error))
        else:
            urns = frozenset(resource.urn for resource in read.resources)
            stack = urn_stack(min(urns)) if urns else ""
            found = estimate(read.resources, book, assumptions)
            sides.append(Side(what, found, urns, stack, read.is_plan, read.ended))
    if problems:
        raise NotReadable("\n".join(problems))
    return sides[0], sides[1]
