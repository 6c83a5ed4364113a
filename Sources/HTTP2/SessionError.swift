/// Why a session cannot go on.
///
/// Most violations of the protocol are not among these. nghttp2 answers them with a `GOAWAY` that
/// waits to be sent, and the session then wants neither to read nor to write.
package enum SessionError: Error, Equatable, Sendable {
    /// The peer's first bytes are not the HTTP/2 preface.
    case badPreface

    /// The peer went beyond a limit; a `GOAWAY` with `ENHANCE_YOUR_CALM` waits to be sent.
    case flooded

    /// nghttp2 had no memory, or refused a call; the number is its own.
    case failed(Int32)
}
