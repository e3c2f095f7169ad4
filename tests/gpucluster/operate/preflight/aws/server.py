"""An account on moto's server, with the operations that moto lacks."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

_USE: Final = {"MetricNamespace": "AWS/Usage", "MetricName": "ResourceCount", "MetricDimensions": {"Service": "EC2"}}


@dataclass
class Server:
    """quota: the default of each that moto does not have. seconds: before each answer. answers: (time, operation)."""

    quota: int
    seconds: float = 0
    answers: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    _moto: Callable[[Any, Any], Iterable[bytes]] = field(
        default_factory=lambda: DomainDispatcherApplication(create_backend_app)
    )

    def __call__(self, environment: dict[str, Any], start: Any) -> Iterable[bytes]:
        content = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        given = parse_qs(content.decode())
        [name] = given.get("Action", [environment.get("HTTP_X_AMZ_TARGET") or environment["PATH_INFO"]])
        operation = name.rpartition(".")[2]
        self.answers.append((time.monotonic(), operation))
        time.sleep(self.seconds)
        found = self._missing(operation, given)
        if found is None:
            return self._moto({**environment, "wsgi.input": io.BytesIO(content)}, start)
        start("200 OK", [("Content-Type", "text/xml")])
        return [found.encode()]

    def _missing(self, operation: str, given: Mapping[str, list[str]]) -> str | None:
        """Sources: IAM API, SimulatePrincipalPolicy; Service Quotas API."""
        match operation:
            case "SimulatePrincipalPolicy":
                member = "<member><EvalActionName>{}</EvalActionName><EvalDecision>allowed</EvalDecision></member>"
                actions = (value[0] for name, value in given.items() if name.startswith("ActionNames."))
                results = f"<EvaluationResults>{''.join(map(member.format, actions))}</EvaluationResults>"
                inner = f"<{operation}Result>{results}<IsTruncated>false</IsTruncated></{operation}Result>"
                return f"<{operation}Response>{inner}</{operation}Response>"
            case "GetAWSDefaultServiceQuota":
                return json.dumps({"Quota": {"Value": self.quota, "Adjustable": True, "UsageMetric": _USE}})
            case "ListRequestedServiceQuotaChangeHistoryByQuota":
                return json.dumps({"RequestedQuotas": []})
            case _:
                return None


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: object) -> None: ...


@contextmanager
def served(server: Server) -> Generator[str]:
    """Its address."""
    made = make_server("127.0.0.1", 0, server, threaded=True, request_handler=_Quiet)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()
