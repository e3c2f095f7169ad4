"""What was promised of a cluster."""

from decimal import Decimal
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from gpucluster.components.problem import BadSpecValue, Problem
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import Whole
from gpucluster.textio.values import shown_value


def _by_number_of_nodes(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    problems: list[Problem] = []
    for nodes, speed in cast(dict[Any, Any], value).items():
        if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 2:
            problems.append(
                Problem("", f"has {shown_value(nodes)} as a number of nodes", "write 2 or more, such as 4: 360")
            )
        elif not isinstance(speed, int | float | Decimal) or isinstance(speed, bool) or speed <= 0:
            problems.append(
                Problem("", f"has {shown_value(speed)} for {nodes} nodes", f"write GB/s above 0, such as {nodes}: 360")
            )
    if problems:
        raise BadSpecValue(problems)
    return cast(dict[Any, Any], value)


class Promises(Model):
    """Performance promised by the seller or to users; `gpucluster acceptance report` checks each figure."""

    bus_gb_per_s: Annotated[dict[Whole, Decimal], BeforeValidator(_by_number_of_nodes)] = Field(
        default_factory=dict,
        description="Number of nodes -> bus bandwidth of a ring all-reduce over them, GB/s (10^9 bytes)",
        examples=[{4: 360, 8: 350}],
    )
    storage_gb_per_s: Decimal | None = Field(
        default=None,
        gt=0,
        description="Read and write throughput of shared storage, all nodes together, GB/s; default: "
        "storage.shared.gb_per_s",
    )
    files_per_s: Decimal | None = Field(
        default=None, gt=0, description="Small files that all nodes together create, stat, read or delete in a second"
    )
    replacement_hours: Decimal | None = Field(
        default=None, gt=0, description="Hours from the request for a broken node's replacement until it is ready"
    )
