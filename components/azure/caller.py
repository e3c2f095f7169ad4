"""The identity that runs the program: a person, or an application such as a pipeline."""

from __future__ import annotations

import base64
import json
from typing import Literal

import pulumi
from pulumi_azure_native import authorization

from gpucluster.record import record


@record
class Caller:
    """object_id: in the directory. kind: as Azure wants it told, and refuses the wrong one
    (UnmatchedPrincipalType); left out, the SDK says User for everybody.
    """

    object_id: pulumi.Output[str]
    kind: pulumi.Output[Literal["ServicePrincipal", "User"]]


def caller(opts: pulumi.InvokeOutputOptions) -> Caller:
    """Who is logged in, as the provider sees it."""
    return Caller(
        object_id=authorization.get_client_config_output(opts=opts).object_id,
        kind=pulumi.Output.unsecret(authorization.get_client_token_output(opts=opts).token.apply(kind_of)),
    )


def kind_of(token: str) -> Literal["ServicePrincipal", "User"]:
    """Whom a token is for; a person's alone says what an application may do for them.

    Source: Microsoft identity platform documentation, "Access token claims reference" (`scp`: only for user tokens).
    """
    claims = token.split(".")[1]
    return (
        "User"
        if "scp" in json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        else ("ServicePrincipal")
    )
