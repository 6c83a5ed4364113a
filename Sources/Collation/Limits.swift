/// The sizes that this room fixes.
package enum Limits {
    /// Collators that are kept for the next use; any more are closed.
    package static let idleCollators = 8

    /// Han characters that a name has at most: a surname of two, and a given name of two.
    static let hanNameCharacters = 4

    /// Letters of a keyword that is compared with sounds: one bit of a word stands for each.
    static let soundKeyword = 63

    /// Units of UTF-16 that the letters for one character may have.
    static let transliteratedUnits = 64
}
