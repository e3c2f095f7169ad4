"""Whether the GPUs of each node passed their diagnosis: a node with fewer than 8 healthy GPUs counts as broken."""

from __future__ import annotations

from gpucluster.acceptance.measured import Diagnosis
from gpucluster.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, PASS, WARN, Outcome, Verdict, nodes_to_check


def judge_diagnosis(diagnosis: Diagnosis) -> Verdict:
    """The verdict on one node."""
    node = diagnosis.node or "an unknown node"
    failed = [test for test in diagnosis.tests if test.status == "fail"]
    warned = [test for test in diagnosis.tests if test.status == "warn"]
    ran = [test for test in diagnosis.tests if test.status != "skip"]
    outcome: Outcome
    if failed:
        gpus = sorted({gpu for test in failed for gpu in test.gpus})
        broken = f"GPU {', '.join(map(str, gpus))} of " if gpus else ""
        what = "; ".join(f"{test.name}{f': {test.why}' if test.why else ''}" for test in failed)
        outcome, why = (
            FAIL,
            f"{broken}{node} failed {what}: the node counts as broken; replace it (docs/replacing-a-node.md)",
        )
    elif warned:
        what = "; ".join(f"{test.name}{f': {test.why}' if test.why else ''}" for test in warned)
        outcome, why = WARN, f"{node}: {what}"
    elif not ran:
        outcome, why = CANNOT_TELL, f"{node}: no test ran"
    else:
        outcome, why = PASS, f"{node} passed"
    return Verdict(
        check="GPU diagnosis",
        outcome=outcome,
        why=why,
        measured=f"{len(ran) - len(failed) - len(warned)} of {len(ran)} tests passed",
        nodes=nodes_to_check(diagnosis.node, outcome),
        log=diagnosis.log,
        line=diagnosis.line,
    )
