"""The npm package of the client in TypeScript."""

import clients
import typescript_contract


def build(build):
    """Makes the sources, compiles and packs them; returns the path of the tarball."""
    build.write("src/contract.ts", typescript_contract.contract(build.contract))
    package = build.source / "package.json"
    package.write_text(package.read_text().replace('"VERSION"', f'"{build.version}"'))
    clients.run("tsc", "--project", build.source)
    clients.run("npm", "pack", "--silent", "--offline", "--pack-destination", build.out,
                cwd=build.source)
    (tarball,) = build.out.glob("*.tgz")
    return tarball
