import Compression

/// The contract with its comments, as `make contract` writes it from `proto/`.
package struct ContractEntries: Sendable {
    /// One thing that has a name: a call, a field, a value.
    package struct Entry: Sendable {
        package enum Kind: Character, Sendable {
            case service = "S"
            case call = "C"
            case message = "M"
            case field = "F"
            case enumeration = "E"
            case value = "V"
        }

        package let kind: Kind
        /// The name of the service, message or enum that has it; empty for these themselves.
        package let parent: String
        /// The last part of the name.
        package let name: String
        /// The number of a field or a value.
        package let number: String
        /// The type of a field, or the messages of a call.
        package let type: String
        package fileprivate(set) var comment: [String] = []
        /// The names that TIM, RongCloud and Facebook have for it, as its comment tells them.
        package fileprivate(set) var foreignNames: [String] = []

        /// The name with that of its parent.
        package var fullName: String { parent.isEmpty ? name : "\(parent).\(name)" }

        /// The name of a value without the words of its enum: `THROTTLED` of
        /// `ERROR_REASON_THROTTLED`.
        package var shortName: String {
            guard kind == .value, name.plainName.hasPrefix(parent.plainName) else { return name }
            var left = parent.count
            let rest = name.drop { letter in
                if letter != "_" { left -= 1 }
                return left >= 0
            }
            return String(rest)
        }
    }

    package private(set) var entries: [Entry] = []

    /// Reads the text that the program has in it.
    package init() throws(ContractTextError) {
        let inflater = Inflater()
        let text: String
        do {
            text = try Descriptions.compressed.withUnsafeBytes { bytes in
                String(
                    decoding: try inflater.inflate(bytes, .zlib, limit: Limits.textBytes),
                    as: UTF8.self)
            }
        } catch {
            throw ContractTextError("\(error)")
        }
        var parent = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("|") || line.hasPrefix("=") {
                guard !entries.isEmpty else { throw ContractTextError("\(line)") }
                let rest = line.dropFirst()
                if line.hasPrefix("|") {
                    entries[entries.count - 1].comment.append(String(rest))
                } else {
                    entries[entries.count - 1].foreignNames += rest.split(separator: " ")
                        .map(String.init)
                }
                continue
            }
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 4, let letter = parts[0].first,
                let kind = Entry.Kind(rawValue: letter)
            else { throw ContractTextError("\(line)") }
            let name = String(parts[1])
            let isWhole = kind == .service || kind == .message || kind == .enumeration
            if isWhole { parent = name }
            entries.append(
                Entry(
                    kind: kind, parent: isWhole ? "" : parent, name: name,
                    number: String(parts[2]), type: String(parts[3])))
        }
    }

    /// The fields, calls or values of a message, a service or an enum.
    package func parts(of name: String) -> [Entry] { entries.filter { $0.parent == name } }

    /// The messages, enums, services and calls of this name; if there are none, the fields and
    /// values.
    ///
    /// A name as it is spelt here goes first, then one as it is spelt in another system, and then
    /// names of either in another spelling. A value may be named without the first words that all
    /// values of its enum share, and by its number.
    package func found(_ text: String) -> [Entry] {
        let prefix = "relation.v1."
        var bare = text.drop { $0 == "/" }
        if bare.lowercased().hasPrefix(prefix) { bare = bare.dropFirst(prefix.count) }
        let path = String(bare.map { $0 == "/" ? "." : $0 })
        let wanted = path.plainName
        // TIM's `addFriend` is a call, and our `AddFriend` a message.
        let spelt = entries.filter { $0.name == path || $0.fullName == path }
        if !spelt.isEmpty { return Self.largest(spelt) }
        // TIM's `addBlackList` is a call, and `ADD_BLACKLIST` a value without its enum's words.
        let exact = entries.filter { $0.foreignNames.contains(text) }
        if !exact.isEmpty { return Self.largest(exact) }
        let named = entries.filter { entry in
            entry.name.plainName == wanted || entry.fullName.plainName == wanted
        }
        if !named.isEmpty { return Self.largest(named) }
        let values = entries.filter { entry in
            entry.kind == .value
                && (entry.number == text || entry.shortName.plainName == wanted)
        }
        return values.isEmpty ? foreign(text) : values
    }

    /// The things that another system calls so; the calls, messages and enums among them if there
    /// are some.
    package func foreign(_ text: String) -> [Entry] {
        let wanted = text.plainName
        return Self.largest(
            entries.filter { entry in
                entry.foreignNames.contains { $0.plainName == wanted }
            })
    }

    private static func largest(_ found: [Entry]) -> [Entry] {
        let large = found.filter { $0.kind != .field && $0.kind != .value }
        return large.isEmpty ? found : large
    }

    /// The names for "did you mean".
    package var names: [String] {
        var known: Set<String> = []
        return entries.flatMap { [$0.name, $0.shortName] }.filter { known.insert($0).inserted }
    }
}

/// The text in the program is not what `make contract` writes.
package struct ContractTextError: Error, CustomStringConvertible {
    private let detail: String

    package var description: String { "the description in this program is broken: \(detail)" }

    init(_ detail: String) { self.detail = detail }
}

extension String {
    /// A name without its case, and without `-` and `_` between words.
    package var plainName: String {
        String(lowercased().drop { $0 == "/" }.filter { $0 != "-" && $0 != "_" })
    }
}
