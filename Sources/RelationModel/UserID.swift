import Memory
import Protobuf

/// The identifier of a user inside one app: 1 to 64 bytes of printable ASCII (0x20 to 0x7E) that
/// neither begins nor ends with a space.
///
/// TIM allows 32 bytes and RongCloud 64; the wider bound is ours, so that users of either system
/// can be moved here unchanged.
package struct UserID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// The identifier that `text` spells; nil if the text breaks a rule of the alphabet or the
    /// length.
    package init?(_ text: String) {
        var text = text
        guard text.withUTF8({ UserID.isValid(UnsafeRawBufferPointer($0)) }) else { return nil }
        self.text = text
    }

    /// Whether the bytes keep the rules of the length and the alphabet.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 1, bytes.count <= Limits.userIDBytes else { return false }
        let space = UInt8(ascii: " ")
        return bytes[0] != space && bytes[bytes.count - 1] != space
            && PrintableASCII.arePrintable(bytes)
    }

    /// The identifier from a key of the store; it was checked when the row was written.
    package init(stored bytes: some Collection<UInt8>) {
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The identifier from a text in a row of the store.
    package init(stored text: String) {
        self.text = text
    }

    /// The identifier from bytes in memory that are a part of a key of the store.
    ///
    /// A list of friends makes one for each row, and a generic collection costs ten times as much.
    package init(stored bytes: UnsafeRawBufferPointer) {
        text = String(unsafeUninitializedCapacity: bytes.count) { buffer in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            return bytes.count
        }
    }

    package var description: String { text }

    /// Orders by bytes, as the store does.
    package static func < (one: UserID, other: UserID) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
