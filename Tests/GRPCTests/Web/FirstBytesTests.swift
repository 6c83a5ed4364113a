import Testing

@testable import GRPC

/// The protocol of a connection does not depend on how its first bytes are cut.
@Suite struct FirstBytesTests {
    @Test(arguments: [
        ("GET / HTTP/1.1\r\n", FirstBytes.http1), ("PRI * HTTP/2.0\r\n", .http2),
        ("POST x HTTP/1.1\r\n", .http1), ("POST x\r\nGET y HTTP/1.1\r\n", .http2),
        ("PRX \u{1}\nhost: a HTTP/\n", .http2), ("get / HTTP/1.1\r\n", .foreign),
    ])
    func theFirstPieceThatDecidesSaysTheSameAsAll(text: String, wanted: FirstBytes) {
        let bytes = Array(text.utf8)
        #expect(FirstBytes(bytes) == wanted)
        let first = (1...bytes.count).lazy.map { FirstBytes(bytes.prefix($0)) }
            .first { $0 != .undecided }
        #expect(first == wanted)
    }
}
