"""Slurm's controller and its node daemons for emulated nodes: on an own loopback address, in a temporary folder.

Every node has a real `slurmd -N`, which states the CPUs, memory and GPUs of its line in `slurm.conf`. Batch scripts are
scheduled but never run: each allocation stays in its prolog, and the daemons have no program that starts steps.
"""

from __future__ import annotations

import functools
import os
import pwd
import re
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gpucluster.core.slurm import SlurmCluster, gres_conf, slurm_conf, topology_conf
from gpucluster.operate.rehearse.slurm.host import Host, free_ports, rename, this_host
from gpucluster.operate.rehearse.slurm.packages import PLUGINS, NoSlurm, Programs
from gpucluster.sandbox.machine.process import die_with_parent

_STARTS_WITHIN: Final = 120.0
"""Seconds for all daemons to register, on a busy machine."""
_ENDS_WITHIN: Final = 5.0
_ANSWERS_WITHIN: Final = 60.0
_TICK: Final = 0.1
_KEY_BYTES: Final = 1024

# The controller waits for this before it starts a script. It ends with the folder, or with our process.
_PROLOG: Final = """\
#!/bin/sh
while [ -d {folder} ] && kill -0 {process} 2>/dev/null; do sleep 0.5; done
"""

# config_overrides: a node has the CPUs and memory of its line, not those of this machine. No*InAddrAny: listen on the
# address of the node only. SlurmdTimeout 0: a busy machine takes no node away.
_CONF: Final = """\
ClusterName=rehearsal
SlurmctldHost={host}({address})
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
PluginDir={plugins}
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdTimeout=0
PrologSlurmctld={folder}/prolog
TopologyPlugin=topology/{topology}
"""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command of Slurm printed. code: its exit code."""

    code: int
    out: str
    err: str

    @property
    def words(self) -> str:
        """Slurm's own words, without the name of the command before each line."""
        lines = (self.err or self.out).strip().splitlines()
        return "; ".join(re.sub(r"^\w+: (?:error: |fatal: )?", "", line) for line in lines)


@dataclass(frozen=True, kw_only=True)
class Controller:
    """A running one. folder: its temporary files."""

    programs: Programs
    folder: Path

    def run(self, command: str, *arguments: str | Path) -> Answer:
        """A command of Slurm, such as `squeue`. Raises NoSlurm if it gets no answer."""
        try:
            done = subprocess.run(
                [self.programs.path(command), *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_ANSWERS_WITHIN,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoSlurm(f"{command} got no answer from Slurm's controller in {_ANSWERS_WITHIN:.0f} s") from None
        return Answer(code=done.returncode, out=done.stdout, err=done.stderr)

    @property
    def environment(self) -> Mapping[str, str]:
        """Of its commands."""
        return {**self.programs.environment, "SLURM_CONF": str(self.folder / "slurm.conf")}


@dataclass(frozen=True)
class _Daemons:
    """Running processes by the name of their log. host: as they see it."""

    controller: Controller
    host: Host
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, "subprocess.Popen[bytes]"])

    def start(self, name: str, *arguments: str) -> None:
        """In its own session, out of reach of Ctrl-C, and with our end as its end. Raises NoSlurm."""
        log = f"{name}-{len(self.running)}"
        try:
            with (self.controller.folder / f"{log}.log").open("wb") as file:
                self.running[log] = subprocess.Popen(
                    [self.controller.programs.path(name), *arguments],
                    env=self.controller.environment,
                    cwd=self.controller.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=file,
                    start_new_session=True,
                    preexec_fn=self._prepare,
                )
        except subprocess.SubprocessError:
            own = socket.gethostname()
            raise NoSlurm(
                f"this machine's name {own} has no loopback address, and the system does not let {name} see another "
                f"name; add the line '127.0.1.1 {own}' at the top of /etc/hosts"
            ) from None

    def _prepare(self) -> None:
        rename(self.host)
        if end := die_with_parent():
            end()

    def wait(self, what: str, look: Callable[[], bool]) -> None:
        """Raises NoSlurm if a daemon ends or the time is over."""
        end = time.monotonic() + _STARTS_WITHIN
        while not look():
            for log, daemon in self.running.items():
                if daemon.poll() is not None:
                    raise NoSlurm(f"{log.partition('-')[0]} does not start: {self._last_words(log)}")
            if time.monotonic() > end:
                words = self._last_words(next(reversed(self.running)))
                raise NoSlurm(f"Slurm is not ready after {_STARTS_WITHIN:.0f} s ({what}): {words}")
            time.sleep(_TICK)

    def _last_words(self, log: str) -> str:
        with suppress(OSError):
            lines = (self.controller.folder / f"{log}.log").read_text(errors="replace").splitlines()
            return next((line for line in reversed(lines) if "error" in line.lower() or "fatal" in line), "no message")
        return "no message"

    def end(self) -> None:
        """Nothing of them is kept, so only the controller is asked: it ends its prologs."""
        for log, daemon in self.running.items():
            with suppress(ProcessLookupError):
                os.killpg(daemon.pid, signal.SIGTERM if log.startswith("slurmctld") else signal.SIGKILL)
        for daemon in self.running.values():
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(_ENDS_WITHIN)
            with suppress(ProcessLookupError):
                os.killpg(daemon.pid, signal.SIGKILL)
            daemon.wait()


