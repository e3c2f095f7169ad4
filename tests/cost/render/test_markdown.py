"""Text of others in Markdown."""

from __future__ import annotations

import pytest

from cost.render.markdown import code, marker


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nodes", "`nodes`"),
        ("@everyone fixes #1", "`@everyone fixes #1`"),
        ("a|b", "`a¦b`"),
        ("a\\|b", "`a\\¦b`"),
        ("two\n\n| lines |\r\x00", "`two ¦ lines ¦`"),
        ("</details><script>", "`</details><script>`"),
        ("a`b``c", "```a`b``c```"),
        ("`quoted`", "`` `quoted` ``"),
        ("", "` `"),
        ("n" * 81, f"`{'n' * 79}…`"),
    ],
)
def test_a_name_is_one_code_span_whatever_is_in_it(text: str, shown: str) -> None:
    assert code(text) == shown


def test_a_marker_can_not_be_left_by_the_name_of_a_stack() -> None:
    assert marker("cost diff", "aws-trial") == "<!-- gpucluster cost diff aws-trial -->"
    assert marker("cost diff", "a --> <b>") == "<!-- gpucluster cost diff a----b- -->"
