"""Alert rules: idle and oversized GPUs in dollars per hour, and broken ones with their node.

Thresholds are those of operators of H100 clusters: idle is below 5 % utilisation with more than 10 % of memory used for
30 minutes; a job has the wrong size at peak memory below 70 %, mean SM activity below 60 %, 8 GPUs requested and at
most 2 busy, or communication over 30 % of a step; a node with fewer GPUs than its machine has is broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from gpucluster.catalog.fabric_releases import LIKE_TCP
from gpucluster.record import record

UTILISATION: Final = "gpucluster:gpu_utilisation:percent"
MEMORY: Final = "gpucluster:gpu_memory_used:ratio"
ACTIVE: Final = "gpucluster:gpu_sm_active:ratio"
SENT: Final = "gpucluster:gpu_pcie_sent:bytes_per_second"
BROKEN: Final = "gpucluster_node_broken"
"""Metric of `node-health` for each GPU node that is not well, with its state."""
MAINTENANCE: Final = "gpucluster_node_maintenance"
"""Metric of `node-health` for each GPU node with planned maintenance: its time, in seconds since 1970."""
COMMUNICATION: Final = "gpucluster_step_communication_ratio"
"""Metric that a job itself exports: the share of communication in a step, which no exporter can know."""

_JOB: Final = "namespace, pod"
_GANG: Final = "namespace, gang"


@record(kw_only=True)
class Watched:
    """Facts about a cluster for its alerts. labels: owner, team and the others of its spec.

    gpus: of one training machine. fabric_gbps: of one, 0 without a fabric; nccl_net: its name in NCCL.
    gpu_hour_usd: price of a GPU-hour; if None (unknown), alerts count GPUs. maintenance: whether the cloud announces
    planned maintenance.
    """

    labels: Mapping[str, str]
    gpus: int
    gpu_hour_usd: Decimal | None
    fabric_gbps: int = 0
    nccl_net: str = ""
    maintenance: bool = False


@record(kw_only=True)
class Alert:
    """One alert. minutes: duration of its condition before it fires. runbook: the remedy, or a page with it."""

    name: str
    expression: str
    minutes: int
    severity: str
    summary: str
    runbook: str

    def rule(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """The alert in the format of every Prometheus."""
        return {
            "alert": self.name,
            "expr": self.expression,
            **({"for": f"{self.minutes}m"} if self.minutes else {}),
            "labels": {**{key.replace("-", "_"): value for key, value in labels.items()}, "severity": self.severity},
            "annotations": {"summary": self.summary, "runbook": self.runbook},
        }


def recordings() -> list[dict[str, Any]]:
    """The exporter's metrics with one spelling of pod and namespace, however they were scraped."""
    used = "DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE)"
    return [
        # DCGM has no utilisation of a slice, and some versions report 0 (NVIDIA/dcgm-exporter issues 216 and 430).
        {"record": UTILISATION, "expr": one_spelling('DCGM_FI_DEV_GPU_UTIL{GPU_I_PROFILE=""}')},
        {"record": MEMORY, "expr": one_spelling(used)},
        {"record": ACTIVE, "expr": one_spelling("DCGM_FI_PROF_SM_ACTIVE")},
        {"record": SENT, "expr": one_spelling("DCGM_FI_PROF_PCIE_TX_BYTES")},
    ]


def one_spelling(expression: str) -> str:
    """Removes the prefix exported_, which a scrape without honorLabels adds to the exporter's own labels."""
    pod = f'label_replace({expression}, "pod", "$1", "exported_pod", "(.+)")'
    return f'label_replace({pod}, "namespace", "$1", "exported_namespace", "(.+)")'


