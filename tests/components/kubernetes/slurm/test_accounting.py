"""The records of Slurm's jobs: one database, whose parts name each other."""

from __future__ import annotations

from typing import Any

from gpucluster.components.kubernetes.slurm.accounting import DATABASE, accounting_spec, database_spec, service_spec
from gpucluster.components.kubernetes.slurm.objects import controller_spec
from tests.components.recorded import plan_of

TOLERATION = {"key": "CriticalAddonsOnly", "operator": "Exists"}


def test_slurmdbd_reaches_the_database_with_its_name_and_password() -> None:
    storage = accounting_spec([], None)["storageConfig"]
    [container] = database_spec([], None)["template"]["spec"]["containers"]
    env: dict[str, Any] = {one["name"]: one for one in container["env"]}
    assert storage["passwordKeyRef"] == env["MARIADB_PASSWORD"]["valueFrom"]["secretKeyRef"]
    assert (storage["username"], storage["database"]) == (
        env["MARIADB_USER"]["value"],
        env["MARIADB_DATABASE"]["value"],
    )
    [port] = service_spec()["ports"]
    assert storage["port"] == port["port"] == container["ports"][0]["containerPort"]
    assert (storage["host"], service_spec()["selector"]) == (
        DATABASE,
        database_spec([], None)["selector"]["matchLabels"],
    )


def test_its_pods_are_on_cpu_nodes_and_come_from_the_mirror() -> None:
    database = database_spec([TOLERATION], "registry.example")["template"]["spec"]
    records = accounting_spec([TOLERATION], "registry.example")
    assert database["tolerations"] == records["template"]["spec"]["tolerations"] == [TOLERATION]
    images = [database["containers"][0]["image"], records["slurmdbd"]["image"]]
    assert [image.partition("/")[0] for image in images] == ["registry.example"] * 2


def test_the_password_is_no_value_of_the_plan() -> None:
    """A Secret without content, which Kubernetes fills."""
    secret = plan_of("azure", "slurm-accounting").inputs["slurm-database-secret"]
    assert (secret["type"], {"data", "stringData"} & {*secret}) == ("kubernetes.io/service-account-token", set())


def test_slurmdbd_alone_reaches_the_database() -> None:
    """Network policies add up: none but its own selects the database."""
    found = plan_of("azure", "slurm-accounting").inputs
    rules = {
        name: one["spec"]
        for name, one in found.items()
        if one.get("kind") == "NetworkPolicy" and one["metadata"]["namespace"] == "slurm"
    }
    name = "app.kubernetes.io/name"
    others = {"matchExpressions": [{"key": name, "operator": "NotIn", "values": ["database"]}]}
    assert {policy: of["podSelector"] for policy, of in rules.items() if "Ingress" in of["policyTypes"]} == {
        "slurm-database-networkpolicy": {"matchLabels": {name: "database"}},
        "slurm-only-from-within-networkpolicy": others,
    }
    assert rules["slurm-database-networkpolicy"]["ingress"] == [
        {
            "from": [{"podSelector": {"matchLabels": {name: "slurmdbd"}}}],
            "ports": [{"protocol": "TCP", "port": 3306}],
        }
    ]


def test_without_accounting_nothing_names_a_database() -> None:
    assert "accountingRef" not in controller_spec("trial", [], None, accounting=False)
    assert [name for name in plan_of("azure", "slurm").inputs if DATABASE in name or "accounting" in name] == []
