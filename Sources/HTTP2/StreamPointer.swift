/// A stream where it stands in memory, valid until it was released.
package typealias StreamPointer = UnsafeMutablePointer<Stream>

// Another room that asked the stream itself would copy it.
extension StreamPointer {
    /// Whether the peer has ended its side.
    package var isRemoteEnded: Bool { pointee.flags.contains(.remoteEnded) }

    /// Bytes of output that wait to be sent.
    package var waitingBytes: Int { pointee.waitingBytes }

    // MARK: The fields of the header block

    /// The value of the first field of the header block called `name`.
    package func field(_ name: StaticString) -> UnsafeRawBufferPointer? {
        guard let known = pointee.known else { return pointee.headers.value(of: name) }
        return known._withUnsafeGuaranteedRef { $0.block.value(of: name) }
            ?? pointee.headers.value(of: name)
    }

    /// Whether the header block has several fields called `name`.
    package func hasSeveralFields(_ name: StaticString) -> Bool {
        // All fields of a name are open, or none is.
        guard let known = pointee.known else { return pointee.headers.hasSeveral(name) }
        return known._withUnsafeGuaranteedRef { $0.block.hasSeveral(name) }
            || pointee.headers.hasSeveral(name)
    }

    /// The values of all fields of the header block called `name`, with commas between them.
    ///
    /// - Returns: Nil if there is none, or if they are longer together than `limit`.
    package func joined(_ name: StaticString, atMost limit: Int) -> [UInt8]? {
        guard let known = pointee.known else {
            return pointee.headers.joined(name, atMost: limit)
        }
        return known._withUnsafeGuaranteedRef {
            guard $0.block.value(of: name) != nil else {
                return pointee.headers.joined(name, atMost: limit)
            }
            return $0.block.joined(name, atMost: limit)
        }
    }
}
