"""The npm package of the client in TypeScript."""

import clients
import typescript_contract


def compile(build):
    """Makes the sources and compiles them, without npm; returns their folder."""
    build.write("src/contract.ts", typescript_contract.contract(build.contract))
    package = build.source / "package.json"
    package.write_text(package.read_text().replace('"VERSION"', f'"{build.version}"'))
    clients.run("tsc", "--project", build.source)
    return build.source


def build(build):
    """Compiles the sources and packs them; returns the path of the tarball."""
    compile(build)
    clients.run("npm", "pack", "--silent", "--offline", "--pack-destination", build.out,
                cwd=build.source)
    (tarball,) = build.out.glob("*.tgz")
    return tarball