@contextmanager
def emulated(programs: Programs, cluster: SlurmCluster) -> Generator[Controller]:
    """A controller whose nodes are all idle; ended, with its files deleted, on return, errors, SIGINT and SIGTERM.

    Raises NoSlurm with the last words of the daemon that does not start.
    """
    with ExitStack() as stack:
        stack.enter_context(_terminated_as_interrupt())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gpucluster-slurm-")))
        controller = Controller(programs=programs, folder=folder)
        host = this_host()
        ports = stack.enter_context(free_ports(host, 1 + len(cluster.nodes)))
        _write(folder, cluster, programs, host, ports)
        daemons = _Daemons(controller, host)
        stack.callback(daemons.end)
        files = [f"--{name}-file={folder / name}" for name in ("key", "pid", "seed")]
        daemons.start("munged", "--foreground", "--force", "--num-threads=2", f"--socket={folder}/munge", *files)
        daemons.wait("munged", (folder / "munge").exists)
        daemons.start("slurmctld", "-D", "-c")
        for node in cluster.nodes:
            # /bin/false in place of slurmstepd: whatever reaches the daemon, it starts nothing.
            daemons.start("slurmd", "-D", "-N", node.name, "-d", "/bin/false")
        daemons.wait("nodes that register", lambda: _all_idle(controller, len(cluster.nodes)))
        yield controller


def _write(folder: Path, cluster: SlurmCluster, programs: Programs, host: Host, ports: Sequence[int]) -> None:
    (folder / "state").mkdir()
    for node in cluster.nodes:
        (folder / "spool" / node.name).mkdir(parents=True)
    (folder / "key").write_bytes(secrets.token_bytes(_KEY_BYTES))
    (folder / "key").chmod(0o600)
    (folder / "prolog").write_text(_PROLOG.format(folder=folder, process=os.getpid()))
    (folder / "prolog").chmod(0o700)
    topology = topology_conf(cluster.nodes)
    head = _CONF.format(
        host=host.name,
        address=host.address,
        port=ports[0],
        folder=folder,
        user=pwd.getpwuid(os.geteuid()).pw_name,
        plugins=programs.folder / PLUGINS,
        topology="tree" if topology else "none",
    )
    addresses = {
        node.name: f"NodeHostname=localhost NodeAddr={host.address} Port={port}"
        for port, node in zip(ports[1:], cluster.nodes, strict=True)
    }
    (folder / "slurm.conf").write_text(head + slurm_conf(cluster, addresses))
    (folder / "topology.conf").write_text(topology)
    (folder / "gpus").mkdir()
    (folder / "gres.conf").write_text(gres_conf(cluster.nodes, functools.partial(_gpus, folder / "gpus")))


def _gpus(folder: Path, kind: str, count: int) -> Iterator[str]:
    """A node daemon counts only GPUs with files; any file will do."""
    for number in range(count):
        file = folder / f"{kind}-{number}"
        file.touch()
        yield str(file)


def _all_idle(controller: Controller, nodes: int) -> bool:
    states = controller.run("sinfo", "--noheader", "--Node", "--format=%N %T").out.splitlines()
    return len({line.split()[0] for line in states if line.endswith(" idle")}) == nodes


@contextmanager
def _terminated_as_interrupt() -> Generator[None]:
    """SIGTERM ends the command as Ctrl-C does, so that everything is cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise SystemExit(128 + signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
