"""The packages of clients as a user has them: installed in a new place, without a network."""

import importlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

from relationd import ROOT

CLIENTS = ROOT / "Packaging" / "clients"
CONTRACT = ROOT / "Tests" / "Contract"
HERE = pathlib.Path(__file__).resolve().parent
MOST_LINES = 40
MALFORMED = '"status": "INTERNAL", "reason": "MALFORMED_MESSAGE"'
MALFORMED_OF_WEB = MALFORMED.replace("INTERNAL", "INVALID_ARGUMENT")


def run(*command, **options):
    """Runs a command to its end; it must succeed."""
    options = {"capture_output": True, "text": True, "timeout": 1800, **options}
    done = subprocess.run([str(word) for word in command], **options)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build(out, *languages, contract):
    """Builds packages, from the contract that the tree has."""
    run(sys.executable, CLIENTS / "clients.py", *languages, "--out", out, "--contract", contract)


def example(language, mark):
    """The program that the page of a language has in its first block of code."""
    page = (CLIENTS / language / "README.md").read_text()
    program = re.search(rf"```{mark}\n(.*?)```", page, re.S)[1]
    assert program.count("\n") <= MOST_LINES
    return program


def expressible(case, cannot):
    """Whether a client can make a case: it may lack kinds of streams, or bytes of its own."""
    text = json.dumps(case)
    has_bytes = '"extra"' in text or '"decode"' in text
    return not (cannot & set(case.get("needs", []))) and not ("bytes" in cannot and has_bytes)


def lay_cases(folder, cannot, web=False):
    """The cases that a client can make, below a new folder; returns how many there are.

    In the protocols of the web, bytes that are not a message are INVALID_ARGUMENT (docs/web.md).
    """
    count = 0
    for path in CONTRACT.glob("cases/*/*.json"):
        file = json.loads(path.read_text())
        file["cases"] = [case for case in file["cases"] if expressible(case, cannot)]
        count += len(file["cases"])
        to = folder / path.relative_to(CONTRACT)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file["cases"]:
            text = json.dumps(file)
            to.write_text(text.replace(MALFORMED, MALFORMED_OF_WEB) if web else text)
    return count


class Language:
    """The client of one language. A subclass says how it is installed and run."""

    name: str
    # The mark of its blocks of code.
    mark: str
    # Whether it speaks gRPC; the others speak Connect.
    grpc = True
    # The variable that names a file of authorities.
    variable: str
    # The needs of cases that it cannot meet; `bytes` are bytes that no message has.
    cannot = frozenset()

    def __init__(self, built, folder):
        self.built, self.folder = built / self.name, folder
        self.install()

    def install(self):
        raise NotImplementedError

    def program(self, name, text):
        """Makes a program of a text; returns the command that runs it."""
        raise NotImplementedError

    def cases(self, address):
        """Runs the contract's cases; returns what the runner says, and how many there are."""
        raise NotImplementedError

    def trusting(self, authority):
        """The environment in which a program trusts an authority, without a word in it."""
        return {self.variable: str(authority)}

    def faults(self):
        """The program of Tests/Clients that adds a friend and follows changes."""
        (path,) = (HERE / self.name).glob("[Ff]aults.*")
        return path.read_text()


class Python(Language):
    name = mark = "python"
    variable = "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"

    def install(self):
        # The one step with a network: what a program has anyhow. The wheel has none.
        wheels = ROOT / ".build-clients" / "wheels"
        (wheel,) = self.built.glob("*.whl")
        needs = (self.built / "source/requirements.txt").read_text().replace(">=", "==").split()
        pins = [*needs, "grpcio-tools==" + needs[0].partition("==")[2],
                "grpcio-status==" + needs[0].partition("==")[2]]
        run(sys.executable, "-m", "pip", "download", "--quiet", "--dest", wheels, *pins)
        run(sys.executable, "-m", "venv", self.folder / "venv")
        self.python = self.folder / "venv/bin/python"
        offline = ["install", "--quiet", "--no-index", "--find-links", wheels]
        run(self.python, "-m", "pip", *offline, wheel)
        self.for_cases = [self.python, "-m", "pip", *offline, *pins]

    def program(self, name, text):
        path = self.folder / f"{name}.py"
        path.write_text(text)
        return [self.python, path]

    def cases(self, address):
        run(*self.for_cases)
        count = lay_cases(self.folder, self.cannot)
        shutil.copytree(CONTRACT / "python", self.folder / "python", dirs_exist_ok=True)
        runner = self.folder / "python/run.py"
        return run(self.python, HERE / "python/cases.py", runner, address), count


