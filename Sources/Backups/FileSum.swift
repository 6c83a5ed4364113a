internal import Crypto

/// The SHA-256 of a file, whose bytes are added one piece after another.
package struct FileSum {
    private var hash = SHA256()

    package init() {}

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// The sum of what was added, in 64 hexadecimal digits.
    package var text: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in hash.finalize() {
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The sum of `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        var sum = FileSum()
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.text
    }
}
