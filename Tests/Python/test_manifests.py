"""Looks at the manifests for Kubernetes and compose: their form, and that they fit the program."""

import pathlib
import re
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "Packaging" / "kubernetes"
COMPOSE = ROOT / "Packaging" / "compose"
MANIFESTS = sorted(
    file for file in KUBERNETES.rglob("*.yaml") if file.name != "kustomization.yaml"
)
STOP_SECONDS = 10
FAILED_STORE_SECONDS = 6


def documents(file):
    return list(yaml.safe_load_all(file.read_text()))


def objects(kind):
    """All objects of a kind, with the names of their files."""
    return [
        (file.parent.name, entry)
        for file in MANIFESTS for entry in documents(file) if entry["kind"] == kind
    ]


PODS = [
    pytest.param(folder, entry["spec"]["template"], id=folder)
    for folder, entry in objects("StatefulSet") + objects("Deployment")
]


def settings():
    """The names of all settings, as variables."""
    page = (ROOT / "docs" / "settings.md").read_text()
    names = re.findall(r"^\| \[`([a-z-]+)`\]", page, re.MULTILINE)
    return {"RELATIOND_" + name.upper().replace("-", "_") for name in names}


def variables(text):
    return set(re.findall(r"\bRELATIOND_[A-Z_]+", text))


def test_the_manifests_have_the_form_that_kubernetes_wants(tmp_path):
    program = [sys.executable, "-m", "kubernetes_validate", "--strict", "--quiet"]
    answer = subprocess.run([*program, *MANIFESTS], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(MANIFESTS[0].read_text().replace("replicas:", "replica:"))
    answer = subprocess.run([*program, wrong], capture_output=True, text=True)
    assert answer.returncode == 1


def test_the_files_of_compose_have_their_form():
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    files = [COMPOSE / "compose.yaml", COMPOSE / "database.yaml"]
    answer = subprocess.run([*program, *files], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_all_names_of_settings_exist():
    known = settings()
    for folder in (KUBERNETES, COMPOSE):
        for file in folder.rglob("*"):
            if file.is_file():
                assert variables(file.read_text()) <= known, file


@pytest.mark.parametrize(
    "file", sorted(KUBERNETES.rglob("kustomization.yaml")), ids=lambda file: file.parent.name
)
def test_a_kustomization_names_files_that_exist_and_this_version(file):
    kustomization = yaml.safe_load(file.read_text())
    named = list(kustomization["resources"])
    for generator in ("configMapGenerator", "secretGenerator"):
        for entry in kustomization.get(generator, []):
            named += entry["envs"]
    for name in named:
        # Kustomize reads no file above its folder; from there it takes folders alone.
        target = file.parent / name
        assert (target / "kustomization.yaml" if ".." in name else target).is_file(), name
    version = re.search(r'let version = .*"(.*)"', (ROOT / "Package.swift").read_text())[1]
    tags = {image["newTag"] for image in kustomization.get("images", [])}
    assert tags == (set() if file.parent.name == "network" else {version})


@pytest.mark.parametrize("folder, pod", PODS)
def test_a_pod_has_no_privileges_and_time_for_its_stop(folder, pod):
    spec = pod["spec"]
    assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["runAsUser"] > 0
    assert spec["automountServiceAccountToken"] is False
    (container,) = spec["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    text = (KUBERNETES / folder / "settings.env").read_text() if folder == "database" else ""
    delay = int((re.search(r"STOP_DELAY=(\d+)", text) or [0, 0])[1])
    needed = delay + STOP_SECONDS + FAILED_STORE_SECONDS
    assert spec["terminationGracePeriodSeconds"] > needed


@pytest.mark.parametrize("folder, pod", PODS)
def test_probes_ask_the_port_of_the_admin_endpoints(folder, pod):
    (container,) = pod["spec"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    image = yaml.safe_load((ROOT / "Packaging" / "container" / "relationd.yaml").read_text())
    assert ports["grpc"] == int(image["listen"].rpartition(":")[2])
    assert ports["admin"] == int(image["metrics-listen"].rpartition(":")[2])
    asked = {
        name: container[name]["httpGet"]
        for name in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert {get["port"] for get in asked.values()} == {"admin"}
    assert asked["livenessProbe"]["path"] == "/livez"
    assert asked["readinessProbe"]["path"] == "/readyz"
    assert pod["metadata"]["annotations"]["prometheus.io/port"] == str(ports["admin"])


def test_what_selects_pods_selects_those_of_its_folder():
    labels = [pod.values[1]["metadata"]["labels"] for pod in PODS]
    for kind, selector in (
        ("Service", lambda spec: spec["selector"]),
        ("PodDisruptionBudget", lambda spec: spec["selector"]["matchLabels"]),
        ("NetworkPolicy", lambda spec: spec["podSelector"]["matchLabels"]),
        ("StatefulSet", lambda spec: spec["selector"]["matchLabels"]),
        ("Deployment", lambda spec: spec["selector"]["matchLabels"]),
    ):
        found = objects(kind)
        assert found, kind
        for _, entry in found:
            assert all(selector(entry["spec"]).items() <= each.items() for each in labels), kind


def test_a_folder_has_one_server():
    ((_, server),) = objects("StatefulSet")
    assert server["spec"]["replicas"] == 1
    (claim,) = server["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]


def test_compose_takes_an_image_that_was_loaded_or_builds_one():
    for file in (COMPOSE / "compose.yaml", COMPOSE / "database.yaml"):
        ours = [each for each in yaml.safe_load(file.read_text())["services"].values()
                if "build" in each]
        assert ours
        assert all(each["image"] == "${RELATION_IMAGE:-relationd}" for each in ours)


def test_the_files_that_compose_mounts_exist():
    for file in (COMPOSE / "compose.yaml", COMPOSE / "database.yaml"):
        for service in yaml.safe_load(file.read_text())["services"].values():
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if source.startswith("."):
                    assert (COMPOSE / source).exists(), source
            build = service.get("build")
            if build:
                assert (COMPOSE / build["context"] / build["dockerfile"]).is_file()
