import Glibc

/// The address of a machine, of either version of IP.
package enum IPAddress: Hashable, Sendable {
    case four(UInt32)
    case six(high: UInt64, low: UInt64)

    /// Reads an address in its usual form; other forms of numbers, brackets and zones are refused.
    package init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .four(UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self = withUnsafeBytes(of: six) { Self(sixteen: $0) }
    }

    /// The address of sixteen bytes, as the network has them.
    init(sixteen bytes: UnsafeRawBufferPointer) {
        func word(_ range: Range<Int>) -> UInt64 {
            bytes[range].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self = .six(high: word(0..<8), low: word(8..<16))
    }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .four(let number):
            return (0..<4).map { String(number >> (24 - 8 * $0) & 255) }.joined(separator: ".")
        case .six(let high, let low):
            var address = in6_addr()
            withUnsafeMutableBytes(of: &address) { bytes in
                for index in 0..<8 {
                    bytes[index] = UInt8(truncatingIfNeeded: high >> (56 - 8 * index))
                    bytes[index + 8] = UInt8(truncatingIfNeeded: low >> (56 - 8 * index))
                }
            }
            return String(unsafeUninitializedCapacity: Int(INET6_ADDRSTRLEN)) { text in
                // The system writes as many characters as the longest address has, with a zero
                // after them, for which there is room.
                text.withMemoryRebound(to: CChar.self) { text in
                    inet_ntop(AF_INET6, &address, text.baseAddress, socklen_t(INET6_ADDRSTRLEN))
                        .map { strlen($0) } ?? 0
                }
            }
        }
    }
}
