"""The scenario's disturbances of the requests of one command, and their results.

Columns: cloud, `*` for all; kind; type of the resource; state of the resource afterwards: refused (not created),
partial (exists, as failed), reading (exists, but is not found when read back), timeout (exists, but the provider no
longer waited); tries, the number of automatic retries by the provider; text; source.
"""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpucluster.core.catalog.clouds import cloud_of_package
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import Act, AgainError, CloudError
from gpucluster.sandbox.clouds.events.long_running import LongRunningType, UnfinishedError, long_running_types
from gpucluster.sandbox.clouds.events.scenario import Disturbance, Scenario
from gpucluster.sandbox.clouds.invented import Inventions
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.events.quotas import Shortage


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One row."""

    cloud: str
    kind: str
    type: str
    how: str
    tries: int
    text: str

    def text_with(self, values: Mapping[str, object]) -> str:
        """The text with these values; unknown values are omitted."""
        return self.text.format_map(_Blank(values))


class _Blank(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def answer(cloud: str, kind: str, type_: str, *, reading: bool = False) -> Answer | None:
    """A cloud's answer, None if the table has none. cloud: its name, or `kubernetes`.

    reading: whether the request is a read; only reads answer that a resource can't be found.
    """
    rows = (row for row in _rows() if row.kind == kind and row.cloud in ("*", cloud))
    fits = (row for row in rows if kind != "not-yet" or (row.how == "reading") == reading)
    return next((row for row in fits if fnmatchcase(type_, row.type)), None)


@functools.cache
def _rows() -> Sequence[Answer]:
    return [
        Answer(
            cloud=row["cloud"],
            kind=row["kind"],
            type=row["type"],
            how=row["how"],
            tries=int(row["tries"]),
            text=row["text"],
        )
        for row in read_rows("sandbox/clouds/answers.csv")
    ]


@dataclass(frozen=True, kw_only=True)
class Mishap:
    """One failed request. request: in the scenario's terms. id: of the resource, if it stays failed. lacks: the
    shortage.
    """

    urn: str
    type: str
    request: str
    error: str
    id: str = ""
    lacks: Shortage | None = None


class Weather:
    """Shared by all providers of a command; counts their requests."""

    def __init__(self, scenario: Scenario, waits: Path | None = None) -> None:
        """waits: file of the waits that the program reports, a line each: seconds and URN."""
        self.scenario = scenario
        self._waits = waits
        self._new: list[tuple[Entry, float, float]] = []
        self._lock = threading.Lock()
        self._matches = Counter[int]()
        self._lacks: dict[str, Shortage] = {}
        self.mishaps: list[Mishap] = []
        self.missing: dict[str, str] = {}
        """Settings that a provider lacks: key of the stack's configuration -> an example."""
        self.inventions = Inventions()
        self.calm = not (scenario.operations or scenario.quotas or scenario.capacity)
        """Whether the scenario has no disturbances."""

    def disturbance(self, type_: str, names: tuple[str, ...], act: Act) -> Disturbance | None:
        """The disturbance of this request, which is counted; entries that name the resource have precedence."""
        found: list[Disturbance] = []
        with self._lock:
            for at, each in enumerate(self.scenario.operations):
                if each.concerns(type_, names, act.name.lower()):
                    self._matches[at] += 1
                    if each.at <= self._matches[at] and (not each.times or self._matches[at] < each.at + each.times):
                        found.append(each)
        return max(found, key=lambda each: (bool(each.name), "*" not in each.type), default=None)

    def seen(self, at: int) -> int:
        """The number of requests that matched a disturbance of the scenario."""
        return self._matches[at]

    def created(self, entry: Entry, disturbance: Disturbance | None) -> None:
        """Records a new resource."""
        if disturbance is not None and disturbance.effective:
            self._new.append((entry, disturbance.effective, time.monotonic()))

    def ineffective(self) -> list[Entry]:
        """New resources on which other requests cannot rely yet: the program has not waited for them."""
        if not self._new:
            return []
        waited = Counter[str]()
        if self._waits is not None and self._waits.exists():
            for line in self._waits.read_text().splitlines():
                seconds, urn = line.split(" ", 1)
                waited[urn] += int(seconds)
        now = time.monotonic()
        return [entry for entry, seconds, made in self._new if waited[entry.urn] + now - made < seconds]

    def before(
        self, disturbance: Disturbance | None, package: str, type_: str, inputs: Mapping[str, Any], act: Act
    ) -> None:
        """Raises CloudError if the cloud refuses the request."""
        if disturbance is None:
            return
        row = long_running_types().get(type_)
        if disturbance.fails in ("throttled", "not-yet"):
            answered = _answer(package, disturbance.fails, type_, act)
            known = {**mapping(plain(inputs)), "name": _own_name(inputs)}
            text = disturbance.error or (answered.text_with(known) if answered is not None else "")
            raise AgainError(text or disturbance.fails, answered.tries if answered is not None else 0)
        # A failed resource that the provider would forget is not created here either.
        forgotten = disturbance.fails == "partial" and (act is Act.DELETE or (row is not None and not row.kept))
        if disturbance.fails == "refused" or forgotten:
            raise CloudError(disturbance.error)

    def short(self, entry: Entry, act: Act, ledger: Ledger) -> Disturbance | None:
        """The disturbance of a request by a shortage of quota or machines, None if there is enough; raises CloudError
        at once if the cloud checks before it accepts.
        """
        if act is Act.DELETE or not (self.scenario.quotas or self.scenario.capacity):
            return None
        lacks = self.lacks(entry, ledger)
        answered = _answer(entry.provider, lacks.kind, entry.type, act) if lacks is not None else None
        if lacks is None or answered is None:
            return None
        self._lacks[entry.urn] = lacks
        identity = {"id": entry.id, "name": entry.name, "scope": entry.scope}
        text = answered.text_with({**lacks.values, "quota": lacks.name, **identity})
        if answered.how == "refused":
            raise CloudError(text)
        return Disturbance(type=entry.type, fails="partial", error=text, machines=lacks.machines)

    def lacks(self, entry: Entry, ledger: Ledger) -> Shortage | None:
        """What the resource lacks of quota or machines."""
        # Imported late: few scenarios limit quota or machines.
        from gpucluster.sandbox.clouds.events.quotas import shortage

        return shortage(entry, self.scenario, ledger)

    def after(self, disturbance: Disturbance | None, entry: Entry, act: Act) -> None:
        """Raises CloudError if the provider does not learn that the cloud has completed, or continues, its request;
        UnfinishedError if it records the resource nevertheless.
        """
        row = long_running_types().get(entry.type)
        lasts = row is not None and bool(row.states.get(act))
        if (
            disturbance is None
            or disturbance.fails not in ("timeout", "partial")
            or (disturbance.fails == "partial" and lasts)
        ):
            return
        text = disturbance.error or _timeout(entry, row if lasts else None, act)
        if act is Act.DELETE or (disturbance.fails == "timeout" and not (lasts and row is not None and row.kept)):
            raise CloudError(text)
        missing: Mapping[str, Any] = row.incomplete(act) if row is not None else {}
        raise UnfinishedError(text, replace(entry, outputs={**entry.outputs, **missing}))

    def note(self, urn: str, type_: str, act: Act, error: str, id_: str) -> None:
        """Records a failed request. id_: of the resource, if it stays failed."""
        with self._lock:
            lacks = self._lacks.pop(urn, None)
            request = act.name.lower()
            self.mishaps.append(Mishap(urn=urn, type=type_, request=request, error=error, id=id_, lacks=lacks))


def _answer(package: str, kind: str, type_: str, act: Act) -> Answer | None:
    row = cloud_of_package(package)
    return answer(row.name if row is not None else package, kind, type_, reading=act is Act.READ)


def _timeout(entry: Entry, row: LongRunningType | None, act: Act) -> str:
    answered = _answer(entry.provider, "timeout" if row is not None else "no-answer", entry.type, act)
    values = {"done": row.done, "state": row.states[act], "timeout": row.timeout} if row is not None else {}
    return answered.text_with(values) if answered is not None else ""


def _own_name(inputs: Mapping[str, Any]) -> str:
    """The input `name`; the messages of the table need no other."""
    return str(plain(inputs.get("name")) or "")
