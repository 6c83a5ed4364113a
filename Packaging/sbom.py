"""Writes the bill of materials of what is built: every package that is linked into the programs.

    sbom.py --build .build-deb/release --version 1.0.0 --bill FILE [--notices FILE]
    sbom.py --pins

With `--pins` it only looks whether Package.resolved has what a release is built from.
The bill is SPDX 2.3 in JSON. It is made from what the linker was given and what the loader finds,
and from nothing that could forget a package. A part whose licence is not in the tables below is an
error. The notices are the licences' texts, as the licences ask for.
"""

import argparse
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# What a release is built from.
RELEASED = ROOT / "Packaging" / "Package.resolved"
PROGRAMS = ("relationd", "relationctl")
OURS = "Apache-2.0"
APACHE = "Apache-2.0"
# The licences of Swift packages, by the name in Package.resolved.
SWIFT_LICENSES = {
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
    "swift-atomics": "Apache-2.0 WITH Swift-exception",
    "swift-collections": "Apache-2.0 WITH Swift-exception",
    "swift-distributed-tracing": APACHE,
    "swift-log": APACHE,
    "swift-metrics": APACHE,
    "swift-nio": APACHE,
    "swift-nio-ssl": APACHE,
    "swift-service-context": APACHE,
    "swift-system": "Apache-2.0 WITH Swift-exception",
    "yams": "MIT",
}
# The licences of Debian's packages of libraries, by the name of their source.
DEBIAN_LICENSES = {
    "bzip2": "bzip2-1.0.6",
    "cyrus-sasl2": "BSD-4-Clause-UC",
    "e2fsprogs": "MIT",
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gflags": "BSD-3-Clause",
    "glibc": "LGPL-2.1-or-later",
    "gmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "gnutls28": "LGPL-2.1-or-later",
    "icu": "Unicode-DFS-2016",
    "keyutils": "LGPL-2.0-or-later",
    "krb5": "MIT",
    "libffi": "MIT",
    "libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libtasn1-6": "LGPL-2.1-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libzstd": "BSD-3-Clause",
    "lz4": "BSD-2-Clause",
    "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "nghttp2": "MIT",
    "openldap": "OLDAP-2.8",
    "openssl": "Apache-2.0",
    "p11-kit": "BSD-3-Clause",
    "postgresql-15": "PostgreSQL",
    "protobuf-c": "BSD-2-Clause",
    "rocksdb": "Apache-2.0 OR GPL-2.0-only",
    "snappy": "BSD-3-Clause",
    "zlib": "Zlib",
}
# Code of others that a Swift package holds: by its module the name, the licence, and the file with
# its version, if there is one.
HELD = {
    "CNIOBoringSSL": ("boringssl", "OpenSSL AND ISC AND MIT", "hash.txt"),
    "CNIOLLHTTP": ("llhttp", "MIT", "include/c_nio_llhttp.h"),
    "CYaml": ("libyaml", "MIT", None),
}
# What the static runtime of Swift holds.
RUNTIME = {
    "libdispatch.a": ("swift-corelibs-libdispatch", "Apache-2.0 WITH Swift-exception"),
    "libFoundationEssentials.a": ("swift-foundation", "Apache-2.0 WITH Swift-exception"),
    "libFoundation.a": ("swift-corelibs-foundation", "Apache-2.0 WITH Swift-exception"),
    "lib_FoundationICU.a": ("swift-foundation-icu", "Unicode-3.0"),
}


class Unknown(Exception):
    """Something is linked of which the tables know nothing."""


@dataclasses.dataclass(frozen=True)
class Part:
    """A package that is linked."""

    name: str
    version: str
    license: str
    # How it comes in: STATIC_LINK, DYNAMIC_LINK, or CONTAINS for what the part `holder` holds.
    link: str
    purl: str = ""
    source: str = "NOASSERTION"
    info: str = ""
    holder: str = ""

    @property
    def id(self):
        words = re.sub(r"[^A-Za-z0-9.]+", "-", f"{self.holder} {self.name} {self.version}")
        return "SPDXRef-Package-" + words.strip("-")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# What is linked statically


def modules(build):
    """The modules whose objects the linker was given, of all programs."""
    found = set()
    for program in PROGRAMS:
        listed = (build / f"{program}.product" / "Objects.LinkFileList").read_text()
        found |= set(re.findall(r"/([^/\n]+)\.build/", listed))
    return found


