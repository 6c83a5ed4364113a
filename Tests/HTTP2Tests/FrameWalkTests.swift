import HTTP2
import PeerSupport
import Testing

/// The position of a session in the frames of its peer.
struct FrameWalkTests {
    private static let magic = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// The session after some bytes, which come one by one or together.
    private func walk(after bytes: [UInt8], oneByOne: Bool) throws -> FrameWalk {
        let session = try Session(role: .server, pool: StreamPool())
        for part in oneByOne ? bytes.map({ [$0] }) : [bytes] { try session.receive(part) }
        return session.walk
    }

    @Test(arguments: [false, true]) func aFrameIsLeftWithItsLastByte(oneByOne: Bool) throws {
        let frames: [Frame] = [
            Frame(.settings), .ping(), Frame(.settings, flags: Frame.acknowledgement),
            Frame(.windowUpdate, payload: [0, 0, 0, 1]), Frame(type: 0x42, payload: [1, 2, 3]),
        ]
        var bytes = Self.magic
        #expect(try walk(after: Array(bytes.dropLast()), oneByOne: oneByOne).isInside)
        #expect(try !walk(after: bytes, oneByOne: oneByOne).isInside)
        for (number, frame) in frames.enumerated() {
            for count in 1..<frame.bytes.count {
                let part = bytes + frame.bytes.prefix(count)
                let found = try walk(after: part, oneByOne: oneByOne)
                #expect(found.isInside && !found.isInHeaderBlock)
                #expect(found.number == number + 1)
            }
            bytes += frame.bytes
            #expect(try !walk(after: bytes, oneByOne: oneByOne).isInside)
        }
    }

    @Test(arguments: [false, true]) func aHeaderBlockLastsOverItsFrames(oneByOne: Bool) throws {
        let block = Frame.block(SessionPair.request())
        let (start, end) = (Array(block.prefix(10)), Array(block.dropFirst(10)))
        let first = Frame(.headers, stream: 1, payload: start)
        let last = Frame(
            .continuation, flags: Frame.endHeaders, stream: 1, payload: end)
        let before = Self.magic + Frame(.settings).bytes
        let all = before + first.bytes + last.bytes
        for count in before.count + 9..<all.count {
            let found = try walk(after: Array(all.prefix(count)), oneByOne: oneByOne)
            #expect(found.isInside && found.isInHeaderBlock, "\(count)")
            #expect(found.number == 2)
        }
        let found = try walk(after: all, oneByOne: oneByOne)
        #expect(!found.isInside && !found.isInHeaderBlock)
    }

    @Test func aBlockOfAStreamThatIsRefusedIsLeftToo() throws {
        var settings = Settings()
        settings.concurrentStreams = 1
        let session = try Session(role: .server, settings: settings, pool: StreamPool())
        try session.receive(Self.magic + Frame(.settings).bytes)
        for stream: UInt32 in [1, 3, 5] {
            try session.receive(Frame.headers(stream, SessionPair.request(), end: false).bytes)
            #expect(!session.walk.isInside)
        }
    }
}
