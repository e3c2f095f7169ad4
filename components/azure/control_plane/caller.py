"""The identity that runs the program: a person, or an application such as a pipeline."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_azure_native import authorization


@dataclass(frozen=True)
class Caller:
    """object_id: in the directory. kind: of the principal; Azure refuses the wrong one (UnmatchedPrincipalType); if not
    set, the SDK says User for every principal.
    """

    object_id: pulumi.Output[str]
    kind: pulumi.Output[Literal["ServicePrincipal", "User"]]


def caller(opts: pulumi.InvokeOutputOptions) -> Caller:
    """The identity of the provider's login."""
    return Caller(
        object_id=authorization.get_client_config_output(opts=opts).object_id,
        kind=pulumi.Output.unsecret(authorization.get_client_token_output(opts=opts).token.apply(kind_of)),
    )


def kind_of(token: str) -> Literal["ServicePrincipal", "User"]:
    """The kind of a token's owner; only tokens of users state an application's permissions for them.

    Source: Microsoft identity platform documentation, "Access token claims reference" (`scp`: only for user tokens).
    """
    claims = token.split(".")[1]
    return (
        "User"
        if "scp" in json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        else ("ServicePrincipal")
    )
