"""Outputs of resources that `pulumi up --target` excludes: None, whatever their type says."""

from __future__ import annotations

import pulumi


def or_empty(text: pulumi.Output[str]) -> pulumi.Output[str]:
    """The text, empty if its resource is excluded, so that values built from it do not fail."""
    return text.apply(lambda found: found or "")
