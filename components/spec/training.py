"""The training pool, how it is paid for and what keeps it together."""

from typing import Annotated, Literal

from pydantic import Field

from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import ROLL, Whole


class Training(Model):
    """The training pool: fixed size, co-located, fabric on."""

    nodes: Whole = Field(ge=1, le=4096, description="Nodes of 8 GPUs that jobs can use", examples=[4])
    spares: Whole = Field(default=0, ge=0, le=512, description="Spare nodes, in the same domain")
    fabric_gbps: Whole = Field(
        default=0,
        ge=0,
        le=12_800,
        description="Least GPU-fabric bandwidth per node, Gb/s; 0: any",
        examples=[1600, 3200],
    )
    roll: bool = Field(default=False, description=ROLL)

    @property
    def size(self) -> int:
        """Nodes bought: asked and spare."""
        return self.nodes + self.spares


class OnDemandPurchase(Model):
    """List price by the hour, no guarantee of capacity."""

    kind: Literal["on-demand"]


class SpotPurchase(Model):
    """Spare capacity that the cloud can reclaim."""

    kind: Literal["spot"]


class CapacityBlockPurchase(Model):
    """Capacity for fixed dates, paid upfront, referred to by the id of its reservation.

    A plan has no clock: who runs it says when the block has begun, and the pool then gets its nodes.
    """

    kind: Literal["capacity-block"]
    active: bool = Field(default=False, description="Whether the block has started; until then the pool has no nodes")


class FlexStartPurchase(Model):
    """Capacity that starts when available, for at most seven days; on Google Cloud only."""

    kind: Literal["flex-start"]


Purchase = Annotated[
    OnDemandPurchase | SpotPurchase | CapacityBlockPurchase | FlexStartPurchase,
    Field(description="Purchase option of the training nodes", discriminator="kind"),
]


class GroupPlacement(Model):
    """A co-location domain made for this cluster."""

    kind: Literal["group"]


class ReservationPlacement(Model):
    """Reserved capacity, which already has a placement."""

    kind: Literal["reservation"]
    id: str = Field(
        min_length=3,
        max_length=512,
        description="The cloud's id of the reservation or capacity block; on AWS also the ARN of a resource group of "
        "reservations",
        examples=["cr-0123456789abcdef0", "projects/my-project/reservations/my-reservation"],
    )
    group: str | None = Field(
        default=None,
        pattern=r"^[!-~]([ -~]{0,253}[!-~])?$",
        description="Placement group that the reservation was created in (Google Cloud: resource policy that it was "
        "created with), if any",
    )
    host_maintenance: Literal["periodic"] | None = Field(
        default=None,
        description="Maintenance of the reservation's hosts, if Google Cloud has agreed on a period for it; a pool of "
        "nodes needs the same",
    )


class BlocksPlacement(Model):
    """Several capacity blocks of AWS, each of which has its own placement."""

    kind: Literal["blocks"]
    blocks: dict[str, Whole] = Field(
        description="Nodes in each block, by its id; the sum is that of training.nodes and training.spares",
        examples=[{"cr-0123456789abcdef0": 64, "cr-0123456789abcdef1": 32}],
    )


class NoPlacement(Model):
    """No co-location; for a single node only."""

    kind: Literal["none"]


Placement = Annotated[
    GroupPlacement | ReservationPlacement | BlocksPlacement | NoPlacement,
    Field(description="Co-location of the training nodes", discriminator="kind"),
]
