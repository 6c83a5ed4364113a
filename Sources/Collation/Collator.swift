internal import CICU

/// One of the library's collators, with the buffers that it needs.
///
/// `@unchecked Sendable`: it passes from thread to thread only through the lock of ``Collators``,
/// and one thread at a time uses it.
package final class Collator: @unchecked Sendable {
    /// It is made in `init`, closed in `deinit`, and never handed out.
    private let raw: OpaquePointer
    /// It belongs to the library, and lives as long as the process.
    private let folding: OpaquePointer
    private var text: [UInt16] = Array(repeating: 0, count: 512)
    private var folded: [UInt16] = Array(repeating: 0, count: 512)
    private var key: [UInt8] = Array(repeating: 0, count: 1024)
    private var sections = SectionBounds()
    let letters: Letters
    private let words: WordBreaker

    /// The version of the rules for sort keys; keys of different versions must not be compared.
    package let version: String

    /// - Precondition: The library has its data, which Debian links into it.
    init() {
        var error = U_ZERO_ERROR
        guard let raw = icu_collator_open("zh-u-co-pinyin", &error), error.rawValue <= 0,
            let folding = icu_case_folding(&error), error.rawValue <= 0
        else { preconditionFailure("ICU has no data: error \(error.rawValue)") }
        self.raw = raw
        self.folding = folding
        letters = Letters()
        words = WordBreaker()
        var version: [UInt8] = [0, 0, 0, 0]
        icu_collator_version(raw, &version)
        self.version = version.map(String.init).joined(separator: ".")
        sections = SectionBounds { sortKey(of: $0) }
    }

    deinit {
        icu_collator_close(raw)
    }

    /// Bytes that sort among such bytes as `text` does among texts, without an end mark.
    package func sortKey(of text: String) -> [UInt8] {
        let length = decode(text)
        while true {
            let count = Int(
                icu_sort_key(raw, self.text, Int32(length), &key, Int32(key.count)))
            // The last byte is the zero that ends a key.
            if count <= key.count { return Array(key[..<max(0, count - 1)]) }
            key = Array(repeating: 0, count: count)
        }
    }

    /// The sort key of the name of a person.
    ///
    /// A surname with several readings has its reading as a surname. Blanks before the name do not
    /// count.
    package func sortKey(ofName name: String) -> [UInt8] {
        let name = name.from { !$0.isBlank }
        guard let surname = surname(of: name) else { return sortKey(of: name) }
        return sortKey(of: surname.sortsAs + name.dropFirst(surname.text.count))
    }

    /// The surname with several readings that a name begins with; nil if there is none, or if the
    /// text begins with a word instead.
    ///
    /// Nothing stands before the surname: callers drop what does not count for them.
    func surname(of name: String) -> Surname? {
        guard let surname = Surname.first(of: name) else { return nil }
        return words.isSurname(surname, in: name) ? surname : nil
    }

    /// The section that a text with this sort key stands in.
    package func section(ofKey key: [UInt8]) -> Section {
        sections.section(of: key)
    }

    /// The bytes of `text` without the differences that a search ignores.
    ///
    /// These are case, width, and the forms of characters that Unicode calls compatible.
    package func folded(_ text: String) -> [UInt8] {
        if let folded = Self.foldedASCII(text) { return folded }
        let length = decode(text)
        while true {
            var error = U_ZERO_ERROR
            let count = Int(
                icu_fold(
                    folding, self.text, Int32(length), &folded, Int32(folded.count), &error))
            if count <= folded.count { return encoded(count) }
            folded = Array(repeating: 0, count: count)
        }
    }

    /// The folded bytes of a text of ASCII alone; nil for any other text.
    static func foldedASCII(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Puts `text` into the buffer, and returns its length there.
    private func decode(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            // No text has more units in UTF-16 than bytes in UTF-8.
            if self.text.count < bytes.count {
                self.text = Array(repeating: 0, count: bytes.count)
            }
            var error = U_ZERO_ERROR
            var length: Int32 = 0
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                icu_from_utf8(
                    &self.text, Int32(self.text.count), &length, bytes.baseAddress,
                    Int32(bytes.count), &error)
            }
            return Int(length)
        }
    }

    /// The first `count` units of the folded text, as UTF-8.
    private func encoded(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count * 3) { buffer, size in
            var error = U_ZERO_ERROR
            var length: Int32 = 0
            buffer.withMemoryRebound(to: CChar.self) { bytes in
                icu_to_utf8(
                    bytes.baseAddress, Int32(bytes.count), &length, folded, Int32(count), &error)
            }
            size = Int(length)
        }
    }
}