class TypeScript(Language):
    name, mark, grpc = "typescript", "js", False
    variable = "NODE_EXTRA_CA_CERTS"
    # ProtoJSON has no bytes that no message has.
    cannot = frozenset({"unknownFields", "bytes"})

    def install(self):
        (tarball,) = self.built.glob("*.tgz")
        (self.folder / "package.json").write_text('{"private": true, "type": "module"}')
        run("npm", "install", "--silent", "--offline", "--no-audit", tarball, cwd=self.folder)

    def program(self, name, text):
        path = self.folder / f"{name}.mjs"
        path.write_text(text)
        return ["node", path]

    def cases(self, address):
        count = lay_cases(self.folder, self.cannot)
        runner = (CONTRACT / "node/run.mjs").read_text()
        for module, installed in (("grpc", "./grpc.mjs"), ("protobuf", "./protobuf.mjs")):
            before = f'"../../../Examples/Node/{module}.mjs"'
            assert before in runner
            runner = runner.replace(before, f'"{installed}"')
        node = self.folder / "node"
        node.mkdir(exist_ok=True)
        (node / "run.mjs").write_text(runner)
        (node / "protobuf.mjs").write_text("export class Contract {}\n")
        shutil.copy(HERE / "typescript/grpc.mjs", node)
        (node / "empty.json").write_text("{}")
        empty = node / "empty.json"
        return run("node", node / "run.mjs", empty, empty, address), count


class Go(Language):
    name = mark = "go"
    variable = "SSL_CERT_FILE"
    # Debian's modules, with the versions that they have there, and what they need of each other.
    DEBIAN = {
        "google.golang.org/grpc": "v1.33.3", "google.golang.org/protobuf": "v1.28.1",
        "github.com/golang/protobuf": "v1.5.2", "golang.org/x/net": "v0.7.0",
        "golang.org/x/sys": "v0.5.0", "golang.org/x/text": "v0.7.0",
        "google.golang.org/genproto": "v0.0.0-20200526211855-cb27e3aa2013",
    }

    def mirror(self):
        """A proxy of modules with Debian's sources, and nothing else."""
        pack = importlib.import_module("build_go").pack
        for module, version in self.DEBIAN.items():
            copy = self.folder / "debian" / module
            shutil.copytree(f"/usr/share/gocode/src/{module}", copy,
                            ignore=shutil.ignore_patterns("go.sum"))
            # Debian has some modules in the folder of another one.
            for inner in copy.rglob("go.mod"):
                inner.unlink()
            needs = "".join(f"\t{name} {number}\n" for name, number in self.DEBIAN.items()
                            if name != module)
            (copy / "go.mod").write_text(f"module {module}\n\ngo 1.18\n\nrequire (\n{needs})\n")
            pack(copy, self.folder / "proxy", module, version)
            shutil.rmtree(copy)

    def install(self):
        sys.path.insert(0, str(CLIENTS))
        self.mirror()
        home = self.folder / "home"
        self.options = {"cwd": self.folder / "module", "env": {
            "PATH": "/usr/bin:/bin", "HOME": str(home), "GOFLAGS": "-mod=mod -modcacherw",
            "GOPROXY": f"file://{self.built}/proxy,file://{self.folder}/proxy", "GOSUMDB": "off",
        }}
        (self.folder / "module").mkdir()
        home.mkdir()
        (self.module,) = re.findall(r"^module (.*)", (CLIENTS / "go/go.mod").read_text())
        run("go", "mod", "init", "example", **self.options)
        (version,) = (self.built / "proxy" / self.module / "@v/list").read_text().split()
        run("go", "get", f"{self.module}@{version}", **self.options)

    def program(self, name, text):
        folder = self.folder / "module" / name
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.go").write_text(text)
        run("go", "build", "-o", folder / "program", f"./{name}", **self.options)
        return [folder / "program"]

    def cases(self, address):
        runner = (CONTRACT / "go/run.go").read_text()
        before = "grpc.Dial(os.Args[1], grpc.WithInsecure())"
        assert before in runner
        runner = runner.replace(before, "dial(os.Args[1])")
        (self.folder / "module/cases").mkdir()
        shutil.copy(HERE / "go/channel.go", self.folder / "module/cases")
        count = lay_cases(self.folder, self.cannot)
        files = sorted((self.folder / "cases").glob("*/*.json"))
        return run(*self.program("cases", runner), address, *files), count


