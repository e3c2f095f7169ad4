"""Nothing that a program or its author names becomes markup, a link, a mention or a row, whatever it is."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpucluster.core.documents.document import LONGEST
from gpucluster.operate.pull_request.comment import comment
from tests.gpucluster.operate.pull_request.conftest import TRIAL, changed, evidence, stack

HOSTILE = st.one_of(
    st.text(min_size=1, max_size=60),
    st.lists(
        st.sampled_from(
            [
                "@everyone", "#1", "fixes #1", "https://evil.example", "www.evil.example", "![x](http://e.example)",
                "[x](javascript:1)", "</details>", "<script>", "<img src=x onerror=1>", "<!-- gpucluster pr-check",
                "-->", "`", "``", "```", "|", "\\|", "\\", "\n\n# h", "\r\n- item", "\t", "**", "__", "~~", "&#64;",
                "&lt;", "\u202e", "\u0000", "x@example.com", "o/r#1", ":tada:", "<br>", "$(id)", "${{ secrets.x }}",
            ]
        ),
        min_size=1,
        max_size=6,
    ).map(" ".join),
)  # fmt: skip
EDGE = "zqx"
"""Stands around the text, so that it is found wherever a part of the text gets to."""
OURS = {"br", "details", "/details", "summary", "/summary"}


def parsed(text: str) -> list[Token]:
    """Every token, with those inside lines in their place."""
    found: list[Token] = []
    for token in MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text):
        found += token.children if token.type == "inline" and token.children else [token]
    return found


def made(judge, name: str):
    """A change with the text in every place that a program or its author fills."""
    entry = {
        "rule": "required-labels",
        "resource": name,
        "reason": f"agreed by {name}",
        "owner": name,
        "until": "2026-12-01",
    }
    base = changed("trial", exemptions=[entry])
    lustre = {**TRIAL["shared"], "tags": {name: name}}
    unpriced = {"type": "aws:fsx/lustreFileSystem:LustreFileSystem", "storageType": name, "tags": {"team": name}}
    odd = {name.replace("::", "  ") + "-a": lustre, name.replace("::", "  ") + "-b": unpriced}
    failed = stack(TRIAL, name="failed", head="failed", head_problem=name, plan=None)
    without = stack(TRIAL, {}, name="without", base="failed", base_problem=name, state=None)
    files = [f"policies/{name}", f"cost/prices/{name}"]
    return comment(judge(evidence(stack({**base, **odd}), failed, without), files))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=HOSTILE)
def test_a_hostile_text_never_leaves_its_code_span(judge, text: str) -> None:
    shown = made(judge, f"{EDGE}{text}{EDGE}")
    tokens = parsed(shown)
    outside = [token for token in tokens if token.type != "code_inline"]
    assert len(shown.encode()) <= LONGEST
    assert EDGE in shown
    assert not [token for token in outside if EDGE in token.content or EDGE in str(token.attrs)]
    tags = {tag for token in outside if token.type.startswith("html") for tag in re.findall(r"<(/?\w+)", token.content)}
    assert tags <= OURS
    kinds = [token.type for token in outside]
    assert not {*kinds} & {"link_open", "image", "fence", "code_block"}
    assert (kinds.count("heading_open"), shown.splitlines()[0]) == (1, "## gpucluster")
    assert {line.count("|") for line in shown.splitlines() if line.startswith("|")} <= {5, 6}
