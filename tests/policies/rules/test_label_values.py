"""label-values: what its messages leave out."""

from __future__ import annotations

from gpucluster.policies.rules.label_values import RULE


def test_a_value_is_never_quoted(program, messages):
    program["group"]["tags"]["token"] = "hunter2#" * 50
    assert not any("hunter2" in text for text in messages(RULE, program))
