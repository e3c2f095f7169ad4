"""Text of others in Markdown."""

from __future__ import annotations

import pytest

from gpucluster.core.documents.markdown import bytes_of, code, escaped, fitting, marker, row


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ask @octocat, or @org/team.", "ask `@octocat`, or `@org/team`."),
        ("fixes #1, GH-1 and owner/repo#1", "fixes `#1`, `GH-1` and `owner/repo#1`"),
        ("(see https://x.y/z) www.x.y ftp://x me@x.y", "(see `https://x.y/z`) `www.x.y` `ftp://x` `me@x.y`"),
        ("deadbee, jlord@deadbeef, but not decade", "`deadbee`, `jlord@deadbeef`, but not decade"),
        (":tada: $x$ costs $1.50", "`:tada`: `$x$` costs $1.50"),
        ("a|b <b>*x*</b> [x](y) & ~~z~~", r"a\|b \<b\>\*x\*\</b\> \[x\](y) \& \~\~z\~\~"),
        ("`x` \\@you", "`` `x` `` `\\@you`"),
        ("@a|b", "`@a¦b`"),
        ("two\nlines \u202e\x1b[31m", r"two lines \[31m"),
        ("# no heading", "`#` no heading"),
        ("1. no list", "`1.` no list"),
        ("-", "-"),
        ("on_demand in us-east-1", r"on\_demand in us-east-1"),
    ],
)
def test_a_sentence_holds_no_link_no_mention_and_no_markup(text: str, shown: str) -> None:
    assert escaped(text) == shown


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
