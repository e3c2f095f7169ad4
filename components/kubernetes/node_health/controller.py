"""Keeps jobs off broken GPU nodes.

This file is the whole program: it runs in the cluster, from a ConfigMap, with only Python's standard library.

It measures nothing. The cloud's agent and the device plugins report the state of a node, in the node's conditions and
in its number of working devices. A broken node gets a taint that ends its pods; the jobs restart on a spare. The value
of the taint is the id of the boot that broke: once the node has rebooted and has no fault, the taint is removed. A
taint with any other value was set by a person, and stays.
"""

from __future__ import annotations

import argparse
import dataclasses
import http.server
import json
import logging
import os
import re
import ssl
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_BOOT: Final = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TIMEOUT_SECONDS: Final = 30
_STATES: Final = {"LeftAlone": "left_alone", "Reported": "reported"}

Node = Mapping[str, Any]  # as the API server returns it


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """mode: drain, or report, which reports broken nodes and leaves them alone. taint: its key. nodes: selector of
    labels. broken_seconds, well_seconds: how long a node must be in this state. gone_seconds: how long all devices of a
    kind may be away before that is a fault. one_in: of this many nodes at most one is tainted at a time, but always
    one. pool: label whose value is the key of devices: pool -> resource -> number on a node; those under an empty key
    are counted on every node. conditions: each with type and status, and prefixes of reasons that do not count. labels:
    pool -> label of a node with devices -> what its absence means, which is reported and ends no job. maintenance:
    label with the time of planned maintenance, in seconds since 1970; empty if the cloud sets none.
    """

    mode: str
    taint: str
    nodes: str
    pool: str
    broken_seconds: int
    well_seconds: int
    gone_seconds: int
    one_in: int
    devices: Mapping[str, Mapping[str, int]]
    conditions: Sequence[Mapping[str, Any]]
    labels: Mapping[str, Mapping[str, str]]
    maintenance: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """An action on a node: Broken (taint it), Well (remove the taint), or only a report."""

    node: Node
    does: str
    why: str


@dataclasses.dataclass(frozen=True, kw_only=True)
class Memory:
    """By uid of a node: since when it is broken or well, the last report; and when it last had such devices."""

    broken: dict[str, float] = dataclasses.field(default_factory=dict[str, float])
    well: dict[str, float] = dataclasses.field(default_factory=dict[str, float])
    told: dict[str, str] = dataclasses.field(default_factory=dict[str, str])
    worked: dict[tuple[str, str], float] = dataclasses.field(default_factory=dict[tuple[str, str], float])


def fault(node: Node, settings: Settings) -> str:
    """The fault of a node, empty if it has none."""
    status = node["status"]
    seen = {condition["type"]: condition for condition in status.get("conditions", [])}
    for sign in settings.conditions:
        condition = seen.get(sign["type"])
        if condition is None or condition["status"] != sign["status"]:
            continue
        reason = condition.get("reason", "")
        if not reason.startswith(tuple(sign.get("but", ()))):
            return f"{sign['type']} is {sign['status']} ({reason})"
    return _missing(node, settings)


def _missing(node: Node, settings: Settings) -> str:
    """Some devices that a node lacks. If it lacks all of a kind, time decides: `_gone`."""
    for device, least in _wanted(node, settings).items():
        works = _count(node, "allocatable", device)
        has = max(least, _count(node, "capacity", device))
        if 0 < works < has:
            return f"only {works} of {has} {device} are allocatable"
    return ""


def _gone(node: Node, memory: Memory, settings: Settings, now: float) -> str:
    """A kind of device of which a node had some, and has had none for a while. Before, the plugin may be replaced.

    A node that never had any is starting. In a pool of slices a GPU becomes slices.
    """
    uid = node["metadata"]["uid"]
    for device in _wanted(node, settings):
        slices = f"{device.partition('/')[0]}/mig-"
        names = [name for name in node["status"].get("allocatable", {}) if name == device or name.startswith(slices)]
        if any(_count(node, "allocatable", name) for name in names):
            memory.worked[uid, device] = now
        elif _count(node, "capacity", device):  # Seen for the first time, as after a restart of this program.
            memory.worked.setdefault((uid, device), now)
        if now - memory.worked.get((uid, device), now) >= settings.gone_seconds:
            return f"no {device} has been allocatable for {settings.gone_seconds // 60} minutes"
    return ""


def _unlabelled(node: Node, memory: Memory, settings: Settings, now: float) -> str:
    """What a label means that a node with devices has lacked for a while."""
    has = node["metadata"].get("labels", {})
    for label, means in settings.labels.get(has.get(settings.pool, ""), {}).items():
        key = node["metadata"]["uid"], label
        if label in has or not _has_each(node, settings):
            memory.worked[key] = now
        elif now - memory.worked.setdefault(key, now) >= settings.gone_seconds:
            return f"{means} for {settings.gone_seconds // 60} minutes"
    return ""


