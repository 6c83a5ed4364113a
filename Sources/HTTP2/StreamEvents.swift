/// The events of a stream since it was last processed.
///
/// Its parts are inlinable: another room would find them through tables otherwise.
@usableFromInline package struct StreamEvents: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable package func contains(_ events: StreamEvents) -> Bool {
        rawValue & events.rawValue == events.rawValue
    }

    /// The header block of the request or of the response is complete.
    @inlinable package static var headers: StreamEvents { StreamEvents(rawValue: 1) }
    /// ``Stream/input`` has grown.
    @inlinable package static var data: StreamEvents { StreamEvents(rawValue: 2) }
    /// The peer sends nothing more; trailers, if any, are in ``Stream/trailers``.
    @inlinable package static var end: StreamEvents { StreamEvents(rawValue: 4) }
    /// The stream is gone, with the reason in ``Stream/closeCode``.
    @inlinable package static var closed: StreamEvents { StreamEvents(rawValue: 8) }
    /// The queue of output fell below the mark that was asked for.
    @inlinable package static var writable: StreamEvents { StreamEvents(rawValue: 16) }
    /// Client only: the request was never sent, so that it may be sent elsewhere.
    @inlinable package static var notSent: StreamEvents { StreamEvents(rawValue: 32) }
}
