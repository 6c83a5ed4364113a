package import TextFiles

/// A file of documents: lines of JSON as `mongoexport` writes them, BSON as `mongodump` writes it,
/// or a table of comma-separated values as `COPY` of PostgreSQL writes it.
///
/// The file stays where it is: an index keeps the extents of documents, and not the documents.
package struct DumpFile: Sendable {
    /// The extent of a document in the file.
    struct Extent {
        let offset: Int64
        let length: Int32
    }

    /// The form of the documents.
    package enum Form: Sendable {
        case bson, json, table
    }

    private let file: InputFile
    private let form: Form
    /// The names in the first line of a table.
    private let columns: [String]

    /// - Parameter form: That of the documents, which are in no table.
    package init(_ file: InputFile, _ form: Form) {
        (self.file, self.form, columns) = (file, form, [])
    }

    /// A table, whose first line names the columns.
    ///
    /// - Parameter needed: The columns that must be there.
    /// - Throws: ``MigrationError`` if one is not.
    package init(table file: InputFile, needing needed: [String]) throws {
        var reader = DumpReader(file, .table)
        let first = try reader.next().flatMap { TableLine.cells($0.1) } ?? []
        (self.file, form, columns) = (file, .table, first)
        for column in needed where !columns.contains(column) {
            throw MigrationError("\(file.name) has no column \(column) in its first line")
        }
    }

    /// Reads all documents in the order of the file.
    ///
    /// - Throws: ``MigrationError`` with the extent of a document that is none.
    func forEach(_ body: (DumpDocument, Extent) throws -> Void) throws {
        var reader = DumpReader(file, form)
        if form == .table { _ = try reader.next() }
        while let (extent, bytes) = try reader.next() {
            if form != .bson, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) {
                continue
            }
            let position = Position(line: reader.line, isWhole: reader.hasEnd)
            try body(try document(bytes, at: extent, position), extent)
        }
    }

    func document(at extent: Extent) throws -> DumpDocument {
        var bytes = [UInt8](repeating: 0, count: Int(extent.length))
        var count = 0
        while count < bytes.count {
            let read = try bytes.withUnsafeMutableBytes { buffer in
                try file.read(
                    at: extent.offset + Int64(count),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            guard read > 0 else { throw MigrationError("\(file.name) has changed meanwhile") }
            count += read
        }
        return try document(bytes, at: extent)
    }

    /// The line in which a document begins, and whether its last line has an end.
    private struct Position {
        let line: Int
        let isWhole: Bool
    }

    /// - Parameter position: Nil if it is not known.
    private func document(
        _ bytes: [UInt8], at extent: Extent, _ position: Position? = nil
    ) throws -> DumpDocument {
        let document =
            switch form {
            case .bson: DumpDocument(bson: bytes)
            case .json: DumpDocument(json: bytes)
            case .table: DumpDocument(line: bytes, columns)
            }
        if let document { return document }
        guard form != .bson else {
            throw MigrationError("\(file.name): byte \(extent.offset) begins no document of BSON")
        }
        // It was one when the file was read first.
        guard let position else { throw MigrationError("\(file.name) has changed meanwhile") }
        throw MigrationError("\(file.name)\(wordsAbout(bytes, position))")
    }

    /// Why a line is none of the form; it follows the name of the file.
    private func wordsAbout(_ bytes: [UInt8], _ position: Position) -> String {
        let line = position.line
        if form == .table {
            return ": line \(line) is not a line of \(columns.count) cells in UTF-8"
        }
        if bytes.first == UInt8(ascii: "[") {
            return ": line \(line) is not a document of a line of JSON: export without --jsonArray"
        }
        if !position.isWhole { return DumpReader.cutOff(line) }
        let isText = String(validating: bytes, as: UTF8.self) != nil
        return ": line \(line) is not \(isText ? "a document of JSON" : "UTF-8")"
    }
}

/// Takes a file of documents apart.
private struct DumpReader {
    private let file: InputFile
    private let form: DumpFile.Form
    private var bytes: [UInt8] = []
    /// The first byte that belongs to no document yet, in `bytes` and in the file.
    private var begin = 0
    private var offset: Int64 = 0
    /// The number of the first line of the document that was read last, and of the next one.
    private(set) var line = 1
    private var nextLine = 1
    /// Whether the document that was read last has an end of its own.
    private(set) var hasEnd = true
    private var hasBegun = false

    init(_ file: InputFile, _ form: DumpFile.Form) {
        (self.file, self.form) = (file, form)
    }

    mutating func next() throws -> (DumpFile.Extent, [UInt8])? {
        try readBeginning()
        guard form == .bson else { return try nextLines() }
        guard try fill(4) else {
            guard begin == bytes.count else { throw cutOff }
            return nil
        }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[begin + $1]) << (8 * $1) }
        guard (5...MigrationLimits.documentBytes).contains(length) else {
            throw MigrationError("\(file.name): byte \(offset) begins no document of BSON")
        }
        guard try fill(length) else { throw cutOff }
        return read(length, behind: 0)
    }

    /// The next line; that of a table may have ends of lines between quotes.
    ///
    /// - Throws: ``MigrationError`` if the last line of a table has no end: what writes tables ends
    ///   each line, so the file was cut off, perhaps within a value.
    private mutating func nextLines() throws -> (DumpFile.Extent, [UInt8])? {
        line = nextLine
        var (count, isQuoted) = (0, false)
        while true {
            for index in (begin + count)..<bytes.count {
                if bytes[index] == TableLine.quote, form == .table { isQuoted.toggle() }
                guard bytes[index] == 0x0a else { continue }
                nextLine += 1
                if !isQuoted { return read(index - begin, behind: 1) }
            }
            count = bytes.count - begin
            guard count <= MigrationLimits.documentBytes else {
                throw MigrationError("\(file.name): line \(line) is too long")
            }
            guard try fill(count + 1) else {
                guard !isQuoted, form != .table || count == 0 else { throw cutOff }
                hasEnd = false
                return count > 0 ? read(count, behind: 0) : nil
            }
        }
    }

    private var cutOff: MigrationError {
        let words = form == .bson ? " is cut off at byte \(offset)" : Self.cutOff(line)
        return MigrationError(file.name + words)
    }

    /// The error of a last line without an end; it follows the name of the file.
    static func cutOff(_ line: Int) -> String {
        " is cut off at line \(line), which has no end"
    }

    /// Looks at the first bytes of the file: a text may begin with the mark of its encoding.
    ///
    /// - Throws: ``MigrationError`` if the file is packed, `InputFileError` if it is in another
    ///   encoding.
    private mutating func readBeginning() throws {
        guard !hasBegun else { return }
        hasBegun = true
        _ = try fill(ByteOrderMark.bytes + 1)
        let isPacked = bytes.starts(with: ByteOrderMark.gzip)
        // As BSON the first four bytes are a length, and the kind of the first member follows. A
        // file that gzip has named itself is longer than each document, as BSON.
        let isDocument =
            form == .bson && bytes.count > 4 && (0x01...0x13).contains(bytes[4])
            && Int(bytes[3]) << 24 < MigrationLimits.documentBytes
        if isPacked, !isDocument {
            throw MigrationError("\(file.name) is packed by gzip: unpack it first")
        }
        guard form != .bson else { return }
        let beginning = bytes.prefix(ByteOrderMark.bytes)
        let mark = try ByteOrderMark.length(in: beginning, of: file.name)
        (begin, offset) = (mark, Int64(mark))
    }

    private mutating func read(_ length: Int, behind: Int) -> (DumpFile.Extent, [UInt8]) {
        let extent = DumpFile.Extent(offset: offset, length: Int32(length))
        let document = Array(bytes[begin..<begin + length])
        begin += length + behind
        offset += Int64(length + behind)
        return (extent, document)
    }

    /// Reads on until so many bytes wait.
    ///
    /// - Returns: Whether the file has them.
    private mutating func fill(_ count: Int) throws -> Bool {
        while bytes.count - begin < count {
            bytes.removeFirst(begin)
            begin = 0
            var piece = [UInt8](repeating: 0, count: MigrationLimits.pieceBytes)
            let start = offset + Int64(bytes.count)
            let read = try piece.withUnsafeMutableBytes { try file.read(at: start, into: $0) }
            guard read > 0 else { return false }
            bytes += piece[..<read]
        }
        return true
    }
}
