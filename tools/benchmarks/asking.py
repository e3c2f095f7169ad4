"""How long `gpucluster preflight` waits for an account that answers slowly.

`python -m tools.benchmarks.asking [--list]` asks moto's AWS on this machine for the AWS trial, with answers at once and
after 300 ms. The difference is waiting alone, whatever the machine: divided by 300 ms it is the number of answers that
were waited for one by one. The bars: a quarter of all answers, and the 30 s that a reader waits for the command.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

from tools.benchmarks.harness import GPUCLUSTER, Bar, copied, report

_STACK: Final = "aws-trial"
_SLOW: Final = 0.3
_NOWHERE: Final = "http://127.0.0.1:1"
_ANSWERED: Final = 1
"""Exit code: the account was asked, and something stops `up`."""


@dataclass
class _Account:
    """seconds: before each answer. answers: of the last command, as (seconds since the first, what)."""

    app: Callable[[Any, Any], Iterable[bytes]] = field(
        default_factory=lambda: DomainDispatcherApplication(create_backend_app)
    )
    seconds: float = 0
    answers: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])

    def __call__(self, environment: dict[str, Any], start: Any) -> Iterable[bytes]:
        content = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        given = parse_qs(content.decode())
        [action] = given.get("Action", [environment.get("HTTP_X_AMZ_TARGET") or environment["PATH_INFO"]])
        self.answers.append((time.monotonic(), action))
        time.sleep(self.seconds)
        if action == "SimulatePrincipalPolicy":  # which moto does not have
            start("200 OK", [("Content-Type", "text/xml")])
            return [_allowed(value[0] for name, value in given.items() if name.startswith("ActionNames."))]
        if action.endswith(".GetAWSDefaultServiceQuota"):  # likewise
            start("200 OK", [("Content-Type", "application/x-amz-json-1.1")])
            return [json.dumps({"Quota": {"Value": 1_000_000, "UsageMetric": _USE}}).encode()]
        return self.app({**environment, "wsgi.input": io.BytesIO(content)}, start)


_USE: Final = {"MetricNamespace": "AWS/Usage", "MetricName": "ResourceCount", "MetricDimensions": {"Service": "EC2"}}


def _allowed(actions: Iterable[str]) -> bytes:
    """Source: IAM API, SimulatePrincipalPolicy."""
    member = "<member><EvalActionName>{}</EvalActionName><EvalDecision>allowed</EvalDecision></member>"
    name = "SimulatePrincipalPolicy"
    members = "".join(member.format(action) for action in actions)
    results = f"<EvaluationResults>{members}</EvaluationResults><IsTruncated>false</IsTruncated>"
    return f"<{name}Response><{name}Result>{results}</{name}Result></{name}Response>".encode()


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None: ...


@contextmanager
def _served(account: _Account) -> Generator[str]:
    server = make_server("127.0.0.1", 0, account, threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def _preflight(folder: Path, account: _Account, url: str, seconds: float) -> float:
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
    account = _Account()
    with tempfile.TemporaryDirectory() as folder, _served(account) as url:
        project = copied(Path(folder))
        stack = project / f"stacks/Pulumi.{_STACK}.yaml"
        stack.write_text(stack.read_text().replace("000000000000", DEFAULT_ACCOUNT_ID))
        _preflight(project, account, url, 0)  # Files of the SDK are in memory from here on.
        at_once = _preflight(project, account, url, 0)
        late = _preflight(project, account, url, _SLOW)
    if "--list" in sys.argv:
        for seconds, what in account.answers:
            print(f"{seconds - account.answers[0][0]:6.2f}  {what}")
    return bars(at_once, late, len(account.answers))


if __name__ == "__main__":
    sys.exit(report(_all()))
