"""The sources of the client in PHP, as a zip that Composer takes."""

import os
import time
import zipfile

from contract import camel

# Zip keeps no time before this one.
EPOCH = 315532800
HEAD = """<?php

declare(strict_types=1);

namespace Relation\\Client;

"""


def call(contract, name, method):
    """The methods of a call."""
    answer = f"V1\\{method.response}"
    arguments = f"'{method.path}', $request, {answer}::class"
    own = camel(method.name)
    if method.client_streams:
        return (f"    /** @param iterable<V1\\{method.request}> $requests */\n"
                f"    public function {own}(iterable $requests, array $options = []): Stream\n"
                f"    {{\n"
                f"        return $this->client->stream(\n"
                f"            '{method.path}', $requests, {answer}::class, $options);\n    }}\n")
    head = f"    public function {own}(V1\\{method.request} $request, array $options = [])"
    if method.server_streams:
        return (f"{head}: Stream\n    {{\n        return $this->client->stream(\n"
                f"            '{method.path}', [$request], {answer}::class, $options);\n    }}\n")
    writes = str(method.writes).lower()
    made = (f"{head}: {answer}\n    {{\n        return $this->client->call(\n"
            f"            {arguments},\n            {writes}, $options);\n    }}\n")
    if method.items is None:
        return made
    again = "V1\\%s $request, array $options = []" % method.request
    made += (f"\n    /** @return \\Generator<{answer}> */\n"
             f"    public function {own}Pages({again}): \\Generator\n    {{\n"
             f"        $call = fn (V1\\{method.request} $asked) =>\n"
             f"            $this->{own}($asked, $options);\n"
             f"        return Client::pages($call, $request);\n    }}\n")
    if method.items:
        getter = "get" + "".join(word.capitalize() for word in method.items.split("_"))
        made += (f"\n    /** Each item of all pages. */\n"
                 f"    public function {own}All({again}): \\Generator\n    {{\n"
                 f"        foreach ($this->{own}Pages($request, $options) as $page) {{\n"
                 f"            foreach ($page->{getter}() as $item) {{\n"
                 f"                yield $item;\n            }}\n        }}\n    }}\n")
    return made


def service(contract, name, methods):
    calls = "\n".join(call(contract, name, method) for method in methods)
    return (f"{HEAD}use Relation\\V1;\n\n"
            f"/** The calls of {name}Service. Made by Packaging/clients. */\n"
            f"final class {name}Service\n{{\n"
            "    public function __construct(private readonly Client $client) {}\n\n"
            f"{calls}}}\n")


def services(contract, version):
    names = list(contract.services)
    return "".join([
        f"{HEAD}/** All services. Made by Packaging/clients. */\nabstract class Services\n{{\n",
        f"    public const VERSION = '{version}';\n\n",
        *(f"    public readonly {name}Service ${camel(name)};\n" for name in names),
        "\n    protected function __construct(Client $client)\n    {\n",
        *(f"        $this->{camel(name)} = new {name}Service($client);\n" for name in names),
        "    }\n}\n"])


def build(build):
    """Makes the sources and packs them; returns the path of the zip."""
    (build.source / "generated").mkdir()
    build.protoc(f"--php_out={build.source / 'generated'}")
    for item in build.contract.services.items():
        build.write(f"src/{item[0]}Service.php", service(build.contract, *item))
    build.write("src/Services.php", services(build.contract, build.version))
    composer = build.source / "composer.json"
    composer.write_text(composer.read_text().replace('"VERSION"', f'"{build.version}"'))
    return pack(build.source, build.out / f"relation-client-php-{build.version}.zip")


def pack(source, path):
    """The files of a folder as a zip; the same files make the same bytes."""
    moment = max(int(os.environ.get("SOURCE_DATE_EPOCH") or 0), EPOCH)
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(source.rglob("*")):
            if file.is_file():
                entry = zipfile.ZipInfo(str(file.relative_to(source)), time.gmtime(moment)[:6])
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, file.read_bytes())
    return path
