"""Which tool wrote a log, and what of it can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.acceptance.logs.header import Header, header_line, header_of
from gpucluster.acceptance.logs.line import Line, lines
from gpucluster.acceptance.logs.read import FORMATS, Damage, UnknownLog, read_log

EXAMPLES = Path(__file__).parents[3] / "examples/acceptance"


@pytest.mark.parametrize(
    ("raw", "text", "pod"),
    [
        ("plain", "plain", None),
        ("[pod/job-0-abc/node] plain", "plain", "job-0-abc"),
        ("2026-11-03T09:14:00.123Z plain", "plain", None),
        ("[pod/job-0/node] 2026-11-03T09:14:00Z [1,0]<stdout>:plain", "plain", "job-0"),
        ("Thu Jul 18 15:41:05 2024<stdout>:plain", "plain", None),
        ("Thu Jul 18 15:41:05 2024[1,12]<stderr>:plain", "plain", None),
        ("[node0]:plain", "plain", "node0"),
        ("0: # nThread", "# nThread", None),
        ("\x1b[31mplain\x1b[0m\r", "plain", None),
        (" 10%\r 20%\rplain", "plain", None),
    ],
)
def test_what_launchers_and_collectors_put_before_a_line_is_taken_off(raw: str, text: str, pod: str | None) -> None:
    assert list(lines(raw)) == [Line(1, text, pod)]


def test_a_header_is_read_back_as_it_was_written() -> None:
    header = Header(nodes={"pod-0": "node-a"}, machine_type="p5.48xlarge", algorithm="ring")

    assert header_of(header_line(header)) == header


@pytest.mark.parametrize("text", ["#acceptance {", "#acceptance []", "#acceptance 1", "# nThread"])
def test_a_damaged_header_is_none(text: str) -> None:
    assert header_of(text) is None


def test_an_unknown_log_is_refused_with_its_first_words_and_the_formats() -> None:
    with pytest.raises(UnknownLog) as refused:
        read_log(Path("notes.txt"), "\nDear all,\nit works")

    assert str(refused.value) == (
        f"notes.txt starts with 'Dear all,', as no log does that is read here; write one of: {FORMATS}"
    )


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(UnknownLog, match=r"^empty\.log is empty; "):
        read_log(Path("empty.log"), " \n")


def test_json_that_was_cut_off_is_damage_and_no_crash() -> None:
    whole = (EXAMPLES / "ndv5-half-of-the-cards.json").read_text()

    log = read_log(Path("cut.json"), whole[: len(whole) // 2])

    assert log.measurements == ()
    (damage,) = log.damages
    assert damage == Damage(1, "the JSON that starts here is cut off or broken in line 362; run it again")


def test_json_without_a_field_is_damage_that_names_it() -> None:
    data = json.loads((EXAMPLES / "ndv5-half-of-the-cards.json").read_text())
    del data["results"][0]["out_of_place"]

    log = read_log(Path("changed.json"), json.dumps(data))

    assert log.damages == (Damage(1, "the JSON that starts here has no field 'out_of_place'"),)


def test_a_record_that_ends_before_it_begins_is_damage() -> None:
    record = {"replaced": "node-a", "asked": "2026-11-03T12:00:00Z", "ready": "2026-11-03T11:00:00Z"}

    log = read_log(Path("replaced.json"), json.dumps(record))

    assert log.damages == (
        Damage(
            1,
            "the JSON that starts here can't be read: ready 2026-11-03T11:00:00Z is before asked 2026-11-03T12:00:00Z",
        ),
    )


def test_a_run_that_ended_before_its_first_row_is_known_by_what_nccl_said() -> None:
    text = (
        "node-a:12:34 [0] NCCL INFO Using network Socket\nnode-b:12:35 [0] init.cc:1 NCCL WARN Cuda failure 'no device'"
    )

    (run,) = read_log(Path("crashed.log"), text).measurements

    assert (run.network, [error.node for error in run.errors], run.complete) == ("Socket", ["node-b"], False)  # type: ignore[union-attr]


@given(cut=st.integers(min_value=0, max_value=4000), name=st.sampled_from(sorted(p.name for p in EXAMPLES.iterdir())))
@settings(max_examples=150, deadline=None)
def test_a_log_cut_off_anywhere_is_read_or_refused_in_words(cut: int, name: str) -> None:
    text = (EXAMPLES / name).read_text()
    try:
        read_log(Path(name), text[: len(text) * cut // 4000])
    except UnknownLog as refused:
        assert str(refused).startswith(name)


@given(text=st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        read_log(Path("any.log"), text)
    except UnknownLog as refused:
        assert str(refused).startswith("any.log")
