import ArgumentParser

/// The character between the cells of a csv.
struct CSVSeparator: Equatable, Sendable, ExpressibleByArgument {
    let byte: UInt8

    static let comma = CSVSeparator(byte: UInt8(ascii: ","))
    /// The separators that are found by themselves.
    static let usual = [comma, CSVSeparator(byte: UInt8(ascii: ";")), CSVSeparator(byte: 9)]

    static var allValueStrings: [String] { [",", ";", "|", "tab"] }

    private init(byte: UInt8) {
        self.byte = byte
    }

    /// Reads one of ``allValueStrings``.
    init?(argument: String) {
        guard Self.allValueStrings.contains(argument) || argument == "\t" else { return nil }
        byte = argument == "tab" ? 9 : argument.utf8.first ?? 0
    }

    /// The name, as the option takes it.
    var name: String { byte == 9 ? "tab" : String(UnicodeScalar(byte)) }

    /// The separator of the line that names the columns: the one that it has most often outside
    /// quotes.
    ///
    /// - Returns: Nil if it has two of them equally often, which decides nothing.
    static func found(in line: [UInt8]) -> CSVSeparator? {
        var counts = [Int](repeating: 0, count: usual.count)
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted, let index = usual.firstIndex(where: { $0.byte == byte }) else {
                continue
            }
            counts[index] += 1
        }
        guard let most = counts.max(), most > 0 else { return comma }
        let found = counts.indices.filter { counts[$0] == most }
        return found.count == 1 ? usual[found[0]] : nil
    }
}
