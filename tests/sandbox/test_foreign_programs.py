"""Programs with providers that the sandbox does not simulate: they preview, and what is made up is said."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from textwrap import dedent

import pytest

from .conftest import PulumiProject

pytestmark = pytest.mark.engine

_SDK = """
    import pulumi

    class Basket(pulumi.CustomResource):
        def __init__(self, name, opts=None, *, apples=None):
            args = {"apples": apples, "weight": None}
            super().__init__("fruit:index:Basket", name, args, opts)

        @property
        @pulumi.getter
        def apples(self) -> pulumi.Output[int]:
            return pulumi.get(self, "apples")

        @property
        @pulumi.getter
        def weight(self) -> pulumi.Output[str]:
            return pulumi.get(self, "weight")

    class BasketArgs:
        def __init__(__self__, *, apples: pulumi.Input[int]):
            pass

        @property
        @pulumi.getter
        def apples(self) -> pulumi.Input[int]:
            return None

    class Market(pulumi.ComponentResource):
        def __init__(self, name, opts=None):
            super().__init__("fruit:index:Market", name, {"address": None}, opts, remote=True)

        @property
        @pulumi.getter
        def address(self) -> pulumi.Output[str]:
            return pulumi.get(self, "address")

    class MarketArgs:
        def __init__(__self__):
            pass
"""
_FUNCTION = """
    import pulumi

    class GetPriceResult:
        @property
        @pulumi.getter
        def id(self) -> str:
            return ""

        @property
        @pulumi.getter
        def kinds(self) -> Sequence[str]:
            return []

        @property
        @pulumi.getter
        def fruit(self) -> str:
            return ""

    def get_price(fruit):
        return pulumi.runtime.invoke('fruit:index:getPrice', {"fruit": fruit}).value
"""
_REGISTRY = """
    from .basket import *
    from .get_price import get_price

    REGISTRY = dict(
        resource_modules=\"\"\"[{"pkg": "fruit", "mod": "index", "fqn": "pulumi_fruit",
        "classes": {"fruit:index:Basket": "Basket", "fruit:index:Market": "Market"}}]\"\"\",
    )
"""
_PROGRAM = """
    import pulumi
    import pulumi_fruit as fruit
    import pulumi_kubernetes as kubernetes
    from pulumi.dynamic import CreateResult, Resource, ResourceProvider

    class Mine(ResourceProvider):
        def create(self, props):
            raise RuntimeError("is run")

    price = fruit.get_price("pear")
    basket = fruit.Basket("basket", apples=3)
    market = fruit.Market("market")
    class Thing(Resource):
        def __init__(self, name, kinds):
            super().__init__(Mine(), name, {"kinds": kinds})

    Thing("mine", price["kinds"])
    kubernetes.core.v1.ConfigMap("map", metadata={"namespace": "theirs"}, data={"fruit": price["fruit"]})
    pulumi.export("apples", basket.apples)
    pulumi.export("weight", basket.weight)
    pulumi.export("address", market.address)
    pulumi.export("asked", price["fruit"])
"""


@pytest.fixture
def project(project: PulumiProject) -> PulumiProject:
    """With an environment of its own, which has this SDK beside ours."""
    packages = project.root / "venv" / "lib" / "python3.11" / "site-packages"
    sdk = packages / "pulumi_fruit"
    sdk.mkdir(parents=True)
    (sdk / "pulumi-plugin.json").write_text('{"resource": true, "name": "fruit"}')
    for name, text in (("__init__", _REGISTRY), ("basket", _SDK), ("get_price", _FUNCTION)):
        (sdk / f"{name}.py").write_text("from __future__ import annotations\n" + dedent(text))
    ours = Path(sysconfig.get_path("purelib"))
    for name in ("pulumi", "pulumi_kubernetes"):
        (packages / name).symlink_to(ours / name)
    (packages / "ours.pth").write_text(f"{ours}\n")
    (project.root / "venv" / "bin").mkdir()
    python = project.root / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (project.root / "Pulumi.yaml").write_text(
        "name: small\nruntime:\n  name: python\n  options: {virtualenv: venv}\nmain: stacks/\nstackConfigDir: stacks/\n"
    )
    project.write(_PROGRAM)
    return project


@pytest.mark.slow
def test_what_is_not_simulated_is_kept_as_its_sdk_declares_it_and_said(project: PulumiProject) -> None:
    preview = project.pulumi("preview")
    assert "has no simulation of the provider 'fruit'" in preview
    assert "the answer of fruit:index:getPrice is made up" in preview
    assert "fruit:index:Market is a program of its own" in preview
    assert "the kubernetes provider has no kubeconfig" in preview
    project.pulumi("up --yes --skip-preview")
    outputs = project.outputs()
    assert outputs == {"apples": 3, "weight": "", "address": "", "asked": "pear"}
    assert "5 unchanged" in project.pulumi("preview")
    project.pulumi("destroy --yes --skip-preview")