class Java(Language):
    name = mark = "java"
    variable = "JAVA_TOOL_OPTIONS"
    PASSWORD = "changeit"
    # A program takes the jar from the built repository, and the rest from Debian's. That has no
    # package of Google's common protos, which grpc-protobuf names and the client does not use.
    SETTINGS = """<settings><localRepository>{home}</localRepository><mirrors><mirror>
        <id>debian</id><mirrorOf>central</mirrorOf><url>file:///usr/share/maven-repo</url>
        </mirror></mirrors></settings>"""
    POM = """<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId>
        <artifactId>x</artifactId><version>1</version>
        <properties><maven.compiler.release>17</maven.compiler.release></properties>
        <repositories><repository><id>built</id><url>file://{built}/repository</url>
        </repository></repositories><dependencies><dependency><groupId>{group}</groupId>
        <artifactId>relation-client</artifactId><version>{version}</version>
        <exclusions><exclusion><groupId>com.google.api.grpc</groupId>
        <artifactId>proto-google-common-protos</artifactId></exclusion></exclusions>
        </dependency></dependencies></project>"""

    def install(self):
        (jar,) = [path for path in self.built.glob("repository/**/*.jar")
                  if "sources" not in path.name]
        self.group = ".".join(jar.relative_to(self.built / "repository").parts[:-3])
        self.version = jar.parent.name
        home = self.folder / "home"
        (self.folder / "settings.xml").write_text(self.SETTINGS.format(home=home))
        debian = sorted(pathlib.Path("/usr/share/java").glob("*.jar"))
        wanted = re.compile(
            r"(grpc|netty)-[a-z0-9-]+|protobuf(-util)?|gson|guava|failureaccess|perfmark-api|"
            r"geronimo-annotation-1.3-spec")
        # What runs a program: the jar that Maven has put into its own repository, and Debian's.
        self.path = [f"{home}/{self.group.replace('.', '/')}/relation-client/{self.version}/"
                     f"relation-client-{self.version}.jar",
                     *(str(path) for path in debian if wanted.fullmatch(path.stem))]
        # Debian's Netty has ALPN by OpenSSL alone, whose library it looks for under another name.
        (openssl,) = pathlib.Path("/usr/lib").glob("*/jni/libnetty-tcnative.so")
        (self.folder / "jni").mkdir()
        shutil.copy(openssl, self.folder / "jni/libnetty_tcnative.so")

    def trusting(self, authority):
        store = self.folder / "trusted"
        run("keytool", "-importcert", "-noprompt", "-file", authority, "-alias", "tests",
            "-keystore", store, "-storepass", self.PASSWORD)
        of_store = "-Djavax.net.ssl.trustStore"
        return {self.variable: f"{of_store}={store} {of_store}Password={self.PASSWORD}"}

    def program(self, name, text):
        folder = self.folder / name
        source = folder / "src/main/java"
        source.mkdir(parents=True)
        (folder / "pom.xml").write_text(self.POM.format(
            built=self.built, group=self.group, version=self.version))
        main = re.search(r"class (\w+) \{\n.*? static void main", text, re.S)[1]
        (source / f"{main}.java").write_text(text)
        run("mvn", "--batch-mode", "--quiet", "--settings", self.folder / "settings.xml",
            "compile", cwd=folder)
        return ["java", f"-Djava.library.path={self.folder}/jni", "-cp",
                ":".join([f"{folder}/target/classes", *self.path]), main]

    def cases(self, address):
        runner = (CONTRACT / "java/Run.java").read_text()
        channel = "ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build()"
        assert channel in runner
        client = f"{self.group}.client"
        runner = runner.replace(
            channel, f"{client}.RelationClient.to(arguments[0])"
            f".retries({client}.RetryPolicy.NONE).open().channel()")
        folder = self.folder / "cases-runner"
        folder.mkdir()
        (folder / "Run.java").write_text(runner)
        examples = ROOT / "Examples"
        run("protoc", f"-I{examples}", f"--java_out={folder}", examples / "rpc_details.proto")
        path = ":".join([str(folder), *self.path])
        run("javac", "-nowarn", "-proc:none", "-cp", path, "-d", folder,
            *folder.rglob("*.java"))
        count = lay_cases(self.folder, self.cannot)
        files = sorted((self.folder / "cases").glob("*/*.json"))
        return run("java", "-cp", path, "Run", address, *files), count


