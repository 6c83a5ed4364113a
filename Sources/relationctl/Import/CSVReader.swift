import TextFiles

/// Reads the records of a file of comma-separated values, as RFC 4180 has them.
///
/// Another character may stand in the place of the comma. A cell may stand in quotes, and then has
/// that character, quotes and ends of lines in it. A line may end in a line feed alone. Empty lines
/// are skipped, and so are records of empty cells, with which spreadsheets fill a file up.
final class CSVReader {
    enum Record {
        /// The cells, and the position of the line on which they begin.
        case cells([String], location: String)
        case broken(BrokenLine)
    }

    /// Where the parser stands in a record.
    private enum State {
        case beginning
        case plain
        case quoted
        /// Behind a quote in a quoted cell: it ends the cell, or is the first one of two.
        case afterQuote
    }

    private static let quote = UInt8(ascii: "\"")
    private static let (lineFeed, ending) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    private var lines: LineReader
    /// The number of the line on which the record begins that was read last, from 1 on.
    private(set) var line = 0
    /// Nil until the first line has shown it.
    private var separator: CSVSeparator?
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var state = State.beginning
    /// The bytes of the record so far.
    private var bytes = 0

    /// - Parameter separator: The character between cells; nil takes that of the first line.
    init(_ file: InputFile, _ separator: CSVSeparator?) {
        lines = LineReader(file)
        self.separator = separator
    }

    /// The next record; nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, is not UTF-8, or has a record that is
    ///   longer than a line may be.
    func next() throws -> Record? {
        begin()
        var first = ""
        while let line = try lines.nextBytes().map({ Array($0) }) {
            if state == .quoted {
                cell.append(Self.lineFeed)
            } else {
                if line.isEmpty || line == [Self.ending] { continue }
                (first, self.line) = (lines.location, lines.number)
                if try parseSeparator(line, at: first) { continue }
            }
            bytes += line.count + 1
            guard bytes <= LineReader.lineBytes else {
                throw Failure("\(first): is longer than \(LineReader.lineBytes) bytes")
            }
            if let reason = try parse(line) { return broken(first, reason, line) }
            guard state != .quoted else { continue }
            guard cells.allSatisfy(\.isEmpty) else { return .cells(cells, location: first) }
            begin()
        }
        guard state == .quoted else { return nil }
        return broken(first, "has a quote that no other quote ends", [])
    }

    /// Takes the separator from the first line that says something.
    ///
    /// - Returns: Whether the line says nothing else: spreadsheets write `sep=;`.
    private func parseSeparator(_ line: [UInt8], at location: String) throws -> Bool {
        let words = Array("sep=".utf8)
        if line.count > words.count, line.starts(with: words),
            line.count == words.count + 1 || line.dropFirst(words.count + 1) == [Self.ending]
        {
            let name = String(UnicodeScalar(line[words.count]))
            guard let named = CSVSeparator(argument: name) else { return false }
            separator = separator ?? named
            return true
        }
        guard separator == nil else { return false }
        guard let found = CSVSeparator.found(in: line) else {
            throw Failure(
                "\(location): names columns with several separators: --separator says which one "
                    + "stands between cells")
        }
        separator = found
        return false
    }

    private func begin() {
        cells.removeAll(keepingCapacity: true)
        cell.removeAll(keepingCapacity: true)
        (state, bytes) = (.beginning, 0)
    }

    private func broken(_ location: String, _ reason: String, _ line: [UInt8]) -> Record {
        let text = String(validating: line, as: UTF8.self) ?? ""
        return .broken(BrokenLine(location: location, reason: reason, text: text))
    }

    /// Takes a line of a record, and returns why it is none.
    private func parse(_ line: [UInt8]) throws -> String? {
        for (index, byte) in line.enumerated() {
            switch state {
            case .quoted:
                if byte == Self.quote { state = .afterQuote } else { cell.append(byte) }
            case .afterQuote where byte == Self.quote:
                cell.append(byte)
                state = .quoted
            case _ where byte == separator?.byte: try endCell()
            case _ where byte == Self.ending && index == line.count - 1: break
            case .beginning where byte == Self.quote: state = .quoted
            case .afterQuote: return "has more after the quote that ends a cell"
            case _ where byte == Self.quote: return "has a quote in a cell that none begins"
            default:
                cell.append(byte)
                state = .plain
            }
        }
        if state != .quoted { try endCell() }
        return nil
    }

    private func endCell() throws {
        guard let text = String(validating: cell, as: UTF8.self) else {
            throw Failure("\(lines.location): is not UTF-8")
        }
        cells.append(text)
        cell.removeAll(keepingCapacity: true)
        state = .beginning
    }
}
