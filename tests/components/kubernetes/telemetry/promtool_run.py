"""Prometheus' promtool over series that a test writes: which alerts fire, and what a query returns."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from gpucluster.components.kubernetes.telemetry.alerts import Watched, rule_file

WATCHED = Watched(labels={"team": "research", "cost-center": "cc-1"}, gpus=8, gpu_hour_usd=Decimal("6.88"))


def check(tool: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool, *words], cwd=cwd, capture_output=True, text=True, check=False)


def fires(
    tool: Path, folder: Path, series: dict[str, str], alert: str, minute: int, watched: Watched = WATCHED
) -> list[str]:
    """The summaries of one alert at a minute, with one sample of each series a minute."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rule_file(watched)))
    test: dict[str, Any] = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "alert_rule_test": [{"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": []}],
            }
        ],
    }
    (folder / "test.yaml").write_text(yaml.safe_dump(test))
    said = check(tool, "test", "rules", "test.yaml", cwd=folder)
    assert said.returncode == 0 or f"alertname: {alert}" in said.stderr, said.stderr
    return [
        line.partition('summary="')[2].partition('"}')[0]
        for line in (said.stdout + said.stderr).splitlines()
        if 'summary="' in line
    ]


def returns(tool: Path, folder: Path, series: Mapping[str, str], queries: Mapping[str, str], minute: int) -> set[str]:
    """The names of the queries that return a row at a minute. queries: name -> expression."""
    (folder / "rules.yaml").write_text(yaml.safe_dump(rule_file(WATCHED)))
    cases = [{"expr": text, "eval_time": f"{minute}m", "exp_samples": []} for text in queries.values()]
    inputs = [{"series": name, "values": values} for name, values in series.items()]
    test = {"interval": "1m", "input_series": inputs, "promql_expr_test": cases}
    whole = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    (folder / "test.yaml").write_text(yaml.safe_dump(whole))
    said = check(tool, "test", "rules", "test.yaml", cwd=folder).stderr
    got = dict(re.findall(r'expr: "(.*)", time: .*\n\s+exp: nil\n\s+got: ?(.*)', said))
    return {name for name, text in queries.items() if got.get(text.replace('"', '\\"'), "nil").strip() != "nil"}
