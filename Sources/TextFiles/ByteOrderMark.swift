/// The mark of its encoding with which a text file may begin.
package enum ByteOrderMark {
    /// The bytes from the beginning of a file that are needed to see it.
    package static let bytes = 4

    /// How many bytes of a mark of UTF-8 stand before the text.
    ///
    /// - Throws: ``InputFileError`` if the file has a mark of another encoding.
    package static func length(
        in beginning: some Collection<UInt8>, of name: String
    ) throws(InputFileError) -> Int {
        // The marks of UTF-32 begin like those of UTF-16.
        for (mark, encoding) in others where beginning.starts(with: mark) {
            throw InputFileError(name, "is text in \(encoding): convert it to UTF-8")
        }
        return beginning.starts(with: utf8) ? utf8.count : 0
    }

    private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let others: [(mark: [UInt8], encoding: String)] = [
        ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
        ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
    ]
}
