import HTTP2
package import RPC

extension RPCError {
    /// The same error with the fields of its answer already encoded, for an error that is answered
    /// often.
    ///
    /// Each answer then costs some bytes, and no encoding.
    ///
    /// The fields live as long as the last reference to the error, which must be kept as long as
    /// the process runs.
    package var prepared: RPCError {
        var block = HeaderBlock()
        block.append(Status(self), trailers, limit: .max)
        var error = self
        error.fields = FixedFields(.responseHeaders, owning: block)
        return error
    }
}
