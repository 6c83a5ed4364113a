package import AdminEndpoints
import ContractText

/// The files of the console, as endpoints of the admin listener.
///
/// The page is a program of the browser. It calls the service by Connect, with the credential that
/// its user types. Beside it stands the contract, as a page to read and as OpenAPI.
package enum ConsoleFiles {
    /// The folder of all files but the first.
    package static let folder = "/console/"

    /// The browser fetches nothing from elsewhere, runs no text as a program, and shows the page in
    /// no frame.
    static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """

    /// Each file by its path.
    package static var endpoints: [AdminEndpoint] {
        let pages = EmbeddedFile.all.compactMap { file in
            page(file).map { AdminEndpoint($0.path, isListed: false, $0.make) }
        }
        let contract = AdminEndpoint(folder + "contract.zz", isListed: false) {
            AdminAnswer(.zlib, content: Descriptions.compressed)
        }
        return pages + [contract]
    }

    private typealias Page = (path: String, make: @Sendable () -> AdminAnswer)

    /// Where a file is shown, and its answer, which is made when it is asked for; nil for a file
    /// that only says something of another.
    private static func page(_ file: EmbeddedFile) -> Page? {
        switch file.path {
        case "index.html": ("/", { AdminAnswer(.html, content: file.bytes, policy: policy) })
        case "policy.txt": nil
        case "reference.gz": ("/reference", { reference(file) })
        case "openapi.gz":
            ("/openapi.json", { AdminAnswer(.json, content: file.bytes, isCompressed: true) })
        case let path where path.hasSuffix(".css"):
            (folder + path, { AdminAnswer(.style, content: BareSource.of(file.bytes)) })
        default:
            (
                folder + file.path,
                {
                    AdminAnswer(
                        .script, content: BareSource.of(file.bytes, isScript: true), policy: policy)
                }
            )
        }
    }

    /// The contract as `make docs` writes it: compressed, and with a policy that has the hashes of
    /// the page's own style and script.
    private static func reference(_ file: EmbeddedFile) -> AdminAnswer {
        let policy = EmbeddedFile.all.first { $0.path == "policy.txt" }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
        return AdminAnswer(
            .html, content: file.bytes, policy: policy ?? self.policy, isCompressed: true)
    }
}