def _has_each(node: Node, settings: Settings) -> bool:
    """Whether some of each device that a node must have are there: a restart of this program forgets what is gone."""
    return all(_count(node, "allocatable", device) for device, least in _wanted(node, settings).items() if least)


def _wanted(node: Node, settings: Settings) -> dict[str, int]:
    pool = node["metadata"].get("labels", {}).get(settings.pool, "")
    return {**settings.devices.get("", {}), **settings.devices.get(pool, {})}


def _count(node: Node, of: str, device: str) -> int:
    return int(node["status"].get(of, {}).get(device, 0))


def steps(nodes: Sequence[Node], memory: Memory, settings: Settings, now: float) -> Iterator[Step]:
    """The actions due now. now: seconds of any monotonic clock."""
    room = max(1, len(nodes) // settings.one_in) - sum(_taint(node, settings) is not None for node in nodes)
    for node in sorted(nodes, key=lambda each: each["metadata"]["name"]):
        uid, mine = node["metadata"]["uid"], _taint(node, settings)
        gone, lacks = _gone(node, memory, settings, now), _unlabelled(node, memory, settings, now)
        broken = fault(node, settings) or gone
        (memory.well if broken else memory.broken).pop(uid, None)
        if not broken and not lacks:
            memory.told.pop(uid, None)
        if mine is not None:
            again = not broken and _has_each(node, settings) and _booted_since(node, mine)
            if again and now - memory.well.setdefault(uid, now) >= settings.well_seconds:
                yield Step(node=node, does="Well", why="rebooted, and no fault is left")
        elif now - memory.broken.setdefault(uid, now) >= settings.broken_seconds if broken else lacks:
            does = "Reported" if settings.mode == "report" or not broken else "Broken" if room > 0 else "LeftAlone"
            room -= does == "Broken"
            told = does + (broken or lacks) + _boot(node)
            if memory.told.get(uid) != told:
                memory.told[uid] = told
                yield Step(node=node, does=does, why=broken or lacks)


def metrics(nodes: Sequence[Node], memory: Memory, settings: Settings) -> str:
    """For Prometheus: a line for each node that is not well, and one for each with planned maintenance: its time."""
    broken, maintained = ["# TYPE gpucluster_node_broken gauge"], ["# TYPE gpucluster_node_maintenance gauge"]
    for node in nodes:
        name = node["metadata"]["name"]
        if state := _state(node, memory, settings):
            broken.append(f'gpucluster_node_broken{{node="{name}",state="{state}"}} 1')
        planned = str(node["metadata"].get("labels", {}).get(settings.maintenance, ""))
        if planned.isdecimal():
            maintained.append(f'gpucluster_node_maintenance{{node="{name}"}} {planned}')
    return "\n".join([*broken, *(maintained if settings.maintenance else []), ""])


def _state(node: Node, memory: Memory, settings: Settings) -> str:
    """As the metric names it; empty if the node is well."""
    if _taint(node, settings) is not None:
        return "drained"
    told = memory.told.get(node["metadata"]["uid"], "")
    silent = "" if _is_ready(node) else "silent"
    return next((state for does, state in _STATES.items() if told.startswith(does)), silent)


def _taint(node: Node, settings: Settings) -> str | None:
    """The value of the taint; None without one."""
    taints = {each["key"]: each.get("value", "") for each in node["spec"].get("taints", [])}
    return taints.get(settings.taint)


def _booted_since(node: Node, value: str) -> bool:
    """Whether a taint of this value names an earlier boot, and the node is ready again."""
    return _is_ready(node) and re.fullmatch(_BOOT, value) is not None and value != _boot(node)


def _is_ready(node: Node) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"].get("conditions", []))


def _boot(node: Node) -> str:
    return str(node["status"].get("nodeInfo", {}).get("bootID", "")).lower()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Access:
    """Access to the API server. authority: PEM. headers: read for each request, because tokens are renewed."""

    server: str
    authority: str
    headers: Callable[[], Mapping[str, str]]

    @classmethod
    def of_pod(cls) -> Access:
        """As the pod's own service account."""
        server = f"https://{os.environ['KUBERNETES_SERVICE_HOST']}:{os.environ['KUBERNETES_SERVICE_PORT']}"
        return cls(
            server=server,
            authority=(_ACCOUNT / "ca.crt").read_text(),
            headers=lambda: {"Authorization": f"Bearer {(_ACCOUNT / 'token').read_text().strip()}"},
        )

    @classmethod
    def of_kubeconfig(cls, file: Path) -> Access:
        """As the user of a kubeconfig, outside a cluster. It is JSON, with a token and a file of the authority."""
        said = json.loads(file.read_text())
        cluster, user = said["clusters"][0]["cluster"], said["users"][0]["user"]
        on_behalf = {"Impersonate-User": user["as"]} if "as" in user else {}
        headers = {"Authorization": f"Bearer {user['token']}", **on_behalf}
        authority = Path(cluster["certificate-authority"]).read_text()
        return cls(server=cluster["server"], authority=authority, headers=lambda: headers)


class Api:
    """Requests to the API server."""

    def __init__(self, access: Access) -> None:
        self._access = access
        trusted = urllib.request.HTTPSHandler(context=ssl.create_default_context(cadata=access.authority))
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({}), trusted).open

    def nodes(self, selector: str) -> list[Node]:
        """From the API server's cache: a check every few seconds must be cheap."""
        asked = urllib.parse.urlencode({"labelSelector": selector, "resourceVersion": "0"})
        return self._ask("GET", f"/api/v1/nodes?{asked}")["items"]

    def set_taints(self, node: Node, taints: Sequence[Mapping[str, Any]]) -> None:
        """Refused if the node was changed since it was read: the next check retries."""
        read = {"resourceVersion": node["metadata"]["resourceVersion"]}
        change = {"metadata": read, "spec": {"taints": list(taints)}}
        self._ask("PATCH", f"/api/v1/nodes/{node['metadata']['name']}", change, kind="application/merge-patch+json")

    def tell(self, step: Step) -> None:
        """Creates an event of the node; events of nodes are in the namespace `default`."""
        name, now = step.node["metadata"]["name"], _now()
        event = {
            "metadata": {"generateName": f"{name}.", "namespace": "default"},
            "involvedObject": {"apiVersion": "v1", "kind": "Node", "name": name, "uid": step.node["metadata"]["uid"]},
            "reason": f"Node{step.does}",
            "message": step.why,
            "type": "Normal" if step.does == "Well" else "Warning",
            "source": {"component": "node-health"},
            **dict.fromkeys(("firstTimestamp", "lastTimestamp"), now),
            "count": 1,
        }
        self._ask("POST", "/api/v1/namespaces/default/events", event)

    def _ask(self, method: str, path: str, body: object = None, *, kind: str = "application/json") -> Any:
        headers = {**self._access.headers(), "Content-Type": kind}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._access.server}{path}", data, headers, method=method)
        with self._open(request, timeout=_TIMEOUT_SECONDS) as answer:
            return json.load(answer)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _do(step: Step, api: Api, settings: Settings) -> None:
    others = [taint for taint in step.node["spec"].get("taints", []) if taint["key"] != settings.taint]
    if step.does == "Broken":
        broken = {"key": settings.taint, "value": _boot(step.node), "effect": "NoExecute", "timeAdded": _now()}
        api.set_taints(step.node, [*others, broken])
    elif step.does == "Well":
        api.set_taints(step.node, others)
    logging.info("%s: %s: %s", step.node["metadata"]["name"], step.does, step.why)
    api.tell(step)


