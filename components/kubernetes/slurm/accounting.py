"""The records of Slurm's jobs: slurmdbd, and its database on a volume. Imports no Pulumi.

Sources: SlinkyProject/slurm-operator v1.1.0, api/v1beta1 and its page "Installation Guide", "With Accounting";
MariaDB/mariadb-docker, 11.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.kubernetes.objects.namespace import RESTRICTED_CONTAINER, restricted_pod
from gpucluster.components.kubernetes.slurm.objects import AUTH_KEY, JWT_KEY, image

DATABASE: Final = "database"
"""Its StatefulSet, Service, claim and Secret with the password."""
IMAGE: Final = (
    "docker.io/library/mariadb:11.8.8@sha256:d9f7eb2637296652f24b484afd5d246f759f49f5babcadc6a9e344c9acb75fbf"
)
"""Docker's official image. Source: tag and digest as public Compose files pair them."""
SIZE: Final = "16Gi"
"""Source: SlinkyProject/slurm-operator v1.1.0, its page "Installation Guide"."""

_PORT: Final = 3306
_SCHEMA: Final = "slurm_acct_db"
_USER: Final = "slurm"
_USER_ID: Final = 999
"""`mysql` of the image. Source: MariaDB/mariadb-docker, 11.8/Dockerfile, the first user of the system that it adds."""
_NAME: Final = "app.kubernetes.io/name"
_SELECTED: Final = {_NAME: DATABASE}
OTHERS: Final = {"matchExpressions": [{"key": _NAME, "operator": "NotIn", "values": [DATABASE]}]}
"""Selects the pods beside the database."""


def accounting_spec(tolerations: Sequence[Mapping[str, str]], registry: str | None) -> dict[str, Any]:
    """slurmdbd."""
    return {
        "slurmKeyRef": {"name": AUTH_KEY, "key": "token"},
        "jwtKeyRef": {"name": JWT_KEY, "key": "token"},
        "slurmdbd": {"image": image("slurmdbd", registry)},
        "storageConfig": {
            "host": DATABASE,
            "port": _PORT,
            "database": _SCHEMA,
            "username": _USER,
            "passwordKeyRef": {"name": DATABASE, "key": "token"},
        },
        "template": {"spec": {"tolerations": [dict(item) for item in tolerations]}},
    }


def service_spec() -> dict[str, Any]:
    """The address of the database."""
    return {"clusterIP": "None", "selector": _SELECTED, "ports": [{"name": "mariadb", "port": _PORT}]}


def network_rules() -> dict[str, Any]:
    """slurmdbd alone reaches the database. Source of its label: slurm-operator v1.1.0, internal/builder/labels."""
    records = {"podSelector": {"matchLabels": {_NAME: "slurmdbd"}}}
    return {
        "podSelector": {"matchLabels": _SELECTED},
        "policyTypes": ["Ingress"],
        "ingress": [{"from": [records], "ports": [{"protocol": "TCP", "port": _PORT}]}],
    }


def database_spec(tolerations: Sequence[Mapping[str, str]], registry: str | None) -> dict[str, Any]:
    """One MariaDB. The password is set when the volume is empty; root has another, and access only from inside the pod.

    Source of the settings: Slurm documentation, "Accounting and Resource Limits", which has larger ones.
    """
    settings = ("innodb-buffer-pool-size=512M", "innodb-lock-wait-timeout=900", "max-allowed-packet=64M")
    given = {
        "MARIADB_DATABASE": _SCHEMA,
        "MARIADB_USER": _USER,
        "MARIADB_RANDOM_ROOT_PASSWORD": "yes",
        "MARIADB_ROOT_HOST": "localhost",
        "MARIADB_AUTO_UPGRADE": "yes",
    }
    password = {"secretKeyRef": {"name": DATABASE, "key": "token"}}
    container = {
        "name": "mariadb",
        "image": mirrored(IMAGE, registry),
        "args": [f"--{setting}" for setting in settings],
        "env": [
            *({"name": name, "value": value} for name, value in given.items()),
            {"name": "MARIADB_PASSWORD", "valueFrom": password},
        ],
        "ports": [{"name": "mariadb", "containerPort": _PORT}],
        # While it prepares an empty volume or an upgrade, it answers only inside the pod.
        "readinessProbe": {"tcpSocket": {"port": _PORT}},
        "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
        "securityContext": dict(RESTRICTED_CONTAINER),
        # Not the volume's own root, in which some file systems have a folder.
        "volumeMounts": [{"name": DATABASE, "mountPath": "/var/lib/mysql", "subPath": "mysql"}],
    }
    return {
        "serviceName": DATABASE,
        "replicas": 1,
        "selector": {"matchLabels": _SELECTED},
        "template": {
            "metadata": {"labels": _SELECTED},
            "spec": {
                "automountServiceAccountToken": False,
                "securityContext": {**restricted_pod(_USER_ID), "runAsGroup": _USER_ID, "fsGroup": _USER_ID},
                "tolerations": [dict(item) for item in tolerations],
                "terminationGracePeriodSeconds": 120,
                "containers": [container],
                "volumes": [{"name": DATABASE, "persistentVolumeClaim": {"claimName": DATABASE}}],
            },
        },
    }
