internal import Glibc
internal import Storage

/// The contents of one of the engine's logs, read without the engine.
///
/// The engine reads a log up to the first error, and cannot distinguish a damaged record from one
/// that a power cut left unfinished. The sequence numbers of the records can: each record begins
/// where the one before it ended.
struct LogScan: Equatable {
    /// The number in the log's name.
    let number: UInt64
    /// The first change in the log; nil if it does not begin with a whole record.
    private(set) var first: UInt64?
    /// The last change before the first error, or before the end.
    private(set) var last: UInt64 = 0
    /// The offset of the first error: a record that is damaged, or was not finished.
    private(set) var flaw: Int?
    /// The newest change of all whole records, including those after an error.
    private(set) var newest: UInt64 = 0

    var name: String { LogScan.name(number) }

    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
    }

    /// The numbers of the logs in a folder of the engine, in ascending order.
    static func numbers(in folder: String) throws(StorageError) -> [UInt64] {
        try DataFolder.names(in: folder).compactMap { name in
            name.hasSuffix(".log") ? UInt64(name.dropLast(4)) : nil
        }.sorted()
    }

    init(number: UInt64, first: UInt64?, last: UInt64, flaw: Int?, newest: UInt64) {
        self.number = number
        (self.first, self.last, self.flaw, self.newest) = (first, last, flaw, newest)
    }

    /// Reads the log of that number in a folder of the engine.
    ///
    /// - Throws: ``StorageError`` with the code `failed` if the system does not allow it.
    init(number: UInt64, in folder: String) throws(StorageError) {
        self.number = number
        let path = folder + "/" + LogScan.name(number)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .system("cannot read \(path)") }
        defer { close(file) }
        var reader = LogReader()
        let capacity = 32 * LogReader.blockBytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            // One block at a time would be enough; the bytes of a block must stay together.
            var filled = 0
            while filled < capacity {
                let count = Glibc.read(file, buffer.baseAddress! + filled, capacity - filled)
                guard count >= 0 else { throw .system("cannot read \(path)") }
                guard count > 0 else { break }
                filled += count
            }
            for start in stride(from: 0, to: filled, by: LogReader.blockBytes) {
                let end = min(start + LogReader.blockBytes, filled)
                let block = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                reader.read(block, at: offset + start) { note($0) }
            }
            offset += filled
            guard filled == capacity else { break }
        }
        if reader.isInRecord { note(.flaw(at: offset)) }
    }

    private mutating func note(_ found: LogReader.Found) {
        switch found {
        case .flaw(let offset): flaw = flaw ?? offset
        case .record(let sequence, let count, let offset):
            let end = sequence + max(count, 1) - 1
            newest = max(newest, end)
            // The changes in between were removed from the log as whole records.
            if first != nil, sequence > last + 1 { flaw = flaw ?? offset }
            guard flaw == nil else { return }
            if first == nil { first = sequence }
            last = end
        }
    }

    /// The first change of a log that is being written; nil if it has none yet.
    static func firstSequence(number: UInt64, in folder: String) -> UInt64? {
        let file = open(folder + "/" + name(number), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: LogReader.headerBytes) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
        return bytes.withUnsafeBytes { LogReader.firstSequence($0) }
    }
}

/// Takes the engine's log format apart, block by block.
///
/// ```
/// block   32 KiB of fragments, filled up with zeros
/// fragment  checksum 4 │ length 2 │ type 1 │ bytes
/// record    the bytes of a fragment, or of several: sequence 8 │ changes 4 │ …
/// ```
struct LogReader {
    enum Found {
        /// A whole record: its first change, and how many it has.
        case record(sequence: UInt64, count: UInt64, offset: Int)
        case flaw(at: Int)
    }

    static let blockBytes = 32 << 10
    private static let fragmentHeaderBytes = 7
    private static let recordHeaderBytes = 12
    static let headerBytes = fragmentHeaderBytes + recordHeaderBytes

    private enum Kind: UInt8 {
        case whole = 1
        case first, middle, last
    }

    /// The header of the record whose fragments are being read.
    private var header: [UInt8] = []
    private var start = 0
    private(set) var isInRecord = false

    static func firstSequence(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard bytes.count >= headerBytes,
            let kind = Kind(rawValue: bytes[6]), kind == .whole || kind == .first
        else { return nil }
        return UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: fragmentHeaderBytes, as: UInt64.self))
    }

    mutating func read(
        _ block: UnsafeRawBufferPointer, at offset: Int, _ note: (Found) -> Void
    ) {
        var fragmentStart = 0
        while fragmentStart + LogReader.fragmentHeaderBytes <= block.count {
            let here = offset + fragmentStart
            let stored = UInt32(
                littleEndian: block.loadUnaligned(fromByteOffset: fragmentStart, as: UInt32.self))
            let length = Int(
                UInt16(
                    littleEndian: block.loadUnaligned(
                        fromByteOffset: fragmentStart + 4, as: UInt16.self)))
            let body = fragmentStart + LogReader.fragmentHeaderBytes
            // Zeros: room that was reserved and never written, or bytes that were lost.
            if block[fragmentStart + 6] == 0, length == 0 { return note(.flaw(at: here)) }
            guard body + length <= block.count else { return note(.flaw(at: here)) }
            var checksum = Checksum()
            checksum.add(UnsafeRawBufferPointer(rebasing: block[fragmentStart + 6..<body + length]))
            if checksum.masked == stored {
                let bytes = UnsafeRawBufferPointer(rebasing: block[body..<body + length])
                add(bytes, Kind(rawValue: block[fragmentStart + 6]), at: here, note)
            } else {
                isInRecord = false
                note(.flaw(at: here))
            }
            fragmentStart = body + length
        }
    }

    private mutating func add(
        _ bytes: UnsafeRawBufferPointer, _ kind: Kind?, at offset: Int, _ note: (Found) -> Void
    ) {
        // Records of unknown kinds come from a later engine, describe the log, and hold no changes.
        guard let kind else { return }
        switch kind {
        case .whole, .first:
            if isInRecord { note(.flaw(at: start)) }
            (header, start, isInRecord) = ([], offset, true)
        case .middle, .last:
            guard isInRecord else { return note(.flaw(at: offset)) }
        }
        header += bytes.prefix(LogReader.recordHeaderBytes - header.count)
        guard kind == .whole || kind == .last else { return }
        isInRecord = false
        guard header.count == LogReader.recordHeaderBytes else { return note(.flaw(at: start)) }
        header.withUnsafeBytes { header in
            let sequence = UInt64(littleEndian: header.loadUnaligned(as: UInt64.self))
            let count = UInt32(
                littleEndian: header.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            note(.record(sequence: sequence, count: UInt64(count), offset: start))
        }
    }
}