def holders(modules, checkouts):
    """The folder of the package that each module comes from; our own are left out."""
    own = {path.name for path in (ROOT / "Sources").iterdir()}
    found = {}
    for module in sorted(modules - own):
        folders = [path for path in checkouts.glob(f"*/Sources/{module}") if path.is_dir()]
        if len(folders) != 1:
            raise Unknown(f"{module} is linked, and {len(folders)} packages have a source of it")
        found[module] = folders[0].relative_to(checkouts).parts[0]
    return found


def swift_parts(build, checkouts, pins):
    """The Swift packages that are linked, with what they hold of others."""
    by_folder = holders(modules(build), checkouts)
    parts = []
    for folder in sorted(set(by_folder.values()), key=str.lower):
        identity = folder.lower()
        if identity not in pins:
            raise Unknown(f"{folder} is linked, and is not in Package.resolved")
        if identity not in SWIFT_LICENSES:
            raise Unknown(f"{folder} is linked: add its licence to Packaging/sbom.py")
        pin = pins[identity]
        version = pin["state"].get("version") or pin["state"]["revision"]
        place = pin["location"].removesuffix(".git")
        parts.append(Part(
            identity, version, SWIFT_LICENSES[identity], "STATIC_LINK",
            purl=f"pkg:swift/{place.removeprefix('https://')}@{version}",
            source=f"git+{place}@{version}", info=f"git revision {pin['state']['revision']}"))
        for module, (name, license, file) in HELD.items():
            if by_folder.get(module) == folder:
                parts.append(Part(
                    name, held_version(checkouts / folder / "Sources" / module, file), license,
                    "CONTAINS", holder=identity, info=f"as the module {module} of {identity}"))
    return parts


def read_pins(path):
    """The Swift packages of a Package.resolved, by their names."""
    return {pin["identity"]: pin for pin in json.loads(path.read_text())["pins"]}


def check_pins(used, wanted):
    """Each package that is used has the version and the revision of a release, and none is more."""
    unlike = []
    for name in sorted(used.keys() | wanted.keys()):
        ours, theirs = (
            found[name]["state"] if name in found else {} for found in (used, wanted))
        if ours != theirs:
            unlike.append(f"{name} is {worded(ours)}, and a release has {worded(theirs)}")
    if unlike:
        raise Unknown(
            "; ".join(unlike) + ". Run cp Packaging/Package.resolved . and build again, or put "
            "yours there")


def worded(state):
    """The version of a package, with the revision, which a tag may leave."""
    return f"{state.get('version')} of {state['revision'][:12]}" if state else "missing"


def held_version(folder, file):
    """The version that a file of held code tells; the empty text if none does."""
    path = folder / file if file else None
    if path is None or not path.exists():
        return ""
    text = path.read_text()
    revision = re.search(r"revision ([0-9a-f]{40})", text)
    numbers = re.findall(r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)
    return revision[1] if revision else ".".join(numbers)


