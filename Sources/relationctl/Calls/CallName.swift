import Protobuf
import RelationAPI
import RelationModel

/// The name of a call as a person types it, in any case, with or without its service.
enum CallName {
    /// The most calls that are offered in the place of one that is not known.
    static let mostOffered = 3

    /// All calls by their short names, for completion.
    static var all: [String] { ServiceTable.all.map(\.name) }

    /// The call of this name.
    ///
    /// - Throws: ``Failure``, which offers the calls that were perhaps meant.
    static func method(_ text: String) throws -> AnyMethod {
        let wanted = plain(text)
        let found = ServiceTable.all.first { method in
            [
                method.name, "\(method.service)/\(method.name)", method.path,
                String("\(method.service)/\(method.name)".split(separator: ".").last ?? ""),
            ]
            .contains { plain($0) == wanted }
        }
        if let found { return found }
        let meant = offers(for: String(wanted.split(separator: "/").last ?? ""))
        let words =
            meant.isEmpty
            ? "'relationctl methods' lists all calls"
            : "did you mean \(meant.joined(separator: " or "))?"
        throw Failure("no call \(PlainTable.plain(text)): \(words)", .misuse)
    }

    /// The known names that are nearest, the nearest first.
    private static func offers(for wanted: String) -> [String] {
        guard wanted.count >= 2, wanted.count <= 64 else { return [] }
        let near = all.compactMap { name -> (name: String, distance: Int)? in
            let known = plain(name)
            if known.contains(wanted) { return (name, 1) }
            let distance = WordDistance.between(wanted, known)
            return distance <= max(2, wanted.count / 3) ? (name, distance) : nil
        }
        return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .prefix(mostOffered).map(\.name)
    }

    private static func plain(_ name: String) -> String {
        String(name.lowercased().drop { $0 == "/" }.filter { $0 != "-" && $0 != "_" })
    }
}
