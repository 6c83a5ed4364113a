/// The mark of its encoding with which a text file may begin, or that of a program that packs
/// files.
package enum ByteOrderMark {
    /// The bytes from the beginning of a file that are needed to see it.
    package static let bytes = 4

    /// How many bytes of a mark of UTF-8 stand before the text.
    ///
    /// - Throws: ``InputFileError`` if the file has a mark of another encoding, or is packed.
    package static func length(
        in beginning: some Collection<UInt8>, of name: String
    ) throws(InputFileError) -> Int {
        // The marks of UTF-32 begin like those of UTF-16.
        for (mark, encoding) in others where beginning.starts(with: mark) {
            throw InputFileError(name, "is text in \(encoding): convert it to UTF-8")
        }
        for (mark, program) in packed where beginning.starts(with: mark) {
            throw InputFileError(name, "is packed by \(program): unpack it first")
        }
        return beginning.starts(with: utf8) ? utf8.count : 0
    }

    /// The first bytes of what gzip packs by the only method that it has.
    package static let gzip: [UInt8] = [0x1F, 0x8B, 0x08]

    private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let others: [(mark: [UInt8], encoding: String)] = [
        ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
        ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
    ]

    /// None of these is the beginning of a text: each has a byte that is not UTF-8, or a control
    /// character.
    private static let packed: [(mark: [UInt8], program: String)] = [
        (gzip, "gzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0xFD, 0x37, 0x7A, 0x58], "xz"),
        ([0x50, 0x4B, 0x03, 0x04], "zip"),
    ]
}
