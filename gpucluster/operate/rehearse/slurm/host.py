"""This machine as Slurm's daemons see it: they listen on the address of its name, which has to be on loopback."""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

_CLONE_NEWUTS: Final = 0x04000000
_CLONE_NEWUSER: Final = 0x10000000
"""Linux: include/uapi/linux/sched.h."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """This machine as the daemons see it. address: where they listen, on loopback. renamed: whether they need another
    name of the machine for that.
    """

    name: str
    address: str
    renamed: bool


def this_host(name: str | None = None) -> Host:
    """name: of the machine, by default its own.

    With NoInAddrAny, Slurm's daemons listen on the address of the machine's name only (slurm.conf(5)). If that is not
    on loopback, they get to see the name `localhost`.
    """
    name = (name or socket.gethostname()).partition(".")[0]
    with suppress(OSError, UnicodeError):
        address = socket.gethostbyname(name)
        if ip_address(address).is_loopback:
            return Host(name=name, address=address, renamed=False)
    return Host(name="localhost", address="127.0.0.1", renamed=True)


def rename(host: Host) -> None:
    """Gives the calling process, and no other, the name. For a child before its program starts. Raises OSError."""
    if not host.renamed:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(_CLONE_NEWUTS) != 0:
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWUTS) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        for file, text in (("uid_map", f"{user} {user} 1"), ("setgroups", "deny"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{file}").write_text(text)
    socket.sethostname(host.name)


@contextmanager
def free_ports(host: Host, count: int) -> Generator[list[int]]:
    """Free ports, kept from all others: bound without listening, which Linux lets a daemon do beside us."""
    with ExitStack() as stack:
        ports: list[int] = []
        for _ in range(count):
            held = stack.enter_context(socket.socket())
            held.bind((host.address, 0))
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            ports.append(held.getsockname()[1])
        yield ports
