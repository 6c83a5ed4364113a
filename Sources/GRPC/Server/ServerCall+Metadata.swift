import HTTP2
import RPC

// The facts about a call that are not its messages.
extension ServerCall {
    /// When the wake-up began that this runs in: nanoseconds that only rise.
    package var arrival: Int64 { onLoop { $0.nanoseconds } }

    /// The SHA-256 of the certificate that the client has shown and proved to own.
    ///
    /// Valid while the handler runs that asked.
    package var peerCertificate: UnsafeRawBufferPointer? { connection?.peerCertificate }

    /// Why the connection ends, to those who get the reason.
    package var stopMessage: String {
        (loop.isStopping ? Status.serverStops : Status.connectionIsOld).message
    }

    /// Bytes of answers that the client has not taken yet.
    package var queuedBytes: Int {
        guard isOpen, let stream else { return 0 }
        return stream.waitingBytes
    }

    /// The target of a request in HTTP alone, with its query; empty for a call of RPC.
    package var target: [UInt8] { parts.web?.request.target ?? [] }

    // MARK: Metadata of the request

    /// The first text called `name`; gRPC's own fields are not given.
    package func metadata(_ name: StaticString) -> String? {
        guard isOpen, let stream, !Metadata.isReserved(name.rawBytes) else { return nil }
        return stream.field(name).map(Metadata.text)
    }

    /// The bytes of the first text called `name`, without the blanks around it.
    ///
    /// Valid while the handler runs that asked.
    package func metadataBytes(_ name: StaticString) -> UnsafeRawBufferPointer? {
        guard isOpen, let stream, !Metadata.isReserved(name.rawBytes) else { return nil }
        return stream.field(name).map(Metadata.trimmed)
    }

    /// Whether the request has several texts called `name`, so that none is known to count.
    package func hasSeveralMetadata(_ name: StaticString) -> Bool {
        guard isOpen, let stream else { return false }
        return stream.hasSeveralFields(name)
    }

    /// The first bytes called `name`, which ends in `-bin`.
    package func binaryMetadata(_ name: StaticString) -> [UInt8]? {
        guard isOpen, let stream else { return nil }
        // The header block was refused if any such value was not base64.
        return stream.field(name).flatMap { Metadata.binaryValues($0)?.first }
    }
}
