# ruff: noqa: ARG001, ARG002, ARG005
"""What examples/jobs/resume.py takes from PyTorch, for one process and without it: numbers in place of tensors."""

from __future__ import annotations

import os
import pickle
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, BinaryIO

__version__ = "stand-in"


class Number:
    """A tensor: its value, and what follows from its gradient."""

    def __init__(self, value: float, pull: Callable[[float], None] = lambda gradient: None) -> None:
        self.value, self.gradient, self.pull = value, 0.0, pull

    def square(self) -> Number:
        return Number(self.value**2, lambda gradient: self.pull(2 * self.value * gradient))

    def mean(self) -> Number:
        return self

    def backward(self) -> None:
        self.pull(1.0)

    def item(self) -> float:
        return self.value


class Linear:
    """One weight."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.weight = Number(random.random())

    @property
    def module(self) -> Linear:
        return self

    def to(self, device: object) -> Linear:
        return self

    def parameters(self) -> Iterator[Number]:
        yield self.weight

    def __call__(self, given: Number) -> Number:
        def pull(gradient: float) -> None:
            self.weight.gradient += gradient * given.value

        # A step takes as long as a test needs to end the process in its midst.
        time.sleep(float(os.environ.get("STEP_SECONDS", "0")))
        return Number(self.weight.value * given.value, pull)

    def state_dict(self) -> dict[str, float]:
        return {"weight": self.weight.value}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        self.weight.value = state["weight"]


class SGD:
    """With momentum, so that it has a state."""

    def __init__(self, parameters: Iterator[Number], lr: float, momentum: float) -> None:
        [self.weight] = parameters
        self.rate, self.momentum, self.speed = lr, momentum, 0.0

    def zero_grad(self) -> None:
        self.weight.gradient = 0.0

    def step(self) -> None:
        self.speed = self.momentum * self.speed + self.weight.gradient
        self.weight.value -= self.rate * self.speed

    def state_dict(self) -> dict[str, float]:
        return {"speed": self.speed}

    def load_state_dict(self, state: Mapping[str, float]) -> None:
        self.speed = state["speed"]


def save(state: Mapping[str, Any], file: BinaryIO) -> None:
    pickle.dump(state, file)


def load(file: Path, *, map_location: str, weights_only: bool) -> dict[str, Any]:
    return pickle.loads(file.read_bytes())


def device(kind: str) -> SimpleNamespace:
    return SimpleNamespace(type=kind)


def randn(*size: int, device: object) -> Number:
    return Number(random.gauss(0, 1))


def tensor(values: list[int], *, device: object) -> Number:
    return Number(values[0])


manual_seed = random.seed
cuda = SimpleNamespace(is_available=lambda: False)
optim = SimpleNamespace(SGD=SGD)


def _module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(names)
    sys.modules[name] = made
    return made


distributed = _module(
    "torch.distributed",
    init_process_group=lambda backend: None,
    destroy_process_group=lambda: None,
    get_rank=lambda: 0,
    get_world_size=lambda: 1,
    broadcast_object_list=lambda found: None,
    all_reduce=lambda number: None,
)
nn = _module(
    "torch.nn",
    Linear=Linear,
    parallel=_module("torch.nn.parallel", DistributedDataParallel=lambda model: model),
)
