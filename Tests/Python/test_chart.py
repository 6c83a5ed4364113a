"""The Helm chart: rendered by Helm's own library, it says what the manifests of kustomize say."""

import base64
import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from relationd import ROOT

helm = pytest.importorskip("helm_python", reason="Helm's library is there for x86_64 alone")

CHART = ROOT / "Packaging" / "helm" / "relationd"
KUBERNETES = ROOT / "Packaging" / "kubernetes"
VERSION = re.search(
    r'"RELATION_VERSION"\] \?\? "([^"]+)"', (ROOT / "Package.swift").read_text())[1]
DATABASE = {"store": "database", "database": {"password": "change-me"}}
SHAPES = {"folder": {}, "database": DATABASE}
# What the chart itself settles, beside `listen` and others that the image does.
OF_THE_CHART = {
    "config", "data", "listen", "listen-mode", "metrics-listen", "metrics-allow-plaintext", "store",
    "store-password", "tls-cert", "tls-key", "tls-key-pem"}
# Labels that only a chart gives.
MORE_LABELS = {
    "app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by",
    "helm.sh/chart"}
EVERYTHING = {
    "image": {"repository": "registry.example/relationd", "tag": "1.2.3", "pullPolicy": "Always"},
    "imagePullSecrets": [{"name": "registry"}],
    "tls": {"secretName": "certificate"},
    "settings": {"user-rate": 10_000_000, "trace-sample": 0.25, "console": False, "stop-delay": 9,
                 "hook-ca": "/ca/ca.pem"},
    "service": {"type": "LoadBalancer", "port": 443, "annotations": {"a/b": "c"}},
    "networkPolicy": {"prometheusNamespace": "",
                      "from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]},
    "folder": {"size": "1Ti", "storageClassName": "fast", "accessMode": "ReadWriteOnce"},
    "podLabels": {"team": "a"}, "podAnnotations": {"b": "c"}, "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "topologySpreadConstraints": [
        {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
    "priorityClassName": "high", "terminationGracePeriodSeconds": 60, "startupFailureThreshold": 9,
    "extraVolumes": [{"name": "ca", "configMap": {"name": "ca"}}],
    "extraVolumeMounts": [{"name": "ca", "mountPath": "/ca"}],
}  # fmt: skip


def rendered(values, name="relationd", chart=CHART):
    """The objects of a release in their order by name, and the notes."""
    with helm.Chart.load(chart) as loaded:
        loaded.validate_schema(values)
        files = loaded.render(values, name=name, namespace="relations")
    notes = files.pop("relationd/templates/NOTES.txt")
    objects = [each for text in files.values() for each in yaml.safe_load_all(text) if each]
    return sorted(objects, key=lambda each: each["kind"]), notes


def found(objects, kind):
    (one,) = [each for each in objects if each["kind"] == kind]
    return one


def pod(objects):
    (one,) = [each for each in objects if each["kind"] in ("StatefulSet", "Deployment")]
    return one["spec"]["template"]["spec"]


def environment(objects):
    """The variables of the server, whether they are given one by one or by a ConfigMap or a
    Secret."""
    texts = {}
    for each in objects:
        if each["kind"] == "ConfigMap":
            texts["configMapRef", each["metadata"]["name"]] = each["data"]
        elif each["kind"] == "Secret":
            texts["secretRef", each["metadata"]["name"]] = {
                key: base64.b64decode(value).decode() for key, value in each["data"].items()}
    (container,) = pod(objects)["containers"]
    made = {}
    for source in container.get("envFrom", []):
        ((kind, reference),) = source.items()
        made |= texts[kind, reference["name"]]
    for variable in container.get("env", []):
        if "value" in variable:
            made[variable["name"]] = variable["value"]
        else:
            reference = variable["valueFrom"]["secretKeyRef"]
            made[variable["name"]] = texts["secretRef", reference["name"]][reference["key"]]
    return made


def kustomized(folder):
    """The objects of a kustomization, as far as ours use it."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    objects = []
    for name in kustomization["resources"]:
        if (folder / name).is_dir():
            objects += kustomized(folder / name)
        else:
            objects += yaml.safe_load_all((folder / name).read_text())
    for kind, generator in (("ConfigMap", "configMapGenerator"), ("Secret", "secretGenerator")):
        for each in kustomization.get(generator, []):
            (file,) = each["envs"]
            lines = (folder / file).read_text().splitlines()
            data = dict(line.split("=", 1) for line in lines if line and line[0] != "#")
            if kind == "Secret":
                data = {key: base64.b64encode(v.encode()).decode() for key, v in data.items()}
            made = {"apiVersion": "v1", "kind": kind, "metadata": {"name": each["name"]}}
            objects.append({**made, "data": data})
    text = json.dumps(objects)
    for image in kustomization.get("images", []):
        text = text.replace(
            f'"image": "{image["name"]}"', f'"image": "{image["name"]}:{image["newTag"]}"')
    return json.loads(text)


def compared(objects):
    """Objects by kind and name without what may differ: how the server gets its variables, and the
    labels of a chart."""
    variables = environment(objects)
    (container,) = pod(objects)["containers"]
    container.pop("env", None), container.pop("envFrom", None)
    container["volumeMounts"].sort(key=lambda mount: mount["name"])

    def without(value):
        if isinstance(value, dict):
            return {
                key: without(each) for key, each in value.items()
                if key not in MORE_LABELS and key != "checksum/password"}
        return [without(each) for each in value] if isinstance(value, list) else value

    made = {
        (each["kind"], each["metadata"]["name"]): without(each) for each in objects
        if each["kind"] not in ("ConfigMap", "Secret")}
    # The chart labels its policy too.
    for (kind, _), each in made.items():
        if kind == "NetworkPolicy":
            each["metadata"].pop("labels", None)
    return made, variables


@pytest.mark.parametrize("shape", SHAPES)
def test_the_chart_says_what_the_manifests_say(shape):
    objects, _ = rendered(SHAPES[shape])
    assert compared(objects) == compared(kustomized(KUBERNETES / shape))


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl is installed")
@pytest.mark.parametrize("shape", SHAPES)
def test_kustomize_reads_the_manifests_as_this_test_does(shape):
    done = subprocess.run(
        ["kubectl", "kustomize", KUBERNETES / shape], capture_output=True, text=True, check=True)
    # A ConfigMap and a Secret get a digest of their content behind their name.
    text = re.sub(r"\b(name: relationd)-[a-z0-9]{10}$", r"\1", done.stdout, flags=re.MULTILINE)
    objects = list(yaml.safe_load_all(text))
    names = [entry["metadata"]["name"] for entry in objects]
    assert set(names) == {"relationd"}
    assert compared(objects) == compared(kustomized(KUBERNETES / shape))


@pytest.mark.parametrize("values", [
    {}, DATABASE, {**DATABASE, "database": {"passwordSecret": "own", "headless": False}},
    {"store": "database"}, EVERYTHING, {**EVERYTHING, **DATABASE},
    {"networkPolicy": {"enabled": False}}])  # fmt: skip
def test_helm_and_kubernetes_take_what_is_rendered(values, tmp_path):
    report = helm.lint(CHART, values, strict=True)
    assert [each for each in report["messages"] if each["severity"] > 1] == []
    objects, _ = rendered(values)
    file = tmp_path / "objects.yaml"
    file.write_text(yaml.safe_dump_all(objects))
    done = subprocess.run(
        [sys.executable, "-m", "kubernetes_validate", "--strict", "--quiet", file],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("values", [EVERYTHING, {**EVERYTHING, **DATABASE}])
def test_each_value_has_an_effect(values):
    objects, notes = rendered(values)
    spec = pod(objects)
    (container,) = spec["containers"]
    assert container["image"] == "registry.example/relationd:1.2.3"
    assert container["imagePullPolicy"] == "Always"
    variables = environment(objects)
    assert variables["RELATIOND_USER_RATE"] == "10000000"
    assert variables["RELATIOND_TRACE_SAMPLE"] == "0.25"
    assert variables["RELATIOND_CONSOLE"] == "false"
    assert variables["RELATIOND_STOP_DELAY"] == "9"
    assert variables["RELATIOND_TLS_CERT"] == "/tls/tls.crt"
    assert "RELATIOND_ALLOW_PLAINTEXT" not in variables
    assert {"name": "tls", "mountPath": "/tls", "readOnly": True} in container["volumeMounts"]
    assert {"name": "ca", "mountPath": "/ca"} in container["volumeMounts"]
    assert [each["name"] for each in spec["volumes"]][-2:] == ["tls", "ca"]
    assert spec["securityContext"]["fsGroup"] == 10000
    assert spec["affinity"] == {"nodeAffinity": {}}
    for name in (
        "imagePullSecrets", "nodeSelector", "tolerations", "topologySpreadConstraints",
        "priorityClassName", "terminationGracePeriodSeconds",
    ):
        assert spec[name] == values[name]
    assert container["startupProbe"]["failureThreshold"] == 9
    service = found(objects, "Service")
    assert service["spec"]["ports"] == [{"name": "grpc", "port": 443, "targetPort": "grpc"}]
    assert service["metadata"]["annotations"] == {"a/b": "c"}
    if values.get("store"):
        assert service["spec"]["clusterIP"] == "None"
    else:
        assert service["spec"]["type"] == "LoadBalancer"
        (claim,) = found(objects, "StatefulSet")["spec"]["volumeClaimTemplates"]
        assert claim["spec"] == {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "resources": {"requests": {"storage": "1Ti"}}}
    (calls,) = found(objects, "NetworkPolicy")["spec"]["ingress"]
    assert calls["from"] == [{"ipBlock": {"cidr": "10.0.0.0/8"}}]
    assert "https://relationd.relations.svc:443" in notes


@pytest.mark.parametrize("values", [
    {"store": "disk"}, {"replicas": 2}, {"image": {"name": "a"}}, {"settings": {"user-rates": 1}},
    {"settings": {"store": "rocks:/data"}}, {"settings": {"hooks": None, "console": ["a"]}},
    {"database": {"url": "postgresql://relation:secret@host/relation"}},
    {"database": {"url": "mysql://host/relation"}}, {"database": {"password": 1234}},
    {"database": {"replicas": 0}}, {"fullnameOverride": "A_b"}, {"service": {"port": 70000}},
    {"networkPolicy": {"from": []}}, {"networkPolicy": {"from": [{}]}}, {"image": {"tag": "a b"}},
    {"image": {"tag": "1.2.0@sha256:abc"}}, {"image": {"tag": "@sha256:" + 64 * "a"}},
    {"image": {"repository": "a b"}}, {"imagePullSecrets": [{}]}, {"folder": {"size": "ten"}},
    {"tls": {"secretName": "A_b"}}, {"database": {"passwordSecret": "A b"}},
    {"database": {"url": "postgresql://"}}, {"database": {"url": "postgresql://relation@/a"}},
    {"resources": {"limits": {"memory": "lots"}}}, {"resources": {"limits": "1Gi"}},
    {"extraVolumes": [{}]}, {"extraVolumeMounts": [{"name": "a"}]},
    {"settings": {"stop-delay": 9}, "terminationGracePeriodSeconds": 25}])  # fmt: skip
def test_a_wrong_value_is_refused(values):
    with pytest.raises(helm.HelmError):
        rendered(values)


@pytest.mark.parametrize("url", [
    "postgresql://relation@host:5432/relation", "postgresql://host:5432/relation",
    "postgres://[::1]:5432/relation?sslmode=verify-full&target_session_attrs=primary",
    "postgresql://relation@one:5432,two:5432/relation",
    "postgresql:///relation?user=a&host=/run/db"])  # fmt: skip
def test_a_url_is_taken_as_it_is(url):
    objects, notes = rendered({"store": "database", "database": {"url": url}})
    assert environment(objects)["RELATIOND_STORE"] == url
    assert f"--env 'RELATIOND_STORE={url}'" in notes


@pytest.mark.parametrize("values, seconds", [
    ({}, 30), ({"store": "database"}, 45), ({"settings": {"stop-delay": 5}}, 30),
    ({"settings": {"stop-delay": "600"}}, 625), ({"store": "database", "settings": {
        "stop-delay": 21}}, 46),
    ({"settings": {"stop-delay": 9}, "terminationGracePeriodSeconds": 26}, 26),
    # A delay of 0 that is given is none of 5.
    ({"store": "database", "settings": {"stop-delay": 0},
      "terminationGracePeriodSeconds": 17}, 17)])  # fmt: skip
def test_a_pod_has_time_for_its_stop(values, seconds):
    objects, _ = rendered(values)
    assert pod(objects)["terminationGracePeriodSeconds"] == seconds


@pytest.mark.parametrize("size", ["1Ti", "0.5Gi", "128974848", "129e6", "123456k"])
def test_a_size_is_a_quantity_of_kubernetes(size):
    limits = {"limits": {"memory": size, "cpu": 2}}
    objects, _ = rendered({"folder": {"size": size}, "resources": limits})
    (claim,) = found(objects, "StatefulSet")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == size


def test_an_image_is_pinned_by_its_digest_behind_the_tag():
    tag = "1.2.0@sha256:" + 8 * "01234def"
    objects, _ = rendered({"image": {"repository": "registry.example/relationd", "tag": tag}})
    assert pod(objects)["containers"][0]["image"] == f"registry.example/relationd:{tag}"


def test_a_secret_of_ones_own_is_taken_and_none_is_made():
    objects, notes = rendered({
        "store": "database",
        "database": {"password": "unused", "passwordSecret": "own", "passwordKey": "word"}})
    assert all(each["kind"] != "Secret" for each in objects)
    (container,) = pod(objects)["containers"]
    assert container["env"][-1] == {
        "name": "RELATIOND_STORE_PASSWORD",
        "valueFrom": {"secretKeyRef": {"name": "own", "key": "word"}}}
    assert "get secret own" in notes and "{.data.word}" in notes


def test_a_new_password_starts_the_servers_anew():
    def template(password):
        objects, _ = rendered({"store": "database", "database": {"password": password}})
        return found(objects, "Deployment")["spec"]["template"]["metadata"]["annotations"]

    assert template("a") == template("a") != template("b")


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_two_releases_of_a_namespace_have_nothing_in_common(values):
    (one, notes), (other, _) = (rendered(values, name) for name in ("relationd-a", "b"))
    names = [{each["metadata"]["name"] for each in objects} for objects in (one, other)]
    assert names == [{"relationd-a"}, {"b-relationd"}]
    assert "relationd-a" in notes
    for kind, selector in (
        ("Service", lambda spec: spec["selector"]),
        ("NetworkPolicy", lambda spec: spec["podSelector"]["matchLabels"]),
        ("StatefulSet", lambda spec: spec["selector"]["matchLabels"]),
        ("Deployment", lambda spec: spec["selector"]["matchLabels"]),
        ("PodDisruptionBudget", lambda spec: spec["selector"]["matchLabels"]),
    ):
        for entry in [each for each in one if each["kind"] == kind]:
            chosen = selector(entry["spec"]).items()
            (mine,), (theirs,) = ([
                each["spec"]["template"]["metadata"]["labels"].items() for each in objects
                if each["kind"] in ("StatefulSet", "Deployment")] for objects in (one, other))
            assert chosen <= mine and not chosen <= theirs, kind


def test_a_long_name_of_a_release_leaves_place_for_what_kubernetes_adds():
    objects, _ = rendered({}, "a" * 53)
    (name,) = {each["metadata"]["name"] for each in objects}
    assert len(name) == 52


def test_the_schema_has_each_value_and_each_setting():
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())

    def names(schema):
        return {
            name: names(each) if "properties" in each else None
            for name, each in schema["properties"].items() if name != "global"}

    def given(values, schema):
        return {
            name: given(each, schema["properties"][name])
            if "properties" in schema["properties"][name] else None
            for name, each in values.items()}

    assert given(values, schema) == names(schema)
    page = (ROOT / "docs" / "settings.md").read_text()
    settings = re.findall(r"^\| \[`([a-z-]+)`\]", page, re.MULTILINE)
    assert schema["properties"]["settings"]["propertyNames"]["enum"] == [
        name for name in settings if name not in OF_THE_CHART]


def test_the_chart_is_packed_with_this_version(tmp_path):
    done = subprocess.run(
        [ROOT / "Packaging" / "chart", VERSION, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    archive = tmp_path / f"relationd-{VERSION}.tgz"
    assert done.stdout == f"{archive}\n"
    assert rendered(DATABASE, chart=archive) == rendered(DATABASE)
    with helm.Chart.load(archive) as chart:
        assert (chart.version, chart.metadata["appVersion"]) == (VERSION, VERSION)
    before = archive.read_bytes()
    subprocess.run([ROOT / "Packaging" / "chart", VERSION, tmp_path], check=True)
    assert archive.read_bytes() == before
    done = subprocess.run(
        [ROOT / "Packaging" / "chart", "9.9.9", tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