def runtime_parts(build, swift):
    """Swift's own runtime, which is linked statically into packages."""
    version = re.search(r"Swift version (\S+)", run(swift, "--version"))[1]
    license = "Apache-2.0 WITH Swift-exception"
    parts = [Part(
        "swift-runtime", version, license, "STATIC_LINK",
        purl=f"pkg:swift/github.com/swiftlang/swift@{version}",
        source=f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE")]
    library = pathlib.Path(run("which", swift).strip()).resolve().parents[1] / "lib/swift_static"
    for file, (name, license) in RUNTIME.items():
        if not (library / "linux" / file).exists():
            raise Unknown(f"the runtime has no {file} any more: see Packaging/sbom.py")
        parts.append(Part(name, version, license, "STATIC_LINK", info="of Swift's toolchain"))
    return parts


# What is linked dynamically


def libraries(program):
    """The files of the libraries that the loader finds for a program."""
    lines = run("ldd", str(program))
    if "not found" in lines:
        raise Unknown(f"a library of {program} is missing:\n{lines}")
    return set(re.findall(r"(/\S+) \(0x", lines))


def owner(file):
    """The Debian package that a file came with.

    A system whose /lib is a link to /usr/lib knows a file by one of two names.
    """
    real = os.path.realpath(file)
    for name in (real, real.removeprefix("/usr"), "/usr" + real):
        done = subprocess.run(["dpkg", "--search", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(": ")[0].split(",")[0].split(":")[0]
    raise Unknown(f"{file} is loaded, and no Debian package has it")


def debian_parts(build):
    """The Debian packages of the libraries that are loaded, with all that these load."""
    files = set().union(*(libraries(build / program) for program in PROGRAMS))
    # The runtime of Swift is linked statically into packages; a look at another build names it too.
    files = {file for file in files if "/lib/swift/" not in file}
    parts = []
    for package in sorted({owner(file) for file in files}):
        form = "${source:Package}\t${Version}\t${Architecture}\n"
        source, version, kind = run(
            "dpkg-query", "--show", f"--showformat={form}", package).splitlines()[0].split("\t")
        if source not in DEBIAN_LICENSES:
            raise Unknown(f"{package} is linked: add the licence of {source} to Packaging/sbom.py")
        parts.append(Part(
            package, version, DEBIAN_LICENSES[source], "DYNAMIC_LINK",
            purl=f"pkg:deb/debian/{package}@{version}?arch={kind}&distro=debian-12",
            info=f"Debian's source package {source}"))
    return parts


# The bill


def described(part):
    package = {
        "SPDXID": part.id, "name": part.name, "versionInfo": part.version,
        "downloadLocation": part.source, "filesAnalyzed": False,
        "licenseConcluded": part.license, "licenseDeclared": part.license,
        "copyrightText": "NOASSERTION", "sourceInfo": part.info,
        "primaryPackagePurpose": "LIBRARY",
    }
    if part.purl:
        package["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": part.purl.replace("+", "%2B")}]
    return {key: value for key, value in package.items() if value != ""}


def address():
    """The address of the project, which one file names."""
    return (ROOT / "Packaging" / "address.txt").read_text().strip()


def bill(version, parts, seconds):
    """The document for these parts; the same parts make the same one."""
    main = {
        "SPDXID": "SPDXRef-Package-relationd", "name": "relationd", "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": OURS, "licenseDeclared": OURS, "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "comment": "The programs relationd and relationctl. The versions of Debian's packages are "
                   "those that they were built against; an installed system may have others, "
                   "within the package's Depends.",
    }
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"])]
    ids = {part.name: part.id for part in parts if not part.holder}
    for part in parts:
        relations.append((ids.get(part.holder, main["SPDXID"]), part.link, part.id))
    packages = [main, *(described(part) for part in parts)]
    digest = hashlib.sha256(json.dumps(packages, sort_keys=True).encode()).hexdigest()[:16]
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"relationd-{version}",
        "documentNamespace": f"{address()}/spdx/relationd-{version}-{digest}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: relation-chain-sbom"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            for one, kind, other in relations
        ],
    }


def notices(parts, checkouts):
    """Who wrote what is linked statically, with the texts that the licences ask to be kept."""
    texts = [
        "relationd and relationctl: Apache-2.0\nCopyright 2026 the authors of relation-chain",
        "The text of Apache-2.0 is in /usr/share/common-licenses/Apache-2.0 of every Debian.\n"
        "Loaded libraries have a file like this one in their own packages.",
    ]
    for part in parts:
        if part.link == "DYNAMIC_LINK":
            continue
        texts.append(f"{'-' * 80}\n{part.name} {part.version}".rstrip() + f": {part.license}")
        folder = next((one for one in checkouts.iterdir() if one.name.lower() == part.name), None)
        for file in sorted(folder.glob("NOTICE*")) if folder else []:
            texts.append(file.read_text().strip("\n"))
        if folder and "Apache" not in part.license:
            texts.append((folder / "LICENSE").read_text().strip("\n"))
    return "\n\n".join(texts) + "\n"


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--pins", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--version")
    parser.add_argument("--bill", type=pathlib.Path)
    parser.add_argument("--notices", type=pathlib.Path)
    parser.add_argument("--swift", default=os.environ.get("SWIFT", "swift"))
    options = parser.parse_args(arguments)
    used = read_pins(ROOT / "Package.resolved")
    try:
        check_pins(used, read_pins(RELEASED))
        if options.pins:
            return
        if None in (options.build, options.version, options.bill):
            parser.error("--build, --version and --bill are needed")
        build = options.build.resolve()
        checkouts = build.parents[1] / "checkouts"
        parts = [
            *swift_parts(build, checkouts, used), *runtime_parts(build, options.swift),
            *debian_parts(build),
        ]
    except Unknown as unknown:
        sys.exit(f"sbom.py: {unknown}")
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or datetime.datetime.now().timestamp())
    options.bill.write_text(json.dumps(bill(options.version, parts, seconds), indent=2) + "\n")
    if options.notices:
        options.notices.write_text(notices(parts, checkouts))


if __name__ == "__main__":
    main(sys.argv[1:])
