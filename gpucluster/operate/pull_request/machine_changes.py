"""The GPU machines of a pull request: each place that names some, before and after, and whether rules check it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from gpucluster.core.documents.document import Notes, Row, Section, Table, counted, quoted
from gpucluster.policies.answers import Answer, summary


@dataclass(frozen=True, kw_only=True)
class MachineChange:
    """GPU machines of one place. before, after: None on the side where the place does not name any."""

    before: Answer | None
    after: Answer | None

    @property
    def last(self) -> Answer:
        """The newest side."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def moves(self) -> bool:
        return self.before is None or self.after is None or self._state(self.before) != self._state(self.after)

    @staticmethod
    def _state(side: Answer) -> object:
        return side.label, side.gpus, side.verdict


def machine_changes(before: Iterable[Answer], after: Iterable[Answer]) -> list[MachineChange]:
    """Every place of either side, those of `after` first."""
    old, new = ({(one.place.resource.urn, one.place.path): one for one in side} for side in (before, after))
    return [MachineChange(before=old.get(key), after=new.get(key)) for key in dict.fromkeys([*new, *old])]


def machine_sections(
    stacks: Mapping[str, Sequence[MachineChange]], *, unknown: tuple[Set[str], Set[str]] = (frozenset(), frozenset())
) -> Iterator[Section]:
    """The GPU machines of each stack in a sentence; a row for each place that changes or is not checked.

    unknown: the stacks without a plan before, and after.
    """
    sentences = [
        f"{quoted(stack)}: {quoted(sentence, 200)}"
        for stack, changes in stacks.items()
        for sentence in summary([one.after for one in changes if one.after is not None])
    ]
    if sentences:
        yield Notes("GPU machines", sentences)
    rows = [
        _row(stack, one, *("not known" if stack in of else "none" for of in unknown))
        for stack, changes in stacks.items()
        for one in changes
        if one.moves or (one.after is not None and one.after.verdict == "open")
    ]
    if rows:
        yield Table(
            heads=("GPU machines", "in", "stack", "before", "after", "checked by the rules"),
            rows=rows,
            left=range(6),
            more=lambda omitted: f"{len(omitted):,} more places with GPU machines",
        )


_CHECKED: Final = {"checked": "yes", "open": "no: ", "aside": ""}


def _row(stack: str, one: MachineChange, without_before: str, without_after: str) -> Row:
    place = one.last.place
    gpu = f" ({quoted(place.gpu)})" if place.gpu else ""
    before = without_before if one.before is None else _number(one.before)
    after = without_after if one.after is None else _number(one.after)
    verdict = (
        "" if one.after is None else f"{_CHECKED[one.after.verdict]}{one.after.why and quoted(one.after.why, 200)}"
    )
    machine = ", ".join(quoted(name.text) for name in place.names[:3])
    return Row((f"{machine}{gpu}", quoted(place.resource.name), quoted(stack), before, after, verdict))


def _number(side: Answer) -> str:
    nodes = "number unknown" if side.nodes is None else counted(side.nodes, "machine")
    return nodes if side.gpus is None else f"{nodes}, {side.gpus:,} GPUs"
