/// The names of an enum's values.
public struct EnumSchema: Sendable {
    public let fullName: String
    /// The values, in the order of the contract.
    public let values: [(number: Int32, name: String)]
    /// The meaning of each value in one sentence, in the same order; empty if the names are clear
    /// enough.
    private let meanings: [String]
    /// The values in ascending order of the numbers, for the search.
    private let sorted: [(number: Int32, name: String)]

    /// - Precondition: The first value is 0, as proto3 demands, and no number or name comes twice.
    public init(_ fullName: String, _ values: [(Int32, String)]) {
        self.init(fullName, values, meanings: [])
    }

    /// A table of codes, each with a sentence that tells when it is answered.
    public init(_ fullName: String, codes: [(Int32, String, meaning: String)]) {
        self.init(fullName, codes.map { ($0.0, $0.1) }, meanings: codes.map(\.meaning))
    }

    private init(_ fullName: String, _ values: [(Int32, String)], meanings: [String]) {
        self.meanings = meanings
        precondition(values.first?.0 == 0, "\(fullName): the first value of a proto3 enum is 0")
        self.fullName = fullName
        self.values = values.map { (number: $0.0, name: $0.1) }
        sorted = self.values.sorted { $0.number < $1.number }
        precondition(
            zip(sorted, sorted.dropFirst()).allSatisfy { $0.number != $1.number },
            "\(fullName): a number comes twice")
        precondition(
            Set(values.map(\.1)).count == values.count, "\(fullName): a name comes twice")
    }

    public func name(of number: Int32) -> String? {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low].number == number ? sorted[low].name : nil
    }

    /// The meaning of the value; nil if the enum is not a table of codes, or does not have the
    /// value.
    public func meaning(of number: Int32) -> String? {
        zip(values, meanings).first { $0.0.number == number }?.1
    }

    public func number(named name: String) -> Int32? {
        values.first { $0.name == name }?.number
    }
}
