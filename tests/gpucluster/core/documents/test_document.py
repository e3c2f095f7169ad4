"""One document in each form."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpucluster.core.documents.charts import Figure
from gpucluster.core.documents.document import (
    LONGEST,
    Comment,
    Document,
    Folded,
    Heading,
    Notes,
    Row,
    Section,
    Table,
    quoted,
    table,
)
from gpucluster.core.documents.formats import written
from gpucluster.cost.documents.json_schema import Answer


class Total(Answer):
    """A sum."""

    total: str


def _sections() -> Iterator[Section]:
    yield "A paragraph with a|pipe."
    lines = [Row(("part", "$3.00"), strong=True), Row(("disk <b>", "$1.00"), ["hours: fewer"])]
    yield Table(heads=["", "$/month"], rows=lines, sums=[Row(("In all", "$3.00"), strong=True)], detail="1 line")
    yield Heading("More")
    yield table(["what", "from"], [["a", "b"]], left={0, 1}, wide=None)
    yield Notes("Not priced", ["x: no price"], lines=["Rows to fill in", "aws,x,..."], brief=["x"])
    yield Notes("Prices", ["$1.00"], ["[1]"], folded=True)
    yield Folded("dev: 1 to update", ["It changes `x`.", Notes("Lost", [quoted("a|b")])])


DOCUMENT = Document(
    title="Cost of dev", basis="list prices", answer="It costs $3.00.", sections=_sections,
    model=lambda: Total(total="3.00"),
    rows=lambda: (["what", "usd"], [{"what": "disk", "usd": "1.00", "more": "left out"}]),
    figures=lambda: [Figure("empty", "Nothing <i>", "no chart", [])],
)  # fmt: skip

TEXT = """\
Cost of dev: list prices

It costs $3.00.

A paragraph with a|pipe.

                     $/month
part                   $3.00
  disk <b>             $1.00
      hours: fewer

In all                 $3.00

More

what  from
a     b

Not priced
  - x
  Rows to fill in
    aws,x,...

Prices
  [1] $1.00

dev: 1 to update
It changes `x`.

Lost
  - a|b"""

MARKDOWN = r"""**It costs $3.00.**

A paragraph with a\|pipe.

| | $/month |
| --- | ---: |
| **In all** | $3.00 |
| **part** | $3.00 |

<details><summary>1 line</summary>

| | $/month |
| --- | ---: |
| **part** | $3.00 |
| disk \<b\><br>hours: fewer | $1.00 |

</details>

**More**

| what | from |
| --- | --- |
| a | b |

**Not priced**

- x: no price

Rows to fill in:

```
aws,x,...
```

<details><summary>Prices</summary>

- \[1\] $1.00

</details>

<details><summary>dev: 1 to update</summary>

It changes `` `x` ``.

**Lost**

- `a¦b`

</details>"""


@pytest.mark.parametrize(("form", "text"), [("table", TEXT), ("markdown", MARKDOWN), ("csv", "what,usd\ndisk,1.00")])
def test_a_document_is_written_in_each_form(form: str, text: str) -> None:
    assert written(DOCUMENT, form, 28) == text


def test_its_json_is_the_model() -> None:
    assert json.loads(written(DOCUMENT, "json")) == {
        "schema_version": 2,
        "schema_minor": 0,
        "currency": "USD",
        "total": "3.00",
    }


def test_its_page_has_sums_figures_and_every_section_as_text() -> None:
    page = written(DOCUMENT, "html")
    shown = ("<h1>Cost of dev</h1>", "List prices.", "<dd>$3.00</dd>", "It costs $3.00.", "Nothing &lt;i&gt;",
             "A paragraph with a|pipe.", "<summary><span>part</span><span>$3.00</span></summary>",
             "disk &lt;b&gt;<br>", "hours: fewer", "<h2>More</h2>", "x: no price", "aws,x,...",
             "<summary><span>dev: 1 to update", "a|b")  # fmt: skip
    places = [page.find(text) for text in shown]
    assert places == sorted(places)
    assert -1 not in places


def test_a_comment_ends_with_its_basis_and_a_marker_and_keeps_to_the_limit() -> None:
    rows = [Row((f"row {number}" + "é" * 200, "$1.00")) for number in range(1_000)]
    sections = [Table(heads=("", "$"), rows=rows), Notes("Many", ["text " * 100] * 1_000)]
    made = Document(
        title="Cost",
        basis="list prices",
        sections=lambda: sections,
        model=Answer,
        comment=Comment(marker=("cost report", "a b")),
    )
    text = written(made, "markdown")
    assert 60_000 < len(text.encode()) <= LONGEST
    assert text.splitlines()[0] == "Cost: list prices"
    assert text.splitlines()[-3:] == ["List prices.", "", "<!-- gpucluster cost report a-b -->"]
    kept = text.count("| row "), text.count("- text")
    assert f"| {1_000 - kept[0]:,} more |" in text
    assert f"- {1_000 - kept[1]:,} more" in text
