"""Registration of rules and the form of the errors they raise."""

from __future__ import annotations

from collections.abc import Callable

from sandbox.clouds.aws.model import Thing
from sandbox.clouds.cloud import CloudError

__all__ = ["RULES", "refused", "rule"]

Rule = Callable[[Thing], None]

RULES: dict[str, list[Rule]] = {}
"""By type token; "*" for all types."""


def rule(*tokens: str) -> Callable[[Rule], Rule]:
    """Registers a function as a rule of these types."""

    def register(function: Rule) -> Rule:
        for token in tokens:
            RULES.setdefault(token, []).append(function)
        return function

    return register


def refused(thing: Thing, operation: str, status: int, code: str, message: str) -> CloudError:
    """An error as the AWS provider words it: what it was doing, the API operation, and the API's own code and text."""
    service, action = operation.split(": ")
    doing = "updating" if thing.previous else "creating"
    kind = thing.token.rsplit(":", 1)[-1]
    name = thing.name or (thing.id if thing.previous else "")
    answer = (
        f"operation error {service}: {action}, https response error StatusCode: {status}, api error {code}: {message}"
    )
    return CloudError(f"{doing} {service} {kind}{f' ({name})' if name else ''}: {answer}")
