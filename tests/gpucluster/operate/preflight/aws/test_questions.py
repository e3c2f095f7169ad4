"""The questions of plans, by exact names and amounts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.program.questions import Question
from tests.gpucluster.operate.preflight.aws.plans import HERE, spec

GOLDEN: Final = Path(__file__).with_name("aws.txt")


def sized(nodes: int, **more: Any) -> dict[str, Any]:
    placement = {"kind": "none" if nodes == 1 else "group"}
    return {"training": {"nodes": nodes, "spares": 0}, "placement": placement, **more}


SPOT: Final = {"pools": {"dev": {"max_gpus": 8, "expected_gpus": 2, "purchase": ["spot"]}}}
SPECS: Final[dict[str, dict[str, Any]]] = {
    **{f"{nodes} nodes on demand": sized(nodes) for nodes in (1, 4, 32, 128)},
    "4 nodes in a reservation": {
        **sized(4),
        "placement": {"kind": "reservation", "id": "cr-0123456789abcdef0", "group": "close"},
    },
    "4 nodes in a capacity block": {
        **sized(4),
        "purchase": {"kind": "capacity-block"},
        "placement": {"kind": "reservation", "id": "cr-0123456789abcdef0"},
    },
    "4 nodes on demand, elastic pools of spot": sized(4, elastic=SPOT),
    "4 nodes in a network of the user": sized(
        4,
        network={
            "existing": {
                "id": "vpc-0123456789abcdef0",
                "cidr": "10.20.0.0/16",
                "nodes": "subnet-0123456789abcdef0",
                "others": ["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
            }
        },
    ),
}


def plan(changes: dict[str, Any]) -> Any:
    return CLOUD.plan_cluster(ClusterSpec.model_validate(spec(**changes)), HERE, stack="aws-trial")


def line(one: Question) -> str:
    needed = "" if one.needed is None else f"{one.needed:,}" if isinstance(one.needed, int) else one.needed
    details = " ".join(f"{key}={value}" for key, value in one.details.items() if value not in ("", "0"))
    cells = (one.about, one.subject, f"{needed} {one.unit}".strip(), one.place, "" if one.decides else "goes on")
    return "  ".join(filter(None, (*cells, details)))


def lines() -> Iterator[str]:
    for title, changes in SPECS.items():
        yield f"{title}:"
        yield from (f"  {line(one)}" for one in plan(changes).facts.questions)


def test_plans_ask_by_exact_names_and_amounts() -> None:
    """UPDATE_GOLDEN=1 writes them anew."""
    found = "\n".join(lines()) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(found)
    assert found == GOLDEN.read_text()


def test_every_note_that_asks_something_is_printed_once_before_up() -> None:
    for changes in SPECS.values():
        facts = plan(changes).facts
        notes = {one.note for one in facts.questions if one.note}
        assert notes <= set(facts.before_up)
        assert len(facts.before_up) == len(set(facts.before_up))
