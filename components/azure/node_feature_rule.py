"""Node Feature Discovery's NodeFeatureRule, `nfd.k8s-sigs.io/v1alpha1`, as far as labels by device go.

Source: Mellanox/network-operator v26.4.0, deployment/network-operator/charts/node-feature-discovery/crds.
"""

from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from gpucluster.components.kubernetes.objects import Part, Spec, Text, well_formed_labels

__all__ = ["NodeFeatureRule"]

_ALONE = frozenset({"Exists", "DoesNotExist", "IsTrue", "IsFalse"})
_ONE = frozenset({"Gt", "Ge", "Lt", "Le"})
_TWO = frozenset({"GtLt", "GeLe"})


class MatchExpression(Part):
    op: Literal[
        "In",
        "NotIn",
        "InRegexp",
        "Exists",
        "DoesNotExist",
        "Gt",
        "Ge",
        "Lt",
        "Le",
        "GtLt",
        "GeLe",
        "IsTrue",
        "IsFalse",
    ]
    value: list[Text] = Field(default=[], description="a list of texts")

    @model_validator(mode="after")
    def values_fit_the_operator(self) -> Self:
        count = len(self.value)
        allowed = (
            ("none", 0, 0)
            if self.op in _ALONE
            else ("exactly one", 1, 1)
            if self.op in _ONE
            else ("exactly two", 2, 2)
            if self.op in _TWO
            else ("at least one", 1, count)
        )
        words, least, most = allowed
        if not least <= count <= most:
            raise ValueError(f"has value {self.value}; allowed with {self.op}: {words}; change it")
        return self


class Matcher(Part):
    feature: Text
    matchExpressions: dict[str, MatchExpression] = Field(
        default={}, description="expressions by attribute of the feature"
    )


class Rule(Part):
    name: Text
    labels: dict[str, str] = Field(description="keys and values of text")
    matchFeatures: list[Matcher] = Field(min_length=1, description="one matcher or more")

    labels_are_well_formed = field_validator("labels")(well_formed_labels)


class NodeFeatureRule(Spec):
    """Which labels a node gets for what is in it."""

    api_version: ClassVar[str] = "nfd.k8s-sigs.io/v1alpha1"
    kind: ClassVar[str] = "NodeFeatureRule"

    rules: list[Rule] = Field(min_length=1, description="one rule or more")
