"""Text of others in Markdown."""

from __future__ import annotations

import pytest

from cost.render.markdown import bytes_of, code, fitting, marker, row


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


def test_what_is_long_is_cut_where_the_caller_says() -> None:
    assert code("n" * 200, 100) == f"`{'n' * 99}…`"


def test_a_row_has_a_cell_for_each_text() -> None:
    assert row("a", "", "b") == "| a | | b |"


def test_a_list_ends_with_what_did_not_fit() -> None:
    def fit(room: int) -> list[str]:
        return fitting(
            ["é", "b", "c"], lambda item: f"- {item}", room, lambda left: f"{len(left)} more: {''.join(left)}"
        )

    assert fit(100) == ["- é", "- b", "- c"]
    assert fit(bytes_of(["- é", "- b"])) == ["- é", "- b", "1 more: c"]
    assert fit(bytes_of(["- é", "- b"]) - 1) == ["- é", "2 more: bc"]
    assert fit(0) == ["3 more: ébc"]
