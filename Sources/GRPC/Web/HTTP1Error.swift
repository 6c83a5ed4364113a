package import NIOHTTP1

/// Why a client of HTTP/1.1 is refused by its bytes alone.
package struct HTTP1Error: Error, Equatable {
    package let status: HTTPResponseStatus
    package let why: String
    /// Whether the client has gone, so that nothing can be sent to it.
    package private(set) var isCutOff = false

    init(_ status: HTTPResponseStatus, _ why: String) {
        self.status = status
        self.why = why
    }

    /// The bytes are malformed.
    init(_ why: String) { self.init(.badRequest, why) }

    /// The client has gone before the end of a request.
    static func cutOff(in part: String) -> HTTP1Error {
        var error = HTTP1Error("the client has closed the connection inside \(part)")
        error.isCutOff = true
        return error
    }
}
