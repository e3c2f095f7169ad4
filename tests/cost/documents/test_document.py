"""One document in each form."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from gpucluster.cost.render.document import Block, Document, Group, Heading, Notes, Row, Table, Totals, table
from gpucluster.cost.render.write import written


def _blocks() -> Iterator[Block]:
    yield "A paragraph with a|pipe."
    lines = [Row(("part", "$3.00"), strong=True), Row(("  disk <b>", "$1.00"), ["hours: fewer"])]
    yield Table(heads=["", "$/month"], groups=[Group("", lines)], below="reasons", detail="Every line")
    yield Totals([("In all", "$3.00")])
    yield Heading("More")
    yield table(["what", "from"], [["a", "b"]], words={0, 1}, folded=None)
    yield Notes("Not priced", ["x: no price"], ["Rows to fill in", "aws,x,..."], ["x"])


DOCUMENT = Document(
    title="Cost of dev", basis="list prices", blocks=_blocks, model=lambda: {"total": "3.00"},
    columns=["what", "usd"], rows=lambda: [{"what": "disk", "usd": "1.00", "more": "left out"}],
    drawings=lambda: ["<svg/>"],
)  # fmt: skip

TEXT = """\
Cost of dev: list prices

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
    aws,x,..."""

MARKDOWN = r"""Cost of dev: list prices

A paragraph with a\|pipe.

| | $/month |
| --- | ---: |
| part | $3.00 |

<details><summary>Every line</summary>

| | $/month | reasons |
| --- | ---: | --- |
| **part** | $3.00 | |
| disk \<b\> | $1.00 | hours: fewer |

</details>

| | |
| --- | ---: |
| In all | $3.00 |

**More**

| what | from |
| --- | --- |
| a | b |

**Not priced**

- x: no price

Rows to fill in:

```
aws,x,...
```"""


@pytest.mark.parametrize(("form", "text"), [("table", TEXT), ("markdown", MARKDOWN), ("csv", "what,usd\ndisk,1.00")])
def test_a_document_is_written_in_the_form_that_is_asked_for(form: str, text: str) -> None:
    assert written(DOCUMENT, form, 28) == text


def test_its_json_is_the_model() -> None:
    assert json.loads(written(DOCUMENT, "json")) == {"total": "3.00"}


def test_its_page_has_totals_drawings_and_every_block_as_text() -> None:
    page = written(DOCUMENT, "html")
    shown = ("<h1>Cost of dev</h1>", "List prices.", "<dd>$3.00</dd>", "<svg/>", "A paragraph with a|pipe.",
             "disk &lt;b&gt;<br>", "hours: fewer", "<h2>More</h2>", "x: no price", "aws,x,...")  # fmt: skip
    places = [page.find(text) for text in shown]
    assert places == sorted(places)
    assert -1 not in places


def test_where_it_goes_to_a_pull_request_the_markdown_is_the_comment() -> None:
    made = Document(title="", blocks=tuple, model=dict[str, str], comment=lambda: "short")
    assert written(made, "markdown") == "short"
