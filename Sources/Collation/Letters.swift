internal import CICU

/// Letters without accents, and the syllables by which Han characters are read.
///
/// Each character is asked of the library once, and its letters are kept: transliteration takes
/// microseconds for each one.
///
/// It belongs to one ``Collator``, and is used by one thread at a time.
final class Letters {
    private let plain = Transliterator("NFD; [\\u0300-\\u036F] Remove; NFC; Latin-ASCII; Lower")
    private let reading = Transliterator("Han-Latin; Latin-ASCII; Lower")
    private var plainLetters: [UnicodeScalar: [UInt8]] = [:]
    private var syllables: [UnicodeScalar: [UInt8]] = [:]

    /// Whether it is one of the Han characters, but for those that are hardly in use.
    static func isHan(_ scalar: UnicodeScalar) -> Bool {
        (0x4E00...0x9FFF).contains(scalar.value) || (0x3400...0x4DBF).contains(scalar.value)
    }

    /// The letters of a folded text without their accents: é is e, ß is ss.
    func unaccented(_ folded: [UInt8]) -> [UInt8] {
        guard folded.contains(where: { $0 >= 0x80 }) else { return folded }
        var letters: [UInt8] = []
        letters.reserveCapacity(folded.count)
        for scalar in String(decoding: folded, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x80 {
                letters.append(UInt8(scalar.value))
            } else if scalar.value >= 0x2E80 {
                // Han, kana and Hangul have no accents.
                letters += Array(String(scalar).utf8)
            } else {
                letters += known(scalar, in: \.plainLetters, by: plain)
            }
        }
        return letters
    }

    /// The syllable of a Han character in its usual reading, such as `zhang`; empty if the library
    /// knows none.
    func syllable(of character: UnicodeScalar) -> [UInt8] {
        let letters = known(character, in: \.syllables, by: reading)
        return letters.allSatisfy { (0x61...0x7A).contains($0) } ? letters : []
    }

    private func known(
        _ scalar: UnicodeScalar,
        in kept: ReferenceWritableKeyPath<Letters, [UnicodeScalar: [UInt8]]>,
        by transliterator: Transliterator
    ) -> [UInt8] {
        if let letters = self[keyPath: kept][scalar] { return letters }
        let letters = Array(transliterator.result(String(scalar)).utf8)
        self[keyPath: kept][scalar] = letters
        return letters
    }
}

/// One of the library's transliterators.
///
/// It belongs to one ``Collator``, and is used by one thread at a time.
private final class Transliterator {
    /// It is made in `init`, closed in `deinit`, and never handed out.
    private let raw: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// - Precondition: The library has its data, which Debian links into it.
    init(_ id: String) {
        var error = U_ZERO_ERROR
        let units = Array(id.utf16)
        guard let raw = icu_transliterator_open(units, Int32(units.count), &error),
            error.rawValue <= 0
        else { preconditionFailure("ICU has no transliterator \(id): error \(error.rawValue)") }
        self.raw = raw
    }

    deinit {
        icu_transliterator_close(raw)
    }

    /// The result for one character; the character itself if the result is longer than any is.
    func result(_ character: String) -> String {
        var units = Array(character.utf16)
        var length = Int32(units.count)
        units += Array(repeating: 0, count: Limits.transliteratedUnits - units.count)
        var error = U_ZERO_ERROR
        icu_transliterate(raw, &units, &length, Int32(units.count), &error)
        guard error.rawValue <= 0 else { return character }
        return String(decoding: units[..<Int(length)], as: UTF16.self)
    }
}
