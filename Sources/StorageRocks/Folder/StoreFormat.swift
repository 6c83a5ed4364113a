/// The format of a store's rows, as the file `FORMAT` of its folder says it.
///
/// ```
/// relation-chain store, format 6
/// relation-chain store, format 5, on its way to 6
/// ```
///
/// The second form is that of an upgrade that has begun: programs of the format before do not know
/// it, and leave such a folder alone.
struct StoreFormat: Equatable {
    /// The format that this program writes.
    ///
    /// The rows of format 5 had no identity of the store. Format 4 had two more indexes of friends
    /// and 64 feeds for each app, and format 3 the fields of the contract before v1.
    static let current = StoreFormat(number: 6)
    /// The oldest format that this program upgrades.
    static let oldest = 5

    var number: Int
    /// The format to which the rows are on their way.
    var next: Int?

    init(number: Int, next: Int? = nil) {
        self.number = number
        self.next = next
    }

    /// Reads the first line of the file; nil if it is not a format of a store.
    init?(line: String) {
        let words = line.split(separator: " ").map { String($0) }
        guard words.count == 4 || words.count == 9,
            let number = Int(words[3].prefix { $0.isNumber })
        else { return nil }
        self.init(number: number)
        if words.count == 9 {
            guard let next = Int(words[8]) else { return nil }
            self.next = next
        }
        guard self.line == line else { return nil }
    }

    /// The first line of the file.
    var line: String {
        let line = "relation-chain store, format \(number)"
        return next.map { "\(line), on its way to \($0)" } ?? line
    }

    /// Whether this program opens such a store, if need be after an upgrade.
    var isKnown: Bool {
        (Self.oldest...Self.current.number).contains(number)
            && (next ?? Self.current.number) <= Self.current.number
    }

    var isCurrent: Bool { self == Self.current }
}
