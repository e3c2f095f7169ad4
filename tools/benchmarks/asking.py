"""How long `gpucluster preflight` waits for an account that answers slowly.

`python -m tools.benchmarks.asking [--list]` asks moto's AWS on this machine for the AWS trial, with answers at once and
after 300 ms. The difference is waiting alone, whatever the machine: divided by 300 ms it is the number of answers that
were waited for one by one. The bars: a quarter of all answers, and the 30 s that a reader waits for the command. Both
need a machine that is otherwise idle.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from moto.core.models import DEFAULT_ACCOUNT_ID

from tests.gpucluster.operate.preflight.aws.server import Server, served
from tools.benchmarks.harness import GPUCLUSTER, Bar, copied, report

_STACK: Final = "aws-trial"
_SLOW: Final = 0.3
_PAIRS: Final = 3
_NOWHERE: Final = "http://127.0.0.1:1"
_ANSWERED: Final = 1
"""Exit code: the account was asked, and something stops `up`."""


def _preflight(folder: Path, account: Server, url: str, seconds: float) -> float:
    """Seconds of the command. folder: of the project. seconds: of each answer."""
    account.seconds, account.answers = seconds, []
    login = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "testing")
    closed = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), _NOWHERE)  # Registries and Amazon are not asked.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    started = time.perf_counter()
    done = subprocess.run(
        [GPUCLUSTER, "preflight", "--stack", _STACK, "--quiet"],
        cwd=folder,
        env={**kept, **login, **closed, "AWS_ENDPOINT_URL": url, "AWS_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != _ANSWERED:
        sys.exit(f"preflight has ended with {done.returncode}:\n{done.stdout[-500:]}{done.stderr[-3000:]}")
    return time.perf_counter() - started


def bars(at_once: float, late: float, answers: int) -> list[Bar]:
    """Of seconds without and with the wait, and the number of answers."""
    row = (late - at_once) / _SLOW
    return [
        Bar(f"preflight on AWS: {row:.0f} answers in a row, of {answers}", row / answers, 0.25, " "),
        Bar(f"preflight on AWS, each answer after {_SLOW * 1000:.0f} ms", late, 30, "s"),
    ]


def _all() -> list[Bar]:
    account = Server(quota=1_000_000)
    with tempfile.TemporaryDirectory() as folder, served(account) as url:
        project = copied(Path(folder))
        stack = project / f"stacks/Pulumi.{_STACK}.yaml"
        stack.write_text(stack.read_text().replace("000000000000", DEFAULT_ACCOUNT_ID))
        _preflight(project, account, url, 0)  # Files of the SDK are in memory from here on.
        pairs = [[_preflight(project, account, url, seconds) for seconds in (0, _SLOW)] for _ in range(_PAIRS)]
        # The least of each: whatever else the machine does only adds.
        at_once, late = (min(found) for found in zip(*pairs, strict=True))
    if "--list" in sys.argv:
        for at, operation in account.answers:
            print(f"{at - account.answers[0][0]:6.2f}  {operation}")
    return bars(at_once, late, len(account.answers))


if __name__ == "__main__":
    sys.exit(report(_all()))