class Metrics(http.server.BaseHTTPRequestHandler):
    """The result of the last check, for Prometheus."""

    text = ""

    def do_GET(self) -> None:
        """Returns the same for any path."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(Metrics.text.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing: a line for each scrape would fill the log."""


def _look(api: Api, memory: Memory, settings: Settings) -> None:
    """One check of all nodes. The next one retries failed actions."""
    nodes = api.nodes(settings.nodes)
    for step in steps(nodes, memory, settings, time.monotonic()):
        try:
            _do(step, api, settings)
        except OSError as failed:
            memory.told.pop(step.node["metadata"]["uid"], None)
            logging.warning("%s: %s failed: %s", step.node["metadata"]["name"], step.does, failed)
    Metrics.text = metrics(nodes, memory, settings)


def _main() -> None:
    said = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    said.add_argument("--settings", type=Path, required=True, help="JSON file with the fields of Settings")
    said.add_argument("--period", type=float, default=10, help="seconds between two checks")
    said.add_argument("--port", type=int, help="port of the metrics for Prometheus; default: none")
    asked = said.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    settings, memory = Settings(**json.loads(asked.settings.read_text())), Memory()
    kubeconfig = os.environ.get("KUBECONFIG")
    api = Api(Access.of_pod() if kubeconfig is None else Access.of_kubeconfig(Path(kubeconfig)))
    if asked.port is not None and kubeconfig is None:
        serve = http.server.ThreadingHTTPServer(("", asked.port), Metrics).serve_forever
        threading.Thread(target=serve, daemon=True).start()
    while True:
        try:
            _look(api, memory, settings)
        except OSError as failed:
            logging.warning("cannot read the nodes: %s", failed)
        time.sleep(asked.period)


if __name__ == "__main__":
    _main()