class Php(Language):
    name, mark, grpc = "php", "php", False
    variable = "PHP_INI_SCAN_DIR"
    # Curl sends a request before it reads.
    cannot = frozenset({"bidirectional", "earlyAnswer"})
    # In place of Composer, which this machine may not have: what composer.json says of classes.
    LOADER = """<?php spl_autoload_register(function (string $class) {
        foreach (%s as $prefix => $folder)
            if (str_starts_with($class, $prefix)) {
                $rest = str_replace('\\\\', '/', substr($class, strlen($prefix)));
                include __DIR__ . "/$folder$rest.php";
            }
        if (str_starts_with($class, 'Google') || str_starts_with($class, 'GPBMetadata\\\\Google'))
            include '/usr/share/php/' . str_replace('\\\\', '/', $class) . '.php';
    });\n"""

    def install(self):
        (archive,) = self.built.glob("*.zip")
        package = self.folder / "package"
        zipfile.ZipFile(archive).extractall(package)
        folders = json.loads((package / "composer.json").read_text())["autoload"]["psr-4"]
        rows = ", ".join("'%s' => '%s'" % (prefix.replace("\\", "\\\\"), folder)
                         for prefix, folder in folders.items())
        self.loader = package / "loader.php"
        self.loader.write_text(self.LOADER % f"[{rows}]")

    def trusting(self, authority):
        settings = self.folder / "settings"
        settings.mkdir()
        (settings / "trusted.ini").write_text(f"curl.cainfo={authority}\n")
        return {self.variable: f":{settings}"}  # Beside the folder that PHP reads anyhow.

    def program(self, name, text):
        path = self.folder / f"{name}.php"
        path.write_text(text.replace("/vendor/autoload.php", "/package/loader.php"))
        loader = ["-d", f"auto_prepend_file={self.loader}"]
        return ["php", "-d", "display_errors=stderr", *loader, path]

    def cases(self, address):
        count = lay_cases(self.folder, self.cannot, web=True)
        runner = (CONTRACT / "php/run.php").read_text()
        loader = re.search(r"^spl_autoload_register.*\n", runner, re.M)[0]
        path = self.folder / "php"
        path.mkdir()
        (path / "run.php").write_text(
            runner.replace(loader, "require __DIR__ . '/client.php';\n"))
        shutil.copy(HERE / "php/client.php", path)
        command = self.program("unused", "")[:-1]
        return run(*command, path / "run.php", address), count


LANGUAGES = {language.name: language for language in (Python, TypeScript, Go, Java, Php)}
