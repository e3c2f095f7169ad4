"""The last lines of a preview or an update: cost, findings, why it failed, and the next command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from gpucluster.core.documents.formats import width_for
from gpucluster.core.program.closing import Line, block
from gpucluster.core.program.spec_places import to_edit
from gpucluster.core.text.terminal import beneath, show
from gpucluster.sandbox.run.arguments import CommandLine

_KINDS: Final = ("cost-", "findings-", "spec-")
COMMANDS: Final = frozenset({"preview", "up"})


def print_closing(parts: Mapping[str, Any], line: CommandLine, stack: str, code: int, refused: str = "") -> None:
    """Prints the block on stdout, after the engine's output; nothing if no program or pack handed over a part, and the
    program does not refuse its input.

    parts: as `handed_over` returns them. code: of the engine. refused: why the program refuses its input.
    """
    if not parts and not refused:
        return
    terminal = beneath(sys.stdout)
    lines = closing_lines(parts, line, stack, code, refused)
    show(block(lines, width_for(terminal), terminal), terminal)


def closing_lines(parts: Mapping[str, Any], line: CommandLine, stack: str, code: int, refused: str = "") -> list[Line]:
    """The lines of all parts: costs first."""
    costs, packs, specs = ([part for name, part in parts.items() if name.startswith(kind)] for kind in _KINDS)
    where = partial(to_edit, [Path(spec) for spec in specs])
    mandatory = [one for pack in packs for one in pack["findings"] if one["level"] == "mandatory"]
    found = [Line(**one) for cost in costs for one in cost["lines"]]
    machines = dict.fromkeys(text for pack in packs for text in pack["machines"])
    found += [Line("" if at else "GPUs", text) for at, text in enumerate(machines)]
    found += _findings(packs, where)
    if code and refused:
        first, *more = refused.splitlines()
        found.append(Line("Failed", f"{first}, listed above" if more else first, "bad"))
    elif code:
        count = len(mandatory)
        reasons = [f"{cost['failed']}{where(cost['field'])}" for cost in costs if cost["failed"]]
        reasons += [f"{count} mandatory finding{'' if count == 1 else 's'}"] if count else []
        found.append(Line("Failed", "; ".join(reasons) or "by the errors above", "bad"))
    following = _next(costs, mandatory, line, stack, code)
    return [*found, Line("Next", following)] if following else found


def _findings(packs: Sequence[Any], where: Callable[[str], str]) -> Iterator[Line]:
    if not packs:
        return
    every = [one for pack in packs for one in pack["findings"]]
    counts = {level: sum(one["level"] == level for one in every) for level in ("mandatory", "advisory")}
    by_level = ", ".join(f"{count} {level}" for level, count in counts.items() if count)
    rules = sum(pack["rules"] for pack in packs)
    yield Line("Findings", by_level or f"none, by {rules} rules", "bad" if counts["mandatory"] else "")
    for one in every:
        times = f" ({one['count']} resources)" if one["count"] > 1 else ""
        text = f"{one['level']} {one['rule']}{times}{where(one['field'])}"
        yield Line("", text, "bad" if one["level"] == "mandatory" else "")


def _next(costs: Sequence[Any], mandatory: Sequence[Any], line: CommandLine, stack: str, code: int) -> str:
    if mandatory:
        return mandatory[0]["explain"]
    if code:
        return ""
    if line.words[0] == "preview":
        pack = line.value("--policy-pack")
        return f"gpucluster sandbox pulumi up --stack {stack}{f' --policy-pack {pack}' if pack else ''}"
    return next((text for cost in costs for text in cost["next"]), "")
