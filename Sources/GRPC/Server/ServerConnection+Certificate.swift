import GRPCWire
import NIOCore

/// How a connection uses the certificate of its client.
extension ServerConnection {
    /// The client has shown a certificate with that digest, which is valid now.
    ///
    /// Calls may come by it from now on; when it ends, the connection does, as one does that has
    /// reached its age.
    func noteCertificate(_ digest: [UInt8], _ span: CertificateSpan, by clock: @escaping WallClock)
    {
        precondition(peerCertificate == nil, "a handshake is done once")
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: digest.count, alignment: 8)
        copy.copyBytes(from: digest)
        peerCertificate = UnsafeRawBufferPointer(copy)
        end(with: span, by: clock)
    }

    private func end(with span: CertificateSpan, by clock: @escaping WallClock) {
        let left = span.endMs - clock()
        guard left > 0 else {
            state.end(by: loop.now)
            return endLife()
        }
        // That clock may be set meanwhile, and years are more than a timer should be trusted with.
        let time = TimeAmount.milliseconds(min(left, CallLimits.certificateLookMilliseconds))
        certificateTimer = loop.eventLoop.scheduleTask(in: time) { [loop, number] in
            loop.wake()
            loop.connection(number)?.end(with: span, by: clock)
            loop.flush()
        }
    }
}
