"""Hours under load, in rounds that can be interrupted: completed rounds are not repeated."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

from gpucluster.acceptance.runs.collectives import collective
from gpucluster.acceptance.runs.diagnosis import diagnosis, stress
from gpucluster.acceptance.runs.scope import Scope
from gpucluster.acceptance.runs.step import Step
from gpucluster.textio.typed import Source, read_json

_STRESS_MINUTES: Final = 60
_STATE: Final = "burn-in.json"


class _State(BaseModel):
    nodes: list[str]
    seconds: float = Field(ge=0, allow_inf_nan=False)
    rounds: int = Field(ge=0)


def round_steps(scope: Scope, turn: int) -> Iterator[Step]:
    """A round: diagnosis of level 3, an hour of stress, all-reduce at full scale with NCCL's buffers in GPU memory.

    With spares, the ring covers different nodes in every round.
    """
    for step in (diagnosis(scope.names, level=3), stress(scope.names, minutes=_STRESS_MINUTES)):
        yield _of_round(step, turn)
    nodes = scope.ringed
    if scope.most > 1:
        around = [*nodes[turn % len(nodes) :], *nodes[: turn % len(nodes)]]
        ring = collective(around[: scope.most], name="acceptance-full", priority=scope.priority)
        yield _of_round(ring, turn)


def _of_round(step: Step, turn: int) -> Step:
    return dataclasses.replace(step, name=f"round-{turn:03}-{step.name}")


@dataclass
class BurnIn:
    """The state of a burn-in, in its folder. seconds: under load, of completed rounds."""

    folder: Path
    hours: Decimal
    nodes: tuple[str, ...]
    seconds: float = 0.0
    rounds: int = 0

    @classmethod
    def resumed(cls, folder: Path, hours: Decimal, nodes: Sequence[str]) -> BurnIn:
        """The state in the folder, or a new one. Raises ValueError for other nodes, InputError if unreadable."""
        path = folder / _STATE
        if not path.exists():
            return cls(folder, hours, tuple(nodes))
        source = Source(name=str(path), fix="remove it to start again, or give another --results")
        state = read_json(path.read_text(encoding="utf-8", errors="replace"), _State, source)
        if set(state.nodes) != set(nodes):
            changed = ", ".join(sorted(set(state.nodes) ^ set(nodes)))
            raise ValueError(
                f"{path} is from other nodes ({changed} differ): a replaced node has not been tested; give another "
                "--results"
            )
        return cls(folder, hours, tuple(nodes), state.seconds, state.rounds)

    @property
    def done(self) -> bool:
        return self.seconds >= float(self.hours) * 3600

    @property
    def left(self) -> Decimal:
        """Hours, at least 0, to a hundredth."""
        return max(Decimal(0), (self.hours - Decimal(str(self.seconds)) / 3600).quantize(Decimal("0.01")))

    def finished_round(self, seconds: float) -> None:
        """Counts a round, and saves it before the next one starts."""
        self.rounds += 1
        self.seconds += seconds
        path = self.folder / _STATE
        unfinished = path.with_suffix(".part")
        state = {"hours": str(self.hours), "nodes": list(self.nodes), "seconds": self.seconds, "rounds": self.rounds}
        unfinished.write_text(json.dumps(state, indent=2), encoding="utf-8")
        unfinished.replace(path)
