/// The part of a sorted list that a name stands in.
///
/// It is a letter of the Latin alphabet, after the first letter of the name or of its pinyin, or
/// `#` for all other names, which come last.
package struct Section: Hashable, Comparable, Sendable {
    /// From 0 for `A` to 25 for `Z`, and 26 for `#`.
    package let rank: UInt8

    package static let other = Section(rank: 26)

    package init(rank: UInt8) {
        self.rank = min(rank, 26)
    }

    /// The section of a letter from `A` to `Z`.
    init(letter: UInt8) {
        self.init(rank: letter - UInt8(ascii: "A"))
    }

    package var letter: String {
        rank < 26 ? String(UnicodeScalar(UInt8(ascii: "A") + rank)) : "#"
    }

    package static func < (one: Section, other: Section) -> Bool { one.rank < other.rank }
}

/// Where the sections begin among sort keys.
struct SectionBounds: Sendable {
    /// The first key of each stretch, and the section of all keys from there to the next stretch.
    private var bounds: [(key: [UInt8], section: Section)] = []

    init() {}

    /// - Parameter key: Makes the sort key of a text.
    init(_ key: (String) -> [UInt8]) {
        func primary(_ text: String) -> [UInt8] { Array(key(text).prefix { $0 != 1 }) }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        // In the pinyin collation, a text that never occurs marks where the characters of each
        // letter begin: this noncharacter and the letter. Some letters begin no syllable.
        let beyondPinyin = primary("\u{20000}")
        for letter in letters {
            let mark = primary(String(decoding: [0xFDD0, UInt16(letter)], as: UTF16.self))
            if mark.lexicographicallyPrecedes(beyondPinyin) {
                bounds.append((mark, Section(letter: letter)))
            }
        }
        bounds.append((beyondPinyin, .other))
        for letter in letters {
            bounds.append((primary(String(UnicodeScalar(letter))), Section(letter: letter)))
        }
        // The first letter of the Latin script that comes after all forms of Z.
        bounds.append((primary("\u{292}"), .other))
        bounds.sort { $0.key.lexicographicallyPrecedes($1.key) }
    }

    func section(of key: [UInt8]) -> Section {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if key.lexicographicallyPrecedes(bounds[middle].key) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low == 0 ? .other : bounds[low - 1].section
    }
}
