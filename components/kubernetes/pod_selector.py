"""Which pods what collects metrics reads, the same for the kinds of each cloud."""

from pydantic import Field, field_validator

from gpucluster.components.kubernetes.objects import Part, well_formed_labels

__all__ = ["PodSelector"]


class PodSelector(Part):
    """An empty one would read every pod of the namespace."""

    matchLabels: dict[str, str] = Field(min_length=1, description="one label or more")

    labels_are_well_formed = field_validator("matchLabels")(well_formed_labels)
