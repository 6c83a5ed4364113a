import Support

/// The source of secrets: the machine, or a test's list.
package struct Randomness: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    package init(_ fill: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        self.fill = fill
    }

    /// The machine's source, which is fit for secrets.
    package static let system = Randomness { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        // One number has eight bytes, and each may ask the system.
        while bytes.count < count {
            let number = generator.next()
            let left = count - bytes.count
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0.prefix(left)) }
        }
        return bytes
    }

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// `count` random bytes in hexadecimal.
    package func text(bytes count: Int) -> String {
        String(hexadecimal: fill(count))
    }
}
