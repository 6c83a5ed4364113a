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
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// `count` random bytes in hexadecimal.
    package func text(bytes count: Int) -> String {
        String(hexadecimal: fill(count))
    }
}
