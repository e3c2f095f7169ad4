"""Parts of a URN."""

from __future__ import annotations

import pytest

from gpucluster.core.program.urns import urn_name


@pytest.mark.parametrize("name", ["net", "net::of::two", "a:b"])
def test_a_name_may_have_the_separator_in_it(name: str) -> None:
    assert urn_name(f"urn:pulumi:dev::small::my:own:Part$aws:ec2/vpc:Vpc::{name}") == name
