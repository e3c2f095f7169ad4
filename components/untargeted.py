"""Outputs of resources that `pulumi up --target` leaves out: None, whatever their type says."""

from __future__ import annotations

import pulumi


def or_empty(text: pulumi.Output[str]) -> pulumi.Output[str]:
    """The text, empty where its resource is left out: what is made of it can still be put together."""
    return text.apply(lambda found: found or "")
