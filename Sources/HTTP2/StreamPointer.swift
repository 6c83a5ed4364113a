/// A stream where it stands in memory, valid until it was released.
package typealias StreamPointer = UnsafeMutablePointer<Stream>

// Another room that asked the stream itself would copy it.
extension StreamPointer {
    /// Whether the peer has ended its side.
    package var isRemoteEnded: Bool { pointee.flags.contains(.remoteEnded) }

    /// Bytes of output that wait to be sent.
    package var waitingBytes: Int { pointee.waitingBytes }
}
