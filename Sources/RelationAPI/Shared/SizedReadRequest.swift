/// A request that only reads, and is answered by one message.
package protocol SizedReadRequest: ReadRequest {
    var readSize: ReadSize { get }

    /// Whether the bytes of a request show, before they are decoded, that it asks for more than so
    /// many rows.
    ///
    /// So a loop decodes no request that it would only hand to another thread, where it is decoded
    /// again. False is not a promise: ``readSize`` decides when the request is decoded.
    static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool
}

extension SizedReadRequest {
    package static func asks(forMoreThan rows: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        false
    }
}
