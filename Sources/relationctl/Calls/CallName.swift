import ContractText
import Protobuf
import RelationAPI

/// The name of a call as a person types it, in any case, with or without its service.
enum CallName {
    /// All calls by their short names, for completion.
    static var all: [String] { ServiceTable.all.map(\.name) }

    /// The call of this name.
    ///
    /// - Throws: ``Failure``, which offers the calls that were perhaps meant.
    static func method(_ text: String) throws -> AnyMethod {
        guard !text.isEmpty else {
            throw Failure(
                "the name of the call is empty: 'relationctl methods' lists all calls", .misuse)
        }
        let wanted = NearNames.plain(text)
        let found = ServiceTable.all.first { method in
            [
                method.name, "\(method.service)/\(method.name)", method.path,
                String("\(method.service)/\(method.name)".split(separator: ".").last ?? ""),
            ]
            .contains { NearNames.plain($0) == wanted }
        }
        if let found { return found }
        let ours = try ContractEntries().foreign(text).filter { $0.kind == .call }.map(\.name)
        guard ours.isEmpty else {
            throw Failure("no call \(text): here it is \(ours.joined(separator: " or "))", .misuse)
        }
        let words =
            NearNames.question(for: String(wanted.split(separator: "/").last ?? ""), among: all)
            ?? "'relationctl methods' lists all calls"
        throw Failure("no call \(text): \(words)", .misuse)
    }
}
