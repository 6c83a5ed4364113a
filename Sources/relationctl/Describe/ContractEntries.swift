import Compression
import ContractText

/// The contract with its comments, as `make contract` writes it from `proto/`.
struct ContractEntries {
    /// One thing that has a name: a call, a field, a value.
    struct Entry {
        enum Kind: Character {
            case service = "S"
            case call = "C"
            case message = "M"
            case field = "F"
            case enumeration = "E"
            case value = "V"
        }

        let kind: Kind
        /// The name of the service, message or enum that has it; empty for these themselves.
        let parent: String
        /// The last part of the name.
        let name: String
        /// The number of a field or a value.
        let number: String
        /// The type of a field, or the messages of a call.
        let type: String
        var comment: [String] = []

        /// The name with that of its parent.
        var fullName: String { parent.isEmpty ? name : "\(parent).\(name)" }

        /// The name of a value without the words of its enum: `THROTTLED` of
        /// `ERROR_REASON_THROTTLED`.
        var shortName: String {
            guard kind == .value, NearNames.plain(name).hasPrefix(NearNames.plain(parent)) else {
                return name
            }
            var left = parent.count
            let rest = name.drop { letter in
                if letter != "_" { left -= 1 }
                return left >= 0
            }
            return String(rest)
        }
    }

    private(set) var entries: [Entry] = []

    /// Reads the text that the program has in it.
    init() throws {
        let inflater = Inflater()
        let text: String
        do {
            text = try Descriptions.compressed.withUnsafeBytes { bytes in
                String(
                    decoding: try inflater.inflate(bytes, .zlib, limit: Limits.contractBytes),
                    as: UTF8.self)
            }
        } catch {
            throw Failure("the description in this program is broken: \(error)")
        }
        var parent = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("|") {
                if !entries.isEmpty {
                    entries[entries.count - 1].comment.append(String(line.dropFirst()))
                }
                continue
            }
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 4, let letter = parts[0].first,
                let kind = Entry.Kind(rawValue: letter)
            else { throw Failure("the description in this program is broken: \(line)") }
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
    func parts(of name: String) -> [Entry] { entries.filter { $0.parent == name } }

    /// The messages, enums, services and calls of this name; if there are none, the fields and
    /// values.
    ///
    /// A value may be named without the first words that all values of its enum share, and by its
    /// number.
    func found(_ text: String) -> [Entry] {
        let prefix = "relation.v1."
        var bare = text.drop { $0 == "/" }
        if bare.lowercased().hasPrefix(prefix) { bare = bare.dropFirst(prefix.count) }
        let wanted = NearNames.plain(String(bare.map { $0 == "/" ? "." : $0 }))
        let named = entries.filter { entry in
            NearNames.plain(entry.name) == wanted || NearNames.plain(entry.fullName) == wanted
        }
        let large = named.filter { $0.kind != .field && $0.kind != .value }
        if !large.isEmpty { return large }
        if !named.isEmpty { return named }
        return entries.filter { entry in
            entry.kind == .value
                && (entry.number == text
                    || NearNames.plain(entry.shortName) == wanted)
        }
    }

    /// The names for "did you mean".
    var names: [String] {
        var known: Set<String> = []
        return entries.flatMap { [$0.name, $0.shortName] }.filter { known.insert($0).inserted }
    }
}
