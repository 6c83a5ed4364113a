/// Reads the records of a file of comma-separated values, as RFC 4180 has them.
///
/// A cell may stand in quotes, and then has commas, quotes and ends of lines in it. A line may end
/// in a line feed alone, and a mark of the byte order at the beginning is passed over. Empty lines
/// are skipped.
final class CSVReader {
    enum Record {
        case cells([String])
        case broken(BrokenLine)
    }

    /// Where the parser stands in a record.
    private enum Place {
        case beginning
        case plain
        case quoted
        /// Behind a quote in a quoted cell: it ends the cell, or is the first one of two.
        case afterQuote
    }

    private static let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
    private static let (lineFeed, ending) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    private var lines: LineReader
    private var isAtBeginning = true
    private var cells: [String] = []
    private var cell: [UInt8] = []
    private var place = Place.beginning
    /// The bytes of the record so far.
    private var bytes = 0

    init(_ path: String) throws {
        lines = try LineReader(path)
    }

    /// The place of the line that was read last.
    var location: String { lines.location }

    /// The next record; nil at the end of the file.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, is not UTF-8, or has a record that is
    ///   longer than a line may be.
    func next() throws -> Record? {
        begin()
        var first = ""
        while let line = try nextLine() {
            if place == .quoted {
                cell.append(Self.lineFeed)
            } else {
                if line.isEmpty || line == [Self.ending] { continue }
                first = lines.location
            }
            bytes += line.count + 1
            guard bytes <= LineReader.lineBytes else {
                throw Failure("\(first): is longer than \(LineReader.lineBytes) bytes")
            }
            if let reason = try take(line) { return broken(first, reason, line) }
            guard place == .quoted else { return .cells(cells) }
        }
        guard place == .quoted else { return nil }
        return broken(first, "has a quote that no other quote ends", [])
    }

    private func nextLine() throws -> [UInt8]? {
        guard let bytes = try lines.nextBytes() else { return nil }
        defer { isAtBeginning = false }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return isAtBeginning && bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : Array(bytes)
    }

    private func begin() {
        cells.removeAll(keepingCapacity: true)
        cell.removeAll(keepingCapacity: true)
        (place, bytes) = (.beginning, 0)
    }

    private func broken(_ location: String, _ reason: String, _ line: [UInt8]) -> Record {
        let text = String(validating: line, as: UTF8.self) ?? ""
        return .broken(BrokenLine(location: location, reason: reason, text: text))
    }

    /// Takes a line of a record, and returns why it is none.
    private func take(_ line: [UInt8]) throws -> String? {
        for (index, byte) in line.enumerated() {
            switch place {
            case .quoted:
                if byte == Self.quote { place = .afterQuote } else { cell.append(byte) }
            case .afterQuote where byte == Self.quote:
                cell.append(byte)
                place = .quoted
            case _ where byte == Self.comma: try endCell()
            case _ where byte == Self.ending && index == line.count - 1: break
            case .beginning where byte == Self.quote: place = .quoted
            case .afterQuote: return "has more behind the quote that ends a cell"
            case _ where byte == Self.quote: return "has a quote in a cell that none begins"
            default:
                cell.append(byte)
                place = .plain
            }
        }
        if place != .quoted { try endCell() }
        return nil
    }

    private func endCell() throws {
        guard let text = String(validating: cell, as: UTF8.self) else {
            throw Failure("\(lines.location): is not UTF-8")
        }
        cells.append(text)
        cell.removeAll(keepingCapacity: true)
        place = .beginning
    }
}
