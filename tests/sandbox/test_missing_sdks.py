"""What is said where a stack's state needs an SDK that is not installed."""

from __future__ import annotations

from pathlib import Path

from gpucluster.sandbox.clouds.sdk import Sdk
from gpucluster.sandbox.missing_sdks import missing_sdks

STATE = [
    {"type": "pulumi:pulumi:Stack"},
    {"type": "pulumi:providers:random"},
    {"type": "pulumi:providers:gcp"},
    {"type": "gcp:storage/bucket:Bucket"},
    {"type": "pulumi:providers:azure-native"},
    {"type": "pulumi:providers:gpucluster"},
]


def test_each_sdk_that_the_state_needs_is_named_with_what_brings_it() -> None:
    assert missing_sdks(STATE, {"gcp": Sdk("gcp", "10.2.0", Path("/nowhere"))}) == [
        "The state has resources of azure-native, which needs pulumi-azure-native: "
        "pip install 'pulumi-azure-native>=3.12,<4'",
        "The state has resources of random, which needs pulumi-random: pip install 'pulumi-random'",
    ]


def test_nothing_is_said_of_what_is_installed() -> None:
    assert missing_sdks(STATE[2:4], {"gcp": Sdk("gcp", "10.2.0", Path("/nowhere"))}) == []
