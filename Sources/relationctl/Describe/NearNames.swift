import ContractText

/// The known names that are nearest to a name that is not known.
enum NearNames {
    /// The most names that are offered in the place of one that is not known.
    static let mostOffered = 3

    /// The nearest names, each once, the nearest first.
    ///
    /// A word of three letters is near the names of which one letter differs, or that have its
    /// letters in another order.
    ///
    /// - Parameter wanted: The name as ``plain(_:)`` makes it.
    static func offers(for wanted: String, among names: [String]) -> [String] {
        guard wanted.count >= 2, wanted.utf8.count <= Limits.comparedBytes else { return [] }
        let near = Set(names).compactMap { name -> (name: String, distance: Int)? in
            let known = plain(name)
            if known.contains(wanted) || (known.count > 2 && wanted.contains(known)) {
                return (name, 1)
            }
            let isShort = wanted.count <= 3 && wanted.sorted() != known.sorted()
            let most = isShort ? 1 : max(2, wanted.count / 3)
            guard abs(known.count - wanted.count) <= most else { return nil }
            let distance = Self.distance(wanted, known)
            return distance <= most ? (name, distance) : nil
        }
        return near.sorted {
            ($0.distance, $0.name.count, $0.name) < ($1.distance, $1.name.count, $1.name)
        }
        .prefix(mostOffered).map(\.name)
    }

    /// The question for the nearest names; nil if none is near.
    static func question(for wanted: String, among names: [String]) -> String? {
        let meant = offers(for: wanted, among: names)
        return meant.isEmpty ? nil : "did you mean \(meant.joined(separator: " or "))?"
    }

    /// A name without its case, and without `-` and `_` between words.
    static func plain(_ name: String) -> String {
        name.plainName
    }

    /// The letters to add, drop or change that make one word the other.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var left = row[0]
            row[0] = line + 1
            for (column, known) in other.enumerated() {
                let change = left + (letter == known ? 0 : 1)
                left = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, left + 1)
            }
        }
        return row[other.count]
    }
}
