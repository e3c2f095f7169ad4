"""DCGM's diagnosis as JSON: `dcgmi diag -r 3 -j`, of DCGM 3 and of DCGM 4.

Source of the format: NVIDIA/DCGM 4.6.0, nvvs/include/NvvsJsonStrings.h, dcgmi/Diag.cpp and
testing/TestDiagManagerStrings.h.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

from gpucluster.operate.acceptance.measurements import Diagnosis, DiagnosisTest

_ROOTS: Final = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
"""The name of the root in DCGM 4 and DCGM 3."""

_Status = Literal["pass", "warn", "fail", "skip"]
_STATUS: Final[Mapping[str, _Status]] = {"pass": "pass", "warn": "warn", "fail": "fail", "skip": "skip"}
_WORST: Final[tuple[_Status, ...]] = ("fail", "warn", "pass", "skip")


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a log."""
    return isinstance(data, dict) and any(root in data for root in _ROOTS)


def read(log: str, line: int, data: Mapping[str, Any], node: str | None) -> Diagnosis:
    """The diagnosis. Raises KeyError, TypeError or ValueError if a field is missing or has another type."""
    root: Mapping[str, Any] = next(data[name] for name in _ROOTS if name in data)
    version = data.get("metadata", {}).get("DCGM version") or data.get("metadata", {}).get("version") or ""
    tests = [_test(test) for category in root.get("test_categories", []) for test in category["tests"]]
    broken = root.get("runtime_error")
    if broken:
        tests.append(DiagnosisTest(name="DCGM itself", status="fail", why=str(broken)))
    return Diagnosis(
        log=log,
        line=line,
        tool=f"dcgmi diag {version}".rstrip(),
        tests=tuple(tests),
        node=node,
        driver=data.get("metadata", {}).get("Driver Version Detected"),
        serials=_serials(data.get("entity_groups", [])),
    )


def _serials(groups: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Serial numbers of DCGM 4, which omits those that the driver does not report."""
    return {
        int(entity["entity_id"]): str(entity["serial_num"])
        for group in groups
        if group.get("entity_group") == "GPU"
        for entity in group.get("entities", [])
        if entity.get("serial_num")
    }


def _test(test: Mapping[str, Any]) -> DiagnosisTest:
    results: list[Mapping[str, Any]] = test["results"]
    each: list[_Status] = [_status(result["status"]) for result in results]
    summary = test.get("test_summary", {}).get("status")
    status = _worst(each, _status(summary) if summary else "skip")
    gpus = [gpu for result, own in zip(results, each, strict=True) if own in ("fail", "warn") for gpu in _gpus(result)]
    why = "; ".join(text for result in results for text in _warnings(result))
    return DiagnosisTest(name=str(test["name"]), status=status, gpus=tuple(sorted(set(gpus))), why=why)


def _worst(statuses: Sequence[_Status], summary: _Status) -> _Status:
    for status in _WORST:
        if status in statuses or status == summary:
            return status
    return summary


def _status(text: Any) -> _Status:
    word = str(text).lower()
    if word in ("not run", "notrun"):
        return "skip"
    return _STATUS[word]


def _gpus(result: Mapping[str, Any]) -> list[int]:
    if result.get("entity_group") == "GPU":
        return [int(result["entity_id"])]
    listed = str(result.get("gpu_ids") or result.get("gpu_id") or "")
    return [int(number) for number in listed.split(",") if number.strip()]


def _warnings(result: Mapping[str, Any]) -> list[str]:
    """The warnings: DCGM 3 writes one text or a list of texts, later versions objects."""
    given: Any = result.get("warnings") or result.get("warning") or []
    entries = cast(list[Any], given) if isinstance(given, list) else [given]
    return [str(cast(dict[str, Any], entry)["warning"]) if isinstance(entry, dict) else str(entry) for entry in entries]
