"""The Lustre driver, typed out from its own manifests of v0.4.0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpucluster.components.azure.lustre_driver import LustreDriver
from gpucluster.components.labelling import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

NODE = "csi-azurelustre-node"
DRIVER = "azurelustre.csi.azure.com"
TEAM = {"team": "ml"}


def resources(cpu: str, memory: str) -> dict[str, Any]:
    return {"limits": {"cpu": cpu, "memory": memory}, "requests": {"cpu": "10m", "memory": "20Mi"}}


def daemon_set(flavor: str, system: str, client: str, build: str) -> dict[str, Any]:
    own = {"app": NODE, "flavor": flavor}
    registration = f"--kubelet-registration-path=/var/lib/kubelet/plugins/{DRIVER}/csi.sock"
    ready = {"exec": {"command": ["/app/readinessProbe.sh"]}, "initialDelaySeconds": 10}
    socket = {"name": "socket-dir", "mountPath": "/csi"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": f"{NODE}-{flavor}", "namespace": "kube-system", "labels": {**TEAM, **own}},
        "spec": {
            "selector": {"matchLabels": own},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
            "template": {
                "metadata": {"labels": {**TEAM, **own}},
                "spec": {
                    "serviceAccountName": f"{NODE}-sa",
                    "priorityClassName": "system-node-critical",
                    "hostNetwork": True,
                    "dnsPolicy": "Default",
                    "nodeSelector": {"kubernetes.io/os": "linux"},
                    "affinity": {
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {
                                        "matchExpressions": [
                                            {"key": "type", "operator": "NotIn", "values": ["virtual-kubelet"]},
                                            {
                                                "key": "kubernetes.azure.com/os-sku-effective",
                                                "operator": "In",
                                                "values": [system],
                                            },
                                        ]
                                    }
                                ]
                            }
                        }
                    },
                    "tolerations": [{"operator": "Exists"}],
                    "containers": [
                        {
                            "name": "liveness-probe",
                            "image": "mcr.microsoft.com/oss/kubernetes-csi/livenessprobe:v2.15.0",
                            "args": [
                                "--csi-address=/csi/csi.sock",
                                "--probe-timeout=120s",
                                "--health-port=29763",
                                "--v=2",
                            ],
                            "resources": resources("100m", "100Mi"),
                            "volumeMounts": [socket],
                        },
                        {
                            "name": "node-driver-registrar",
                            "image": "mcr.microsoft.com/oss/kubernetes-csi/csi-node-driver-registrar:v2.13.0",
                            "args": ["--csi-address=/csi/csi.sock", registration, "--v=2"],
                            "livenessProbe": {
                                "exec": {
                                    "command": [
                                        "/csi-node-driver-registrar",
                                        registration,
                                        "--mode=kubelet-registration-probe",
                                    ]
                                },
                                "initialDelaySeconds": 30,
                                "timeoutSeconds": 15,
                            },
                            "resources": resources("100m", "100Mi"),
                            "volumeMounts": [socket, {"name": "registration-dir", "mountPath": "/registration"}],
                        },
                        {
                            "name": "azurelustre",
                            "image": f"mcr.microsoft.com/oss/v2/kubernetes-csi/azurelustre-csi:v0.4.0-{flavor}",
                            "args": ["-v=5", "--endpoint=$(CSI_ENDPOINT)", "--nodeid=$(KUBE_NODE_NAME)"],
                            "ports": [{"name": "healthz", "containerPort": 29763, "protocol": "TCP"}],
                            "lifecycle": {"preStop": {"exec": {"command": ["/bin/sh", "-c", "lustre_rmmod"]}}},
                            "livenessProbe": {
                                "httpGet": {"path": "/healthz", "port": "healthz"},
                                "failureThreshold": 5,
                                "initialDelaySeconds": 60,
                                "timeoutSeconds": 10,
                                "periodSeconds": 30,
                            },
                            "readinessProbe": {
                                **ready,
                                "failureThreshold": 5,
                                "timeoutSeconds": 10,
                                "periodSeconds": 30,
                            },
                            "startupProbe": {**ready, "failureThreshold": 120, "timeoutSeconds": 5, "periodSeconds": 5},
                            "env": [
                                {"name": "CSI_ENDPOINT", "value": "unix:///csi/csi.sock"},
                                {"name": "AZURELUSTRE_CSI_INSTALL_LUSTRE_CLIENT", "value": "yes"},
                                {"name": "LUSTRE_VERSION", "value": client},
                                {"name": "CLIENT_SHA_SUFFIX", "value": build},
                                {
                                    "name": "KUBE_NODE_NAME",
                                    "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}},
                                },
                            ],
                            "securityContext": {"privileged": True},
                            "resources": resources("1", "200Mi"),
                            "volumeMounts": [
                                socket,
                                {
                                    "name": "mountpoint-dir",
                                    "mountPath": "/var/lib/kubelet/",
                                    "mountPropagation": "Bidirectional",
                                },
                                {"name": "azure-cred", "mountPath": "/etc/kubernetes/"},
                                {"name": "host-dev", "mountPath": "/dev"},
                                {"name": "host-os-release", "mountPath": "/etc/host-os-release"},
                            ],
                        },
                    ],
                    "volumes": [
                        {"name": name, "hostPath": {"path": path, "type": kind}}
                        for name, path, kind in (
                            ("socket-dir", f"/var/lib/kubelet/plugins/{DRIVER}", "DirectoryOrCreate"),
                            ("registration-dir", "/var/lib/kubelet/plugins_registry/", "Directory"),
                            ("mountpoint-dir", "/var/lib/kubelet/", "Directory"),
                            ("azure-cred", "/etc/kubernetes/", "DirectoryOrCreate"),
                            ("host-dev", "/dev", "Directory"),
                            ("host-os-release", "/etc/os-release", "File"),
                        )
                    ],
                },
            },
        },
    }


def test_the_driver_and_nothing_that_makes_file_systems(registered: Run) -> None:
    found = registered(lambda: LustreDriver("driver", after=[], opts=labelled_objects(TEAM, None)))
    assert {name: inputs for _, name, inputs in found} == {
        "driver-kind": {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSIDriver",
            "metadata": {"name": DRIVER, "labels": TEAM},
            "spec": {"attachRequired": False, "fsGroupPolicy": "File", "podInfoOnMount": True},
        },
        "driver-account": {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": f"{NODE}-sa", "namespace": "kube-system", "labels": TEAM},
        },
        "driver-role": {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": f"{NODE}-secret-role", "labels": TEAM},
            "rules": [
                {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]},
                {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]},
            ],
        },
        "driver-binding": {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": f"{NODE}-secret-binding", "labels": TEAM},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": f"{NODE}-secret-role",
            },
            "subjects": [{"kind": "ServiceAccount", "name": f"{NODE}-sa", "namespace": "kube-system"}],
        },
        "driver-jammy": daemon_set("jammy", "Ubuntu2204", "2.15.7", "33-g79ddf99"),
        "driver-noble": daemon_set("noble", "Ubuntu2404", "2.16.1", "14-gbc76088"),
    }
