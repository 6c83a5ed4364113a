/// The substitute of a server in a client of a test, with messages as bytes.
package protocol ClientDouble: Sendable {
    /// Answers one attempt of a call of one message each way.
    ///
    /// - Throws: ``CallError`` with which the attempt fails; any other error is one of the test.
    func answer(
        to request: [UInt8], of path: String, metadata: CallMetadata
    ) async throws -> [UInt8]

    /// Serves a stream until its function ends.
    ///
    /// - Throws: ``CallError`` with which the stream fails.
    func serve(_ stream: DoubleStream, of path: String, metadata: CallMetadata) async throws
}

extension Client {
    /// A client whose calls reach `double` in place of a server.
    package convenience init(
        _ options: ClientOptions, double: any ClientDouble
    ) throws(OptionsError) {
        self.init(options, try options.configuration(), double: double)
    }
}
