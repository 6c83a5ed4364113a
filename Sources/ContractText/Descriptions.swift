internal import CContractText

/// The contract with its comments, as `make contract` writes it from `proto/`.
///
/// A test holds it fresh.
package enum Descriptions {
    /// Lines of text, compressed in the form of zlib.
    ///
    /// A line begins with the letter of its kind, and its parts have tabs between them. A comment
    /// stands below, with `|` before each of its lines.
    package static var compressed: [UInt8] {
        var count = 0
        let bytes = contract_text(&count)
        // The bytes are a constant of the program, and so many.
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