def alerts(watched: Watched) -> tuple[Alert, ...]:
    """Every alert, those about money first."""
    # GPUs that no pod holds have no pod label.
    held, memory, active = (f'{name}{{pod!=""}}' for name in (UTILISATION, MEMORY, ACTIVE))
    idle = f"({held} < 5 and {memory} > 0.1)"
    six_hours = f"count by ({_JOB}) ({held} offset 6h)"
    few_busy = f"sum by ({_JOB}) (avg_over_time({held}[1h]) > bool 5) <= 2"
    eight = f"count by ({_JOB}) ({held}) >= 8"
    gpus = "count by (Hostname) (DCGM_FI_DEV_GPU_TEMP)"
    return (
        Alert(
            name="GpuIdle",
            expression=_dollars(f"count by ({_JOB}, Hostname) {idle}", watched),
            minutes=30,
            severity="warning",
            summary=f"{_amount(watched)} idle: {{{{ $labels.pod }}}} holds GPUs of {{{{ $labels.Hostname }}}} with "
            "data in their memory and has used less than 5 % of them for 30 minutes",
            runbook="Ask the owner; if nobody needs the job, delete it: kubectl -n training delete trainjob NAME.",
        ),
        Alert(
            name="GpuMemoryOversized",
            expression=_dollars(f"(count by ({_JOB}) (max_over_time({memory}[6h]) < 0.7) and {six_hours})", watched),
            minutes=0,
            severity="info",
            summary=f"{_amount(watched)} oversized: {{{{ $labels.pod }}}} has used less than 70 % of its GPUs' memory "
            "for 6 hours",
            runbook="Use a larger batch, a GPU slice or fewer GPUs.",
        ),
        Alert(
            name="GpuUnderused",
            expression=_dollars(f"(count by ({_JOB}) (avg_over_time({active}[6h]) < 0.6) and {six_hours})", watched),
            minutes=0,
            severity="info",
            summary=f"{_amount(watched)} underused: the SMs of {{{{ $labels.pod }}}}'s GPUs were active less than 60 % "
            "of the last 6 hours",
            runbook="Check the input pipeline and communication before you buy more GPUs.",
        ),
        Alert(
            name="GpusAskedAndNotUsed",
            expression=_dollars(f"(({eight}) - ({few_busy}))", watched),
            minutes=60,
            severity="warning",
            summary=f"{_amount(watched)} unused: {{{{ $labels.pod }}}} requested 8 GPUs or more, and at most 2 of them "
            "were busy",
            runbook="Request only the GPUs that the job uses: unused GPUs stay reserved.",
        ),
        Alert(
            name="CommunicationHeavy",
            expression=f"avg by ({_JOB}) ({one_spelling(f'avg_over_time({COMMUNICATION}[1h])')}) > 0.3",
            minutes=0,
            severity="info",
            summary="{{ $labels.pod }} waits for communication {{ $value | humanizePercentage }} of its steps",
            runbook="Run gpucluster acceptance; then check overlap, bucket sizes and parallelism.",
        ),
        Alert(
            name="NodeLacksGpus",
            expression=f"{gpus} < on (Hostname) max_over_time({gpus}[1d:5m])",
            minutes=5,
            severity="critical",
            summary=f"{{{{ $labels.Hostname }}}} has only {{{{ $value }}}} GPUs left: it counts as broken"
            f"{_whole_node(watched)}",
            runbook="docs/replacing-a-node.md",
        ),
        Alert(
            name="GpuError",
            expression="changes(DCGM_FI_DEV_XID_ERRORS[10m]) > 0 and DCGM_FI_DEV_XID_ERRORS > 0",
            minutes=0,
            severity="critical",
            summary="GPU {{ $labels.gpu }} of {{ $labels.Hostname }} reported an XID error",
            runbook="docs/replacing-a-node.md",
        ),
        Alert(
            name="GpuMemoryWornOut",
            expression="DCGM_FI_DEV_ROW_REMAP_FAILURE > 0",
            minutes=0,
            severity="critical",
            summary="GPU {{ $labels.gpu }} of {{ $labels.Hostname }} has no spare memory rows left",
            runbook="docs/replacing-a-node.md",
        ),
        Alert(
            name="InfiniBandPortDown",
            expression="node_infiniband_state_id != 4",
            minutes=2,
            severity="critical",
            summary="Port {{ $labels.port }} of {{ $labels.device }} on {{ $labels.instance }} is not active: the "
            "fabric of its node has lost a card",
            runbook="docs/replacing-a-node.md",
        ),
        *_of_broken_nodes(watched),
        *([_maintenance()] if watched.maintenance else []),
        *([_over_tcp(watched)] if watched.fabric_gbps else []),
    )


