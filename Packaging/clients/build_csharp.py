"""The sources of the client in C#, as a project that dotnet builds and packs."""

from build_php import pack

HEAD = """\
// Made by Packaging/clients.
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Relation.Client
{
"""


def call(method):
    """The methods of a call."""
    request, answer = f"V1.{method.request}", f"V1.{method.response}"
    types = f"<{request}, {answer}>"
    if method.client_streams or method.server_streams:
        taken, given = f"{request} request", "new[] { request }"
        if method.client_streams:
            taken, given = f"IEnumerable<{request}> requests", "requests"
        return f"""\
        /// <summary>The call {method.name}.</summary>
        public AnswerStream<{answer}> {method.name}(
            {taken}, CallOptions options = null)
        {{
            return client.Stream{types}(
                "{method.path}", {given}, options);
        }}
"""
    writes = str(method.writes).lower()
    made = f"""\
        /// <summary>The call {method.name}.</summary>
        public Task<{answer}> {method.name}Async(
            {request} request, CallOptions options = null)
        {{
            return client.CallAsync{types}(
                "{method.path}", request, {writes}, options);
        }}
"""
    if method.items is None:
        return made
    return made + f"""
        /// <summary>Each page of {method.name}.</summary>
        public Pages{types} {method.name}Pages(
            {request} request, CallOptions options = null)
        {{
            return new Pages{types}(
                asked => {method.name}Async(asked, options), request);
        }}
"""


def service(name, methods):
    calls = "\n".join(call(method) for method in methods)
    return f"""{HEAD}    /// <summary>The calls of {name}Service.</summary>
    public sealed class {name}Service
    {{
        private readonly RelationClient client;

        internal {name}Service(RelationClient client)
        {{
            this.client = client;
        }}

{calls}    }}
}}
"""


def services(contract, version):
    properties = "".join(
        f"        /// <summary>The calls of {name}Service.</summary>\n"
        f"        public {name}Service {name} {{ get; private set; }}\n\n"
        for name in contract.services)
    made = "".join(
        f"            {name} = new {name}Service(client);\n" for name in contract.services)
    return f"""{HEAD}    /// <summary>All services.</summary>
    public abstract class Services
    {{
        /// <summary>The version of this package.</summary>
        public const string Version = "{version}";

{properties}        internal void MakeServices(RelationClient client)
        {{
{made}        }}
    }}
}}
"""


def build(build):
    """Makes the sources and packs them; returns the path of the zip."""
    (build.source / "generated").mkdir()
    build.protoc(f"--csharp_out={build.source / 'generated'}")
    for name, methods in build.contract.services.items():
        build.write(f"src/{name}Service.cs", service(name, methods))
    build.write("src/Services.cs", services(build.contract, build.version))
    project = build.source / "Relation.Client.csproj"
    project.write_text(project.read_text().replace(">VERSION<", f">{build.version}<"))
    return pack(build.source, build.out / f"relation-client-csharp-{build.version}.zip")
