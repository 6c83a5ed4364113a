/// Takes a line of comma-separated values apart, as RFC 4180 has them.
enum TableLine {
    static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// The cells; nil if quotes are not where they may be, or the line is not UTF-8.
    static func cells(_ line: [UInt8]) -> [String]? {
        var rest = line[...]
        if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
        if rest.last == 0x0d { rest = rest.dropLast() }
        var cells: [String] = []
        while true {
            guard let (cell, end) = cell(rest), let text = String(validating: cell, as: UTF8.self)
            else { return nil }
            cells.append(text)
            guard end < rest.endIndex else { return cells }
            rest = rest[(end + 1)...]
        }
    }

    /// The first cell, and the index of the comma or the end after it.
    private static func cell(_ line: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        guard line.first == quote else {
            let end = line.firstIndex(of: comma) ?? line.endIndex
            return line[..<end].contains(quote) ? nil : (Array(line[..<end]), end)
        }
        var cell: [UInt8] = []
        var index = line.startIndex + 1
        while index < line.endIndex {
            if line[index] != quote {
                cell.append(line[index])
            } else if index + 1 < line.endIndex, line[index + 1] == quote {
                cell.append(quote)
                index += 1
            } else {
                let end = index + 1
                return end == line.endIndex || line[end] == comma ? (cell, end) : nil
            }
            index += 1
        }
        return nil
    }
}
