"""The tables of limits that the sandbox reads are those that the judges' documents give."""

from __future__ import annotations

from tools.limits.__main__ import compiled, file_of


def test_the_tables_of_the_sandbox_are_what_the_installed_documents_say() -> None:
    """`python -m tools.limits` writes them anew: what a judge learns, the sandbox learns."""
    stale = [cloud for cloud, text in compiled().items() if file_of(cloud).read_text(encoding="utf-8") != text]
    assert stale == []
