"""The jar of the client in Java, in the layout of a Maven repository."""

import re
import shutil

import clients

# Debian's libraries: what the jar is compiled against.
JARS = """grpc-api grpc-context grpc-core grpc-netty grpc-protobuf grpc-protobuf-lite grpc-stub
protobuf guava geronimo-annotation-1.3-spec netty-buffer netty-codec netty-codec-http2 netty-common
netty-handler netty-transport""".split()


def services(contract, package):
    """A stub for each service, and which calls need a request id."""
    stubs = []
    for name in contract.services:
        stub = f"{name}ServiceGrpc.{name}ServiceBlockingStub"
        stubs += [f"  /** The calls of {name}Service. */",
                  f"  public {stub} {name[0].lower()}{name[1:]}() {{",
                  f"    return {name}ServiceGrpc.newBlockingStub(channel());", "  }", ""]
    writes = sorted(method.path[1:] for service in contract.services.values()
                    for method in service if method.writes and not method.server_streams)
    return "\n".join([
        f"package {package}.client;", "", f"import {package}.*;", "import io.grpc.Channel;",
        "import java.util.Set;", "", "/** All services. Made by Packaging/clients. */",
        "abstract class Services {", "  static final String VERSION = \"%s\";",
        "  /** The calls that are made twice only under a request id. */",
        "  static final Set<String> WRITES = Set.of(",
        ",\n".join(f'      "{path}"' for path in writes) + ");", "", "  Services() {}", "",
        "  /** The channel of all calls. */", "  public abstract Channel channel();", "", *stubs,
        "}", ""])


def build(build):
    """Makes the sources, the jars and their pom; returns the path of the jar."""
    package = build.contract.files[0].options.java_package
    java = build.source / "src/main/java"
    own = java / package.replace(".", "/") / "client"
    own.mkdir(parents=True)
    for file in (build.source / "src").glob("*.java"):
        shutil.move(file, own)
    (own / "Services.java").write_text(
        services(build.contract, package).replace("%s", build.version))
    plugin = clients.run("which", "grpc_java_plugin").strip()
    build.protoc(f"--java_out={java}", f"--grpc-java_out={java}",
                 f"--plugin=protoc-gen-grpc-java={plugin}")
    pom = build.source / "pom.xml"
    pom.write_text(pom.read_text().replace(">VERSION<", f">{build.version}<"))
    group, artifact = (re.search(f"<{tag}>(.*)</{tag}>", pom.read_text())[1]
                       for tag in ("groupId", "artifactId"))
    folder = build.out / "repository" / group.replace(".", "/") / artifact / build.version
    folder.mkdir(parents=True)
    stem = f"{artifact}-{build.version}"
    shutil.copy(pom, folder / f"{stem}.pom")
    classes = build.source / "target/classes"
    clients.run("javac", "-proc:none", "--release", "11", "-Xlint:-options", "-nowarn",
                "-cp", ":".join(f"/usr/share/java/{jar}.jar" for jar in JARS),
                "-d", classes, *sorted(java.rglob("*.java")))
    (classes / "META-INF").mkdir()
    shutil.copy(build.source / "LICENSE", classes / "META-INF")
    for name, content in ((f"{stem}.jar", classes), (f"{stem}-sources.jar", java)):
        clients.run("jar", "--create", "--file", folder / name, "-C", content, ".")
    return folder / f"{stem}.jar"
