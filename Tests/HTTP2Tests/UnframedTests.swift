import Testing

@testable import HTTP2

/// A session whose peer speaks HTTP/1.1, and the bytes by which its header blocks are known.
final class UnframedTests {
    private let session: Session
    private static let head = "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 12\r\n\r\n"

    init() throws {
        session = try Session(role: .server, pool: StreamPool(), cachingHeadersBut: ["open"])
        session.unframe(alsoOpen: ["content-length"])
    }

    private func accept(_ fields: [(String, String)]) throws -> StreamPointer {
        var block = HeaderBlock()
        defer { block.free() }
        for (name, value) in fields { block.append(name, value) }
        return try #require(session.accept(block))
    }

    private func end(_ stream: StreamPointer) {
        session.endRequest(of: stream, hasBody: false)
        while let (ready, _) = session.nextReady() { session.release(ready) }
        session.end(stream)
    }

    /// Makes the session know a head, which it has seen twice.
    private func remember(_ head: String = head, _ more: [(String, String)] = []) throws {
        let digits = try #require(head.firstRange(of: "12"))
        let place =
            head.utf8.distance(
                from: head.startIndex, to: digits.lowerBound)..<head.utf8.distance(
                from: head.startIndex, to: digits.upperBound)
        for _ in 0..<2 {
            let stream = try accept([(":path", "/x"), ("content-length", "12")] + more)
            var head = head
            head.withUTF8 {
                session.remember(
                    UnsafeRawBufferPointer($0), length: place, note: true, of: stream)
            }
            end(stream)
        }
    }

    /// The request that the text begins with, if its head is known.
    private func find(_ text: String) -> (head: Int, body: Int, note: Bool)? {
        var text = text
        return text.withUTF8 { bytes in
            guard
                let request = session.accept(
                    writtenIn: UnsafeRawBufferPointer(bytes), length: "content-length")
            else { return nil }
            end(request.stream)
            return (request.headerBytes, request.bodyBytes, request.note)
        }
    }

    private static func head(_ length: String) -> String {
        "POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: \(length)\r\n\r\n"
    }

    @Test func aHeaderBlockIsKnownWhateverItsLength() throws {
        #expect(find(Self.head) == nil)
        try remember()
        for length in ["12", "0", "7", "123456789"] {
            let found = try #require(find(Self.head(length) + "body"))
            #expect(found == (Self.head(length).utf8.count, Int(length), true))
        }
    }

    @Test(arguments: ["", "1234567890", "x", "1x", "-1", " 1"])
    func aHeaderBlockWithoutSuchALengthIsNotKnown(length: String) throws {
        try remember()
        #expect(find(Self.head(length)) == nil)
    }

    @Test func aPartOfAHeaderBlockIsNotKnown() throws {
        try remember()
        for count in 0..<Self.head.utf8.count {
            #expect(find(String(decoding: Self.head.utf8.prefix(count), as: UTF8.self)) == nil)
        }
        #expect(find(Self.head.replacing("host: a", with: "host: b")) == nil)
        #expect(find(Self.head.replacing("\r\n\r\n", with: "\r\nx: y\r\n\r\n")) == nil)
    }

    @Test(arguments: [0, 1])
    func aLongHeaderBlockIsNotRemembered(above: Int) throws {
        let count = SessionLimits.headerSectionBytes - Self.head.utf8.count + above
        let long = String(repeating: "a", count: count)
        let head = Self.head.replacing("host: a", with: "host: a\(long)")
        try remember(head)
        #expect((find(head) == nil) == (above == 1))
    }

    @Test func aHeaderBlockWithOtherOpenFieldsIsNotRemembered() throws {
        try remember(Self.head, [("open", "1")])
        #expect(find(Self.head) == nil)
    }

    @Test func knownFieldsAreTheStreamsFields() throws {
        let fields = [(":path", "/x"), ("open", "1"), ("content-length", "12"), ("y", "z")]
        for round in 0..<3 {
            var fields = fields
            fields[1].1 = "\(round)"
            let stream = try accept(fields)
            #expect((stream.pointee.known != nil) == (round > 0))
            for (name, value) in [("y", "z"), ("open", "\(round)"), ("content-length", "12")] {
                let found =
                    name == "y"
                    ? stream.field("y")
                    : name == "open"
                        ? stream.field("open") : stream.field("content-length")
                #expect(found.map { String(decoding: $0, as: UTF8.self) } == value)
            }
            end(stream)
        }
        // A head that is dropped to give memory back is forgotten, and the stream has its fields.
        let stream = try accept(fields)
        session.forgetHeaders()
        #expect(stream.pointee.known == nil)
        #expect(stream.pointee.headers.count == 4)
        end(stream)
        #expect(session.openStreams == 0)
    }

    @Test func aStreamHasAWindow() throws {
        let stream = try accept([(":path", "/x")])
        let piece = [UInt8](repeating: 1, count: Int(SessionLimits.streamWindowBytes) - 1)
        piece.withUnsafeBytes { session.arrive($0, on: stream) }
        #expect(session.hasWindow(stream))
        piece.withUnsafeBytes { session.arrive(.init(rebasing: $0[..<1]), on: stream) }
        #expect(!session.hasWindow(stream))
        session.consumeWindow(stream)
        #expect(session.hasWindow(stream))
        end(stream)
    }

    @Test func thePeerMayHaveSoManyStreams() throws {
        session.abandonedStreams = Int(SessionLimits.concurrentStreams) - 1
        let stream = try accept([(":path", "/x")])
        var block = HeaderBlock()
        defer { block.free() }
        block.append(":path", "/x")
        #expect(session.accept(block) == nil)
        end(stream)
        #expect(session.accept(block).map(end) != nil)
        session.refuseNewStreams()
        #expect(session.accept(block) == nil)
        #expect(session.isFinished)
    }

    @Test func anAnswerIsTakenFromItsStream() throws {
        let stream = try accept([(":path", "/x")])
        #expect(session.answer(of: stream) == nil)
        session.submitHeaders(stream, FixedFields([(":status", "200"), ("a", "b")]))
        #expect(session.answer(of: stream)?.count == 2)
        #expect(!session.isAnswered(stream))
        [1, 2, 3].withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) in
            stream.pointee.output.append(UnsafeRawBufferPointer(bytes))
        }
        session.notifyWhenWritable(stream, below: 2)
        session.finish(stream)
        #expect(session.nextBytes(of: stream).count == 3)
        session.sent(2, of: stream)
        #expect(!session.isAnswered(stream))
        session.sent(1, of: stream)
        #expect(session.isAnswered(stream))
        #expect(session.nextReady()?.events == [.headers, .writable])
        session.release(stream)
        session.end(stream)
        #expect(session.openStreams == 0)
    }

    @Test func aResetCutsTheAnswerOff() throws {
        let stream = try accept([(":path", "/x")])
        #expect(session.cutOffCode(of: stream) == nil)
        session.reset(stream, .enhanceYourCalm)
        session.reset(stream, .cancel)
        #expect(session.cutOffCode(of: stream) == .enhanceYourCalm)
        end(stream)
    }
}
