/// The names of an enum's values.
public struct EnumSchema: Sendable {
    /// The names, in one object: calls look at the schemas of enums, and each copy of a list would
    /// be counted.
    private let names: Names

    private final class Names: Sendable {
        let fullName: String
        let values: [(number: Int32, name: String)]
        /// The meaning of each value in one sentence, in the same order; empty if the names are
        /// clear enough.
        let meanings: [String]
        /// The values in ascending order of the numbers, for the search.
        let sorted: [(number: Int32, name: String)]
        /// The first number from 0 on that no value has.
        let firstFree: UInt32
        /// The names in Swift that are not made of those of the contract.
        let spellings: [Int32: String]

        init(
            _ fullName: String, _ values: [(number: Int32, name: String)], _ meanings: [String],
            _ spellings: [Int32: String]
        ) {
            self.fullName = fullName
            self.values = values
            self.meanings = meanings
            self.spellings = spellings
            sorted = values.sorted { $0.number < $1.number }
            firstFree = sorted.reduce(0) { free, value in
                value.number == Int32(bitPattern: free) ? free + 1 : free
            }
        }
    }

    /// The name of the enum in the contract, "relation.v1.FriendStatus".
    public var fullName: String { names.fullName }

    /// The values, in the order of the contract.
    public var values: [(number: Int32, name: String)] { names.values }

    /// - Parameter spellings: The names in Swift of those values whose name is another one than the
    ///   contract's in the spelling of Swift.
    /// - Precondition: The first value is 0, as proto3 demands, and no number or name comes twice.
    package init(
        _ fullName: String, _ values: [(Int32, String)], spelled spellings: [Int32: String] = [:]
    ) {
        self.init(fullName, values, meanings: [], spellings)
    }

    /// A table of codes, each with a sentence that says when it is answered.
    package init(
        _ fullName: String, codes: [(Int32, String, meaning: String)],
        spelled spellings: [Int32: String] = [:]
    ) {
        self.init(
            fullName, codes.map { ($0.0, $0.1) }, meanings: codes.map(\.meaning), spellings)
    }

    private init(
        _ fullName: String, _ values: [(Int32, String)], meanings: [String],
        _ spellings: [Int32: String]
    ) {
        precondition(values.first?.0 == 0, "\(fullName): the first value of a proto3 enum is 0")
        names = Names(fullName, values.map { (number: $0.0, name: $0.1) }, meanings, spellings)
        let sorted = names.sorted
        precondition(
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.number != $1.number },
            "\(fullName): a number comes twice")
        precondition(
            Set(values.map(\.1)).count == values.count, "\(fullName): a name comes twice")
    }

    /// The contract's name of the value with that number; nil if the contract has none.
    public func name(of number: Int32) -> String? {
        index(of: number).map { names.sorted[$0].name }
    }

    /// Whether the contract names the value with that number.
    func names(_ number: Int32) -> Bool {
        // Most enums have all numbers up to their highest one.
        UInt32(bitPattern: number) < names.firstFree || index(of: number) != nil
    }

    private func index(of number: Int32) -> Int? {
        names.sorted.withUnsafeBufferPointer { sorted in
            var low = 0
            var high = sorted.count
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle].number < number { low = middle + 1 } else { high = middle }
            }
            return low < sorted.count && sorted[low].number == number ? low : nil
        }
    }

    /// The meaning of the value; nil if the enum is not a table of codes, or does not have the
    /// value.
    public func meaning(of number: Int32) -> String? {
        zip(values, names.meanings).first { $0.0.number == number }?.1
    }

    /// The number of the value with that name in the contract; nil if there is none.
    public func number(named name: String) -> Int32? {
        values.first { $0.name == name }?.number
    }

    /// The value as Swift writes it after a point, `.bothWay`; nil if the contract has no such
    /// value.
    package func swiftName(of number: Int32) -> String? {
        guard let name = name(of: number) else { return nil }
        if let spelling = names.spellings[number] { return ".\(spelling)" }
        // All names of an enum begin with its own: FRIEND_RELATION_BOTH_WAY.
        let own = fullName.split(separator: ".").last?.count { $0.isUppercase } ?? 0
        let words = name.split(separator: "_").dropFirst(own)
        return ".\(MessageText.swiftName(words.joined(separator: "_")))"
    }
}
