"""Which tool wrote a log, and what of it can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.operate.acceptance.logs.lines import Header, Line, header_line, header_of, lines
from gpucluster.operate.acceptance.logs.read import FORMATS, Damage, UnknownLog, read_log
from gpucluster.operate.acceptance.measurements import CollectiveRun, Diagnosis, Payload
from tests.cases import cases
from tests.says import Says

EXAMPLES = Path(__file__).parents[5] / "examples/acceptance"


@cases
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

    assert str(refused.value) == Says("notes.txt", "Dear", "no", f"{FORMATS}")


def test_an_empty_log_is_refused() -> None:
    with pytest.raises(UnknownLog, match=r"^empty\.log is empty; "):
        read_log(Path("empty.log"), " \n")


def test_json_that_was_cut_off_is_damage_and_no_crash() -> None:
    whole = (EXAMPLES / "ndv5-half-of-the-cards.json").read_text()

    log = read_log(Path("cut.json"), whole[: len(whole) // 2])

    assert log.measurements == ()
    (damage,) = log.damages
    assert damage == Damage(1, "the JSON that starts here is truncated or invalid in line 362; run it again")


@pytest.mark.parametrize("text", ["{" * 100_000, f'{{"a": {"9" * 5000}}}'], ids=["depth", "digits"])
def test_json_without_an_end_is_damage_and_no_crash(text: str) -> None:
    whole = (EXAMPLES / "p5-diagnosis-dcgm3.json").read_text()
    log = read_log(Path("odd.json"), f"{whole}\n{text}\n")
    assert [damage.line for damage in log.damages] == [whole.count("\n") + 2]


def test_a_number_without_an_end_in_a_table_is_refused() -> None:
    whole = (EXAMPLES / "a3-mega-pytorch-table.log").read_text()
    with pytest.raises(UnknownLog, match=r"^odd\.log has a number with too many digits; run it again$"):
        read_log(Path("odd.log"), whole.replace("256MiB", f"{'9' * 5000}MiB"))


@pytest.mark.parametrize("speed", ["Infinity", "NaN", "1e999"])
def test_a_speed_that_is_no_number_is_damage(speed: str) -> None:
    whole = (Path(__file__).parent / "h100/alltoall.json").read_text()
    odd = re.sub(r'"bus_bw": ?[\d.]+', f'"bus_bw": {speed}', whole)
    (damage,) = read_log(Path("odd.json"), odd).damages
    assert damage.why == Says("JSON", "starts", "measured", "not")


def test_a_row_with_another_unit_is_none() -> None:
    whole = (EXAMPLES / "a3-mega-pytorch-table.log").read_text()
    (before,), (after,) = (
        read_log(Path("a.log"), text).measurements for text in (whole, whole.replace("256MiB", "256MB"))
    )
    assert isinstance(before, CollectiveRun) and isinstance(after, CollectiveRun)
    assert after.payloads == before.payloads[1:]


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
            "the JSON that starts here can't be read: ready 2026-11-03T11:00:00Z is earlier than asked "
            "2026-11-03T12:00:00Z",
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


@pytest.mark.parametrize(
    ("log", "collective"),
    [
        ("all_reduce.log", "all-reduce"),
        ("all_gather.log", "all-gather"),
        ("alltoall.log", "all-to-all"),
        ("alltoall.json", "all-to-all"),
    ],
)
def test_logs_of_a_real_h100_tell_collective_and_versions(log: str, collective: str) -> None:
    """nccl-tests 2.19.6 on one H100 80GB HBM3, driver 580.159.04, recorded on 2026-11-23: a rank alone has no bus."""
    path = Path(__file__).parent / "h100" / log
    (run,) = read_log(path, path.read_text()).measurements

    assert isinstance(run, CollectiveRun)
    assert (run.collective, run.nccl, run.gpus, run.node_count, run.complete) == (collective, "2.28.9", 1, 1, True)
    assert run.payloads == tuple(Payload(size=size, bus_gb_per_s=0, wrong=0) for size in (2**26, 2**28, 2**30))
    assert run.errors == ()


def test_runs_of_different_programs_in_one_log_are_told_apart() -> None:
    folder = Path(__file__).parent / "h100"
    text = "".join((folder / name).read_text() for name in ("all_reduce.log", "all_gather.log", "alltoall.log"))

    runs = read_log(Path("all.log"), text).measurements

    assert [getattr(run, "collective", None) for run in runs] == ["all-reduce", "all-gather", "all-to-all"]


def test_a_diagnosis_tells_driver_and_serial_numbers() -> None:
    path = Path("diagnosis.json")
    data = {
        "DCGM Diagnostic": {"test_categories": []},
        "entity_groups": [
            {
                "entity_group": "GPU",
                "entities": [{"entity_id": 0, "serial_num": "1653723046420", "device_id": "2330"}, {"entity_id": 1}],
            },
            {"entity_group": "CPU", "entities": [{"entity_id": 0, "serial_num": "no GPU"}]},
        ],
        "metadata": {"version": "4.6.0", "Driver Version Detected": "580.159.04"},
    }

    (run,) = read_log(path, json.dumps(data)).measurements

    assert isinstance(run, Diagnosis)
    assert (run.tool, run.driver, run.serials) == ("dcgmi diag 4.6.0", "580.159.04", {0: "1653723046420"})
