"""Text formats that a regular expression describes poorly, by their names in the limits."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import datetime
from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError, ip_address, ip_network
from typing import Final

from gpucluster.core.text.type_guards import is_list, is_object, mapping


def _ipv4_network(text: str) -> bool:
    return "/" in text and _parses(IPv4Network, text)


def _ipv6_network(text: str) -> bool:
    return "/" in text and _parses(IPv6Network, text)


def _network(text: str) -> bool:
    """As Go's net.ParseCIDR: an address, a slash and a length; host bits are allowed."""
    return "/" in text and _parses(lambda given: ip_network(given, strict=False), text)


def _address(text: str) -> bool:
    return _network(text) or _parses(ip_address, text)


def _base64(text: str) -> bool:
    return _parses(lambda given: b64decode(given, validate=True), text)


def _document(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _iam_policy(text: str) -> bool:
    """An object with statements, each with an Allow or Deny effect, and without unknown keys at the top level.

    Source: AWS IAM user guide, "Grammar of the IAM JSON policy language".
    """
    try:
        found = json.loads(text)
    except ValueError:
        return False
    if not is_object(found) or "Statement" not in found or not {*found} <= {"Version", "Id", "Statement"}:
        return False
    statements = found["Statement"] if is_list(found["Statement"]) else [found["Statement"]]
    effects = {str(mapping(statement).get("Effect")) for statement in statements}
    return effects <= {"Allow", "Deny"} and found.get("Version", "2012-10-17") in ("2012-10-17", "2008-10-17")


def _instant(text: str) -> bool:
    """RFC 3339, with seconds and a zone."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", text):
        return False
    return _parses(datetime.fromisoformat, text)


def _parses(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (AddressValueError, NetmaskValueError, ValueError):
        return False
    return True


def _whole(pattern: str) -> Callable[[str], bool]:
    expression = re.compile(pattern)
    return lambda text: expression.fullmatch(text) is not None


FORMATS: Final[Mapping[str, tuple[str, Callable[[str], bool]]]] = {
    "ipv4-network": ("an IPv4 network such as 10.0.0.0/16", _ipv4_network),
    "ipv6-network": ("an IPv6 network such as 2001:db8::/56", _ipv6_network),
    "network": ("a network such as 10.0.0.0/16", _network),
    "address": ("an IP address or a network", _address),
    "base64": ("text in base64", _base64),
    "whole": ("a whole number", _whole(r"|-?\d+")),
    "json": ("a JSON document", _document),
    "instant": ("a time such as 2026-01-31T08:00:00Z", _instant),
    "iam-policy": ("an IAM policy: Statement, each with an Effect, and perhaps Version and Id", _iam_policy),
    "google-duration": ("a duration in seconds such as 3.5s", _whole(r"|-?\d+(\.\d{1,9})?s")),
    "hour": ("a time of day such as 03:00", _whole(r"([01][0-9]|2[0-3]):[0-5][0-9]")),
}
"""Name -> description, and a check of a text."""
