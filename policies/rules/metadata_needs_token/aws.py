"""Version 2 of EC2's metadata service, which requires a session token.

Sources: pulumi-aws 7.51.1, LaunchTemplateMetadataOptionsArgs (default of httpTokens: `optional`); Karpenter,
EC2NodeClass spec.metadataOptions (default of httpTokens: `required`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import INSTANCE, LAUNCH_CONFIGURATION, LAUNCH_TEMPLATE
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import at, text

_STATED: Final = (LAUNCH_TEMPLATE, LAUNCH_CONFIGURATION, INSTANCE)
_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

FIX: Final = "Set httpTokens to `required` in metadataOptions, with httpPutResponseHopLimit 1."
READS: Final = f"{MACHINES}, {_CLASS}"


def check(stack: Stack) -> Iterator[Finding]:
    for type_, way in (*((stated, ()) for stated in _STATED), (_CLASS, ("spec",))):
        for resource in stack.resources.of_type(type_):
            tokens = text(resource.inputs, *way, "metadataOptions", "httpTokens")
            if text(resource.inputs, *way, "metadataOptions", "httpEndpoint") == "disabled" or tokens == "required":
                continue
            if tokens is UNKNOWN:
                yield CannotTell(resource, "whether its metadata service requires a token is not known yet")
            elif tokens is not None:
                yield Violation(resource, f"httpTokens `{tokens}`: its metadata service answers without a token")
            elif type_ in _STATED and not _from_template(resource.inputs):
                yield Violation(resource, "httpTokens is not set: the image decides whether a token is required")


def _from_template(inputs: object) -> bool:
    """Whether an instance inherits it from a launch template."""
    return at(inputs, "launchTemplate") is not None
