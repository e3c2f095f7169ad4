"""Which nodes a pod may have, by their labels: a part of pods, and of what declares them.

Source: Kubernetes API reference v1.35, NodeAffinity and NodeSelectorRequirement.
"""

from typing import Final, Literal, Self

from pydantic import Field, model_validator

from gpucluster.components.kubernetes.objects import Part, Text
from gpucluster.components.kubernetes.syntax import key_problem

__all__ = ["NodeAffinity"]

_VALUES: Final = {"In": "one or more", "NotIn": "one or more", "Gt": "one", "Lt": "one"}


class MatchExpression(Part):
    key: Text
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: list[str] = Field(default=[], description="a list of texts")

    @model_validator(mode="after")
    def values_fit_the_operator(self) -> Self:
        problems: list[str] = []
        if (allowed := key_problem(self.key)) is not None:
            problems.append(f"has the key {self.key!r}; allowed: {allowed}; change it")
        wanted = _VALUES.get(self.operator, "none")
        fits = {"none": not self.values, "one": len(self.values) == 1}.get(wanted, bool(self.values))
        if not fits:
            problems.append(f"has values {self.values}; allowed with {self.operator}: {wanted}; change them")
        if problems:
            raise ValueError("\n".join(problems))
        return self


class NodeSelectorTerm(Part):
    """Expressions that hold together."""

    matchExpressions: list[MatchExpression] = Field(min_length=1, description="one expression or more")


class NodeSelector(Part):
    """Terms of which one has to hold."""

    nodeSelectorTerms: list[NodeSelectorTerm] = Field(min_length=1, description="one term or more")


class NodeAffinity(Part):
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector
