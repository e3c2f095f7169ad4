"""Rules that the API server itself applies to objects: `admissionregistration.k8s.io/v1`, as far as they are used here.

Plain objects rather than the SDK's classes, whose module a preview would import for these two alone.
Source: Kubernetes API reference v1.35, ValidatingAdmissionPolicy.
"""

from typing import ClassVar, Literal

from pydantic import Field

from gpucluster.components.kubernetes.objects import Part, Spec, Text

__all__ = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]

_VERSION = "admissionregistration.k8s.io/v1"


class ResourceRule(Part):
    apiGroups: list[str] = Field(min_length=1, description="API groups, '' for the core")
    apiVersions: list[Text] = Field(min_length=1, description="versions")
    operations: list[Literal["CREATE", "UPDATE", "DELETE", "CONNECT", "*"]] = Field(
        min_length=1, description="operations"
    )
    resources: list[Text] = Field(min_length=1, description="plural names")


class Expression(Part):
    """A boolean expression in CEL."""

    name: Text
    expression: Text


class NamespaceSelector(Part):
    matchLabels: dict[str, str] = Field(default={}, description="keys and values of text")


class MatchResources(Part):
    """namespaceSelector: every namespace without one."""

    resourceRules: list[ResourceRule] = Field(min_length=1, description="one rule or more")
    namespaceSelector: NamespaceSelector | None = None


class Validation(Part):
    """message: what the user reads where the expression is false."""

    expression: Text
    message: Text


class ValidatingAdmissionPolicy(Spec):
    """failurePolicy: what happens to a request for which an expression can't be evaluated."""

    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "ValidatingAdmissionPolicy"

    failurePolicy: Literal["Fail", "Ignore"]
    matchConstraints: MatchResources
    matchConditions: list[Expression] = Field(default=[], max_length=64, description="up to 64 conditions")
    variables: list[Expression] = Field(default=[], description="names and expressions")
    validations: list[Validation] = Field(min_length=1, description="one validation or more")


class ValidatingAdmissionPolicyBinding(Spec):
    api_version: ClassVar[str] = _VERSION
    kind: ClassVar[str] = "ValidatingAdmissionPolicyBinding"

    policyName: Text
    validationActions: list[Literal["Deny", "Warn", "Audit"]] = Field(min_length=1, description="one action or more")