def _of_broken_nodes(watched: Watched) -> tuple[Alert, ...]:
    """Alerts by the metric of `node-health`: a state, until the node is well again."""
    broken = f'{BROKEN}{{state!="left_alone"}}'
    page = "docs/self-healing.md"
    return (
        Alert(
            name="NodeBroken",
            expression=f"{broken} > 0",
            minutes=2,
            severity="warning",
            summary="GPU node {{ $labels.node }} is broken ({{ $labels.state }}): kubectl get events shows the reason",
            runbook=page,
        ),
        Alert(
            name="NodeStaysBroken",
            expression=_dollars(f"{broken} * {watched.gpus}", watched),
            minutes=60,
            severity="critical",
            summary=f"{_amount(watched)} broken: GPU node {{{{ $labels.node }}}} was not repaired within an hour",
            runbook=page,
        ),
        Alert(
            name="HealingStopped",
            expression=f'count({BROKEN}{{state="left_alone"}}) > 0',
            minutes=0,
            severity="critical",
            summary="More than a fifth of the GPU nodes are broken: {{ $value }} of them keep their jobs, because a "
            "common cause is likely",
            runbook=page,
        ),
    )


def _maintenance() -> Alert:
    return Alert(
        name="NodeMaintenance",
        expression=f"{MAINTENANCE} - time() > 0",
        minutes=0,
        severity="warning",
        summary="The host of GPU node {{ $labels.node }} has planned maintenance in {{ $value | humanizeDuration }}, "
        "which ends the job there",
        runbook="docs/host-maintenance.md",
    )


def _over_tcp(watched: Watched) -> Alert:
    """GPUs that wait for TCP look as busy as with a fabric: the bytes they send distinguish the two. On A3 Mega it was
    1,327 Gb/s a node, and 30 by TCP (elideng-sg/hypercomputer-internode-deepdive, lab-22 7.2).
    """
    nodes = f"count by ({_GANG}, Hostname) ({_of_gang(UTILISATION)}) == {watched.gpus}"
    sent = f"max by ({_GANG}) (sum by ({_GANG}, Hostname) ({_of_gang(SENT)}))"
    line_rate = watched.fabric_gbps * 10**9 // 8
    return Alert(
        name="FabricCarriesLittle",
        expression=f"{sent} < {int(line_rate * LIKE_TCP)} and avg by ({_GANG}) ({_of_gang(UTILISATION)}) > 80 "
        f"and count by ({_GANG}) ({nodes}) > 1",
        minutes=15,
        severity="info",
        summary="{{ $labels.gang }} keeps the GPUs of several nodes busy, but each node sends over PCIe less than a "
        f"tenth of the fabric's {watched.fabric_gbps:,} Gb/s",
        runbook="A job that communicates little looks like a job over TCP. With NCCL_DEBUG=INFO, NCCL logs "
        f'"Using network": {watched.nccl_net} is the fabric, Socket is TCP. Then run gpucluster acceptance.',
    )


def _of_gang(metric: str) -> str:
    """A metric of TrainJobs' pods with the job's name, from which JobSet derives the pods' names."""
    pods = "(.+)-(?:node|launcher)-[0-9]+-[0-9]+-[^-]+"
    return f'label_replace({metric}{{pod=~"{pods}"}}, "gang", "$1", "pod", "{pods}")'


def _dollars(gpus: str, watched: Watched) -> str:
    """USD per hour of this many GPUs, if a price is known."""
    return gpus if watched.gpu_hour_usd is None else f"{gpus} * {watched.gpu_hour_usd.normalize():f}"


def _amount(watched: Watched) -> str:
    if watched.gpu_hour_usd is None:
        return "{{ $value }} GPUs (no price is known)"
    return '${{ printf "%.2f" $value }} an hour'


def _whole_node(watched: Watched) -> str:
    if watched.gpu_hour_usd is None:
        return ""
    return f", ${watched.gpu_hour_usd * watched.gpus:,.2f} an hour that no gang can use"
