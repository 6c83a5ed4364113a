/// The header of an entry of an archive, in the form that every `tar` reads (POSIX ustar).
struct ArchiveHeader: Equatable {
    /// The bytes of a header; the bytes of a file are filled up to a multiple of it.
    static let bytes = 512

    let path: String
    let size: Int64
    /// Seconds since 1970.
    let time: Int64

    /// - Precondition: The path has at most 100 bytes, and the size is one that a header can say.
    init(_ path: String, size: Int64, time: Int64) {
        precondition(path.utf8.count <= 100 && (0...BackupLimits.fileBytes).contains(size))
        self.path = path
        self.size = size
        self.time = time
    }

    var stored: [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.bytes)
        func write(_ text: String, at start: Int) {
            header.replaceSubrange(start..<start + text.utf8.count, with: text.utf8)
        }
        write(path, at: 0)
        write("0000600", at: 100)
        // Root unpacks a file for itself: the numbers of users differ between machines.
        write("0000000", at: 108)
        write("0000000", at: 116)
        write(Self.octal(size, digits: 11), at: 124)
        write(Self.octal(max(0, time), digits: 11), at: 136)
        write("0", at: 156)
        write("ustar", at: 257)
        write("00", at: 263)
        write(Self.octal(Self.sum(of: header), digits: 6), at: 148)
        header[155] = UInt8(ascii: " ")
        return header
    }

    /// - Throws: ``BackupError`` with the code `damaged`.
    init(stored header: [UInt8]) throws(BackupError) {
        guard header.count == Self.bytes, header[257..<262].elementsEqual("ustar".utf8) else {
            throw BackupError(.damaged, "it is not an archive, or was cut")
        }
        var unsigned = header
        for index in 148..<156 { unsigned[index] = UInt8(ascii: " ") }
        guard let sum = Self.number(header[148..<154]), sum == Self.sum(of: unsigned),
            let size = Self.number(header[124..<135]), let time = Self.number(header[136..<147]),
            size <= BackupLimits.fileBytes, header[156] == UInt8(ascii: "0")
        else { throw BackupError(.damaged, "the header of an entry is damaged") }
        path = String(decoding: header[0..<100].prefix { $0 != 0 }, as: UTF8.self)
        self.size = size
        self.time = time
    }

    /// The sum of a header whose own field for the sum is empty or has blanks.
    private static func sum(of header: [UInt8]) -> Int64 {
        let blanks = 8 * Int64(UInt8(ascii: " "))
        let others = header[..<148] + header[156...]
        return others.reduce(blanks) { $0 + Int64($1) }
    }

    private static func octal(_ number: Int64, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        Int64(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}
