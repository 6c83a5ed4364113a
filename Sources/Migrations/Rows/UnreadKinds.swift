/// The kinds of rows that a pass over another system has not read whole, as a point of its file has
/// them.
///
/// A row that such a pass lacks may still be at the source, so a second pass removes nothing of it.
package struct UnreadKinds: Sendable, Equatable {
    /// The kinds of rows, such as `friend`; ``values`` stands for fields of rows that were read.
    package private(set) var kinds: Set<String>

    private static let prefix = "unread:"
    private static let lists: Set = ["profile", "group", "friend", "blacklist", "follow"]

    /// The kind that stands for fields of rows of a list.
    package static func values(_ list: String) -> String { "\(list).values" }

    package init(_ kinds: Set<String> = []) {
        self.kinds = kinds
    }

    /// The kinds that the losses of one user leave open.
    init(_ losses: [MigrationLoss]) {
        kinds = []
        for loss in losses where Self.lists.contains(loss.kind) {
            if loss.kind == "profile" || loss.isOfList
                || loss.rule == MigrationLoss.outside
            {
                kinds.insert(loss.kind)
            } else if !loss.field.isEmpty {
                kinds.insert(Self.values(loss.kind))
            }
        }
    }

    /// The kinds that a token of a point ends with; nil if it has none.
    package init?(token: String) {
        guard let last = token.split(separator: "-").last, last.hasPrefix(Self.prefix) else {
            return nil
        }
        kinds = Set(last.dropFirst(Self.prefix.utf8.count).split(separator: "+").map(String.init))
    }

    /// The end of a token, without the hyphens that part tokens.
    package var mark: String { Self.prefix + kinds.sorted().joined(separator: "+") }

    package var isEmpty: Bool { kinds.isEmpty }

    package func has(_ kind: String) -> Bool { kinds.contains(kind) }
}
