internal import Digests
import Support

/// The SHA-256 of a file, whose bytes are added one piece after another.
package struct FileSum {
    private var hash = SHA256()

    package init() {}

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bytes)
    }

    /// The sum of what was added, in 64 hexadecimal digits.
    package var text: String {
        String(hexadecimal: hash.digest())
    }

    /// The sum of `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        var sum = FileSum()
        bytes.withUnsafeBytes { sum.add($0) }
        return sum.text
    }
}
