"""The module of the client in Go, in the form of a module proxy."""

import json
import os
import re
import time
import zipfile

import clients

# Zip keeps no time before this one. The same sources make the same bytes.
EPOCH = 315532800


def services(contract, module):
    """The services as fields of the client, and which calls need a request id."""
    names = list(contract.services)
    wide = max(map(len, names))
    writes = sorted(method.path for service in contract.services.values() for method in service
                    if method.writes and not method.server_streams)
    widest = max(map(len, writes))
    return "\n".join([
        "// Made by Packaging/clients.", "", "package relation", "",
        f'import relationv1 "{module}/relation/v1"', "",
        "// Services has the calls of each service.", "type Services struct {",
        *(f"\t{name:{wide}} relationv1.{name}ServiceClient" for name in names), "}", "",
        "func servicesOf(client *Client) Services {", "\treturn Services{",
        *(f"\t\t{name + ':':{wide + 1}} relationv1.New{name}ServiceClient(client),"
          for name in names), "\t}", "}", "",
        "// The calls that are made twice only under a request id.",
        "var writes = map[string]bool{",
        *(f'\t"{path}":{" " * (widest - len(path))} true,' for path in writes), "}", ""])


def build(build):
    """Makes the sources and the files of a proxy; returns the path of the module's zip."""
    mod = (build.source / "go.mod").read_text()
    module = re.match(r"module (\S+)", mod)[1]
    build.protoc(f"--go_out={build.source}", f"--go_opt=module={module}",
                 f"--go-grpc_out={build.source}", f"--go-grpc_opt=module={module}")
    build.write("services.go", services(build.contract, module))
    build.write("version.go", '// Made by Packaging/clients.\n\npackage relation\n\n// Version of '
                f'this module.\nconst Version = "{build.version}"\n')
    if wrong := clients.run("gofmt", "-l", build.source):
        raise SystemExit(f"gofmt would change {wrong}")
    return pack(build.source, build.out / "proxy", module, f"v{build.version}")


def pack(source, proxy, module, version):
    """Puts a module into the folder of a proxy."""
    folder = proxy / module / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    moment = max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), EPOCH)
    info = {"Version": version, "Time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))}
    (folder / "list").write_text(f"{version}\n")
    (folder / f"{version}.info").write_text(json.dumps(info))
    (folder / f"{version}.mod").write_text((source / "go.mod").read_text())
    path = folder / f"{version}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(source.rglob("*")):
            if file.is_file():
                name = f"{module}@{version}/{file.relative_to(source)}"
                entry = zipfile.ZipInfo(name, time.gmtime(moment)[:6])
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, file.read_bytes())
    return path
