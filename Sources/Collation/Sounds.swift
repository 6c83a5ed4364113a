/// The letters by which a text with Han characters is read, as a search compares them.
///
/// Before each syllable, and before each run of other letters, stands a mark. 张三 has the
/// syllables `zhang` and `san`. A surname with several readings has two sequences, one with each
/// reading. Marks before a surname, such as spaces and emoji, have no sound and do not hide it.
package enum Sounds {
    /// Stands before each syllable; no text has this byte.
    package static let mark: UInt8 = 0xFE

    /// A keyword as a search of sounds compares it; nil if it is none that is typed for a sound.
    ///
    /// It is letters of ASCII and digits. Spaces, apostrophes and hyphens between them are left
    /// out.
    package static func keyword(_ unaccented: [UInt8]) -> [UInt8]? {
        let typed = unaccented.filter { ![0x20, 0x27, 0x2D].contains($0) }
        guard typed.count <= Limits.soundKeyword, typed.contains(where: { $0 >= 0x61 }),
            typed.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) })
        else { return nil }
        return typed
    }

    /// Whether the keyword is typed for one of the syllables and those after it.
    ///
    /// A syllable is typed as a whole or by its initial (`z` or `zh`), and the last one by any
    /// letters that it begins with. `v` stands for `u` too, as it is typed for ü.
    ///
    /// - Parameter isPrefix: Whether only the first syllable of a sequence may be the first one.
    /// - Complexity: Proportional to the length of the sounds, times that of the keyword.
    package static func match(
        _ keyword: [UInt8], in sounds: UnsafeRawBufferPointer, isPrefix: Bool
    ) -> Bool {
        // Bit n is set if the first n letters of the keyword are typed for the syllables before.
        var typed: UInt64 = 0
        var start = 0
        while start < sounds.count {
            // A sequence begins with a divider and then a mark, or at the beginning.
            var isFirst = start == 0
            if sounds[start] != mark {
                (typed, isFirst) = (0, true)
                start += 1
            }
            var end = start + 1
            while end < sounds.count, sounds[end] < mark { end += 1 }
            if isFirst || !isPrefix { typed |= 1 }
            var next: UInt64 = 0
            let syllable = UnsafeRawBufferPointer(rebasing: sounds[(start + 1)..<end])
            while typed != 0 {
                let count = typed.trailingZeroBitCount
                typed &= typed - 1
                let common = common(keyword[count...], syllable)
                if count + common == keyword.count { return true }
                if common == syllable.count { next |= 1 << (count + common) }
                if common > 0 { next |= 1 << (count + 1) }
                if common > 1, isDigraph(syllable) { next |= 1 << (count + 2) }
            }
            typed = next
            start = end
        }
        return false
    }

    /// The letters of a syllable as a keyword and an index compare them: `v` is `u`, since it is
    /// typed for ü.
    package static func typed(_ letters: some Sequence<UInt8>) -> [UInt8] {
        letters.map { $0 == UInt8(ascii: "v") ? UInt8(ascii: "u") : $0 }
    }

    private static func isDigraph(_ syllable: UnsafeRawBufferPointer) -> Bool {
        syllable[1] == UInt8(ascii: "h")
            && [UInt8(ascii: "z"), UInt8(ascii: "c"), UInt8(ascii: "s")].contains(syllable[0])
    }

    private static func common(
        _ keyword: ArraySlice<UInt8>, _ syllable: UnsafeRawBufferPointer
    ) -> Int {
        var count = 0
        while count < syllable.count, count < keyword.count {
            let (one, other) = (keyword[keyword.startIndex + count], syllable[count])
            guard one == other || one == UInt8(ascii: "v") && other == UInt8(ascii: "u") else {
                break
            }
            count += 1
        }
        return count
    }
}

extension Collator {
    /// The bytes of `text` without the differences that a search of names ignores.
    ///
    /// These are case, width, accents, and the forms of characters that Unicode calls compatible.
    package func unaccented(_ text: String) -> [UInt8] {
        letters.unaccented(folded(text))
    }

    /// The ``Sounds`` of a text; empty if no Han character is in it.
    ///
    /// - Parameter divider: Stands between two sequences.
    package func sounds(of text: String, divider: UInt8) -> [UInt8] {
        guard text.unicodeScalars.contains(where: Letters.isHan) else { return [] }
        let folded = String(decoding: unaccented(text), as: UTF8.self)
        let usual = sounds(folded.unicodeScalars[...])
        let name = folded.from { $0.isLetterOrNumber }
        guard let surname = surname(of: name) else { return usual }
        var sounds: [UInt8] = []
        for syllable in surname.reading.split(separator: " ") {
            sounds.append(Sounds.mark)
            sounds += Array(syllable.utf8)
        }
        sounds += self.sounds(name.unicodeScalars.dropFirst(surname.text.count))
        return sounds + [divider] + usual
    }

    private func sounds(_ text: Substring.UnicodeScalarView) -> [UInt8] {
        var sounds: [UInt8] = []
        var isInRun = false
        for scalar in text {
            let isASCII = scalar.value < 0x80
            if Letters.isHan(scalar) {
                let syllable = letters.syllable(of: scalar)
                if !syllable.isEmpty { sounds.append(Sounds.mark) }
                sounds += syllable
                isInRun = false
            } else if isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            {
                if !isInRun { sounds.append(Sounds.mark) }
                sounds.append(UInt8(scalar.value))
                isInRun = true
            } else {
                isInRun = false
            }
        }
        return sounds
    }
}
