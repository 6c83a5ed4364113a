import PeerSupport
import Testing

@testable import HTTP2

/// Answers whose header blocks are known: the client reads the same fields from them, whatever else
/// the session sends.
struct AnswerBlockTests {
    private static let head = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"),
    ])
    private static let otherHead = FixedFields([
        (":status", "200"), ("content-type", "application/grpc"), ("grpc-encoding", "gzip"),
    ])
    private static let trailers = FixedFields([("grpc-status", "0")])
    /// Trailers with a value of more bytes than one byte of a length can tell.
    private static let longPairs: [(StaticString, StaticString)] = [
        ("grpc-status", "0"),
        (
            "a-long-field",
            """
            A length of one hundred and twenty-seven bytes or more takes two bytes, or even three \
            if it is very long; this value has more than that.
            """
        ),
    ]
    private static let longTrailers = FixedFields(longPairs)

    private static let headPairs = [[":status", "200"], ["content-type", "application/grpc"]]

    /// A client and a server of which the client has had some answers.
    private struct Peers {
        let pair: SessionPair

        init(answers: Int, chunkBytes: Int = .max) throws {
            pair = try SessionPair(chunkBytes: chunkBytes)
            try pair.exchange()
            for _ in 0..<answers {
                let (call, stream) = try open()
                answer(stream)
                try pair.exchange()
                try check(call)
            }
        }

        func open(
            end: Bool = true
        ) throws -> (call: StreamPointer, stream: StreamPointer) {
            let call = try pair.open(body: [1], end: end)
            try pair.exchange()
            return (call, try #require(pair.server.allReady().last).stream)
        }

        func answer(
            _ stream: StreamPointer, _ bytes: [UInt8] = [1, 2, 3],
            head: FixedFields = AnswerBlockTests.head,
            trailers: FixedFields = AnswerBlockTests.trailers
        ) {
            pair.server.submitHeaders(stream, head)
            bytes.withUnsafeBytes { stream.pointee.output.append($0) }
            pair.server.finish(stream, trailers: trailers)
            pair.server.release(stream)
        }

        /// Checks the whole answer of a call, and lets it go.
        func check(
            _ call: StreamPointer, _ bytes: [UInt8] = [1, 2, 3],
            head: [[String]] = AnswerBlockTests.headPairs,
            trailers: [[String]] = [["grpc-status", "0"]]
        ) throws {
            _ = pair.client.allReady()
            #expect(call.pointee.headers.pairs == head)
            #expect(Array(call.pointee.input.bytes) == bytes)
            #expect(call.pointee.trailers.pairs == trailers)
            #expect(call.pointee.isClosed && call.pointee.closeCode == .noError)
            pair.client.release(call)
        }

        /// Gives the client the next frame of the server.
        func deliverFrame() throws {
            let frame = try #require(try pair.server.nextOutput())
            try pair.client.receive(Array(frame))
        }

        /// Gives the client what the server sends, but for frames that answer no frame of its own.
        ///
        /// - Returns: The frames.
        @discardableResult
        func deliverWithoutAcknowledgements() throws -> [Frame] {
            let frames = Frame.read(try pair.server.output())
            for frame in frames where frame.kind != .settings {
                try pair.client.receive(frame.bytes)
            }
            return frames
        }
    }

    @Test(arguments: [Int.max, 1, 3]) func allAnswersHaveTheSameFields(chunkBytes: Int) throws {
        let peers = try Peers(answers: 6, chunkBytes: chunkBytes)
        #expect(peers.pair.server.openStreams == 0)
        #expect(peers.pair.client.openStreams == 0)
    }

    @Test func anAnswerHasTheFramesAndBlocksThatItHadBefore() throws {
        let peers = try Peers(answers: 1)
        var frames: [[Frame]] = []
        for _ in 0..<3 {
            let (call, stream) = try peers.open()
            peers.answer(stream)
            let bytes = try peers.pair.server.output()
            frames.append(
                Frame.read(bytes).map {
                    Frame(
                        type: $0.type, flags: $0.flags, payload: $0.payload)
                })
            try peers.pair.client.receive(bytes)
            try peers.check(call)
        }
        // The second answer came from nghttp2, and taught the blocks to the session.
        #expect(frames[1] == frames[0] && frames[2] == frames[0])
        #expect(frames[2].map(\.kind) == [.headers, .data, .headers])
        #expect(
            frames[2].map(\.flags) == [Frame.endHeaders, 0, Frame.endHeaders | Frame.endStream])
        #expect(frames[2].map(\.payload.count) == [2, 3, 1])
    }

    @Test func answersToManyCallsAtOnceAreEachComplete() throws {
        let peers = try Peers(answers: 2)
        let calls = try (0..<20).map { _ in try peers.open() }
        for (index, call) in calls.enumerated() {
            peers.answer(call.stream, [UInt8(index)])
        }
        try peers.pair.exchange()
        for (index, call) in calls.enumerated() { try peers.check(call.call, [UInt8(index)]) }
    }

    @Test func aHeaderBlockThatWasPromisedIsRightThoughTheTableChanges() throws {
        let peers = try Peers(answers: 2)
        let (first, second) = (try peers.open(), try peers.open())
        var block = HeaderBlock([(":status", "200"), ("x", "new")])
        defer { block.free() }
        // Its new field goes into the table before the other header block is sent.
        peers.pair.server.submitHeaders(first.stream, nil, block, end: true)
        peers.pair.server.release(first.stream)
        peers.answer(second.stream)
        try peers.pair.exchange()
        try peers.check(second.call)
        #expect(first.call.pointee.headers.pairs == [[":status", "200"], ["x", "new"]])
        for _ in 0..<3 {
            let (call, stream) = try peers.open()
            peers.answer(stream)
            try peers.pair.exchange()
            try peers.check(call)
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func anotherSizeOfTheTableAppliesFromTheNextBlockOn(framesBefore: Int) throws {
        let peers = try Peers(answers: 2)
        let server = peers.pair.server
        let calls = try (0..<2).map { _ in try peers.open() }
        for call in calls { peers.answer(call.stream) }
        // Some frames are out when the client asks for a table without room.
        for _ in 0..<framesBefore {
            try peers.deliverFrame()
        }
        try server.receive(Frame(.settings, payload: [0, 1, 0, 0, 0, 0]).bytes)
        let frames = try peers.deliverWithoutAcknowledgements()
        for call in calls { try peers.check(call.call) }
        // RFC 7541, section 4.2: the first block after the acknowledgement tells the new size.
        let next = frames.drop { $0.kind != .settings }.first { $0.kind == .headers }
        #expect(next?.payload.first == 0x20)
        for _ in 0..<3 {
            let (call, stream) = (try peers.pair.open(body: [1]), server)
            try server.receive(try peers.pair.client.output())
            peers.answer(try #require(stream.allReady().last).stream)
            try peers.deliverWithoutAcknowledgements()
            try peers.check(call)
        }
    }

    @Test func headsByTurnsAreEachRight() throws {
        let peers = try Peers(answers: 2)
        for number in 0..<6 {
            let (call, stream) = try peers.open()
            let isOther = number % 3 == 1
            peers.answer(stream, head: isOther ? Self.otherHead : Self.head)
            try peers.pair.exchange()
            try peers.check(
                call, head: Self.headPairs + (isOther ? [["grpc-encoding", "gzip"]] : []))
        }
    }

    /// Answers of all kinds, in any order, while some of the frames before are still to be sent.
    @Test(arguments: 0..<30 as Range<UInt64>) func answersOfAllKindsAreEachRight(
        seed: UInt64
    ) throws {
        var random = SeededNumbers(seed: seed)
        let peers = try Peers(answers: 0)
        let server = peers.pair.server
        typealias Answer = (call: StreamPointer, head: [[String]], body: [UInt8], end: [[String]])
        var answers: [Answer] = []
        for number in 0..<60 {
            let call = try peers.pair.open(body: [1])
            try server.receive(try peers.pair.client.output())
            let stream = try #require(server.allReady().last).stream
            var answer: Answer = (call, Self.headPairs, [UInt8(number)], [["grpc-status", "0"]])
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                // A field that changes the table, and no messages.
                answer = (call, [[":status", "200"], ["x", "\(number)"]], [], [])
                var block = HeaderBlock([(":status", "200"), ("x", "\(number)")])
                defer { block.free() }
                server.submitHeaders(stream, nil, block, end: true)
                server.release(stream)
            case 1:
                answer.head += [["grpc-encoding", "gzip"]]
                peers.answer(stream, answer.body, head: Self.otherHead)
            case 2:
                answer.end = [["grpc-status", "5"], ["y", "\(number)"]]
                server.submitHeaders(stream, Self.head)
                answer.body.withUnsafeBytes { stream.pointee.output.append($0) }
                stream.pointee.outputTrailers.append("grpc-status", "5")
                stream.pointee.outputTrailers.append("y", "\(number)")
                server.finishWithTrailers(stream)
                server.release(stream)
            case 3:
                answer.body = [UInt8](repeating: 1, count: 20_000)
                peers.answer(stream, answer.body)
            default: peers.answer(stream, answer.body)
            }
            answers.append(answer)
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                if let frame = try server.nextOutput() {
                    try peers.pair.client.receive(Array(frame))
                }
            }
        }
        try peers.pair.exchange()
        for answer in answers {
            try peers.check(answer.call, answer.body, head: answer.head, trailers: answer.end)
        }
        #expect(server.openStreams == 0)
    }

    @Test func fieldsThatAreWrittenOutAreTheSameFields() throws {
        let peers = try Peers(answers: 0)
        func answer() throws -> StreamPointer {
            let (call, stream) = try peers.open()
            peers.answer(stream, trailers: Self.longTrailers)
            return call
        }
        let pairs = Self.longPairs.map { ["\($0.0)", "\($0.1)"] }
        for _ in 0..<3 {
            let call = try answer()
            try peers.pair.exchange()
            try peers.check(call, trailers: pairs)
        }
        let call = try answer()
        let server = peers.pair.server
        // Headers and data are out, and the trailers are due, when the blocks are forgotten.
        for _ in 0..<2 { try peers.deliverFrame() }
        server.answerBlocks.forget()
        try peers.pair.exchange()
        try peers.check(call, trailers: pairs)
    }

    @Test func trailersFollowTheLastDataThatAWindowLetsThrough() throws {
        let peers = try Peers(answers: 2)
        let body = [UInt8](repeating: 9, count: 3 * Int(SessionLimits.streamWindowBytes))
        let (call, stream) = try peers.open()
        peers.answer(stream, body)
        try peers.pair.exchange()
        #expect(call.pointee.input.count < body.count)
        #expect(call.pointee.trailers.count == 0 && !call.isRemoteEnded)
        peers.pair.client.consumeWindow(call)
        try peers.pair.exchange()
        peers.pair.client.consumeWindow(call)
        try peers.pair.exchange()
        try peers.check(call, body)
    }

    @Test func anAnswerThatEndsLaterHasItsTrailersToo() throws {
        let peers = try Peers(answers: 2)
        let (call, stream) = try peers.open()
        peers.pair.server.submitHeaders(stream, Self.head)
        ([1, 2, 3] as [UInt8]).withUnsafeBytes { stream.pointee.output.append($0) }
        peers.pair.server.resume(stream)
        try peers.pair.exchange()
        #expect(!call.isRemoteEnded)
        peers.pair.server.finish(stream, trailers: Self.trailers)
        peers.pair.server.release(stream)
        try peers.pair.exchange()
        try peers.check(call)
    }

    @Test func theSessionIsNotDoneWhileTrailersAreDue() throws {
        let peers = try Peers(answers: 2)
        let (call, stream) = try peers.open()
        let server = peers.pair.server
        peers.answer(stream)
        server.refuseNewStreams()
        while server.dueTrailers == nil {
            try peers.deliverFrame()
        }
        #expect(server.wantsToSend && !server.isFinished)
        try peers.pair.exchange()
        try peers.check(call)
        #expect(server.isFinished)
    }

    @Test func aClientThatStillSendsIsAskedToStopAfterTheTrailers() throws {
        let peers = try Peers(answers: 2)
        let (call, stream) = try peers.open(end: false)
        peers.answer(stream)
        let frames = Frame.read(try peers.pair.server.output())
        #expect(frames.map(\.kind) == [.headers, .data, .headers, .resetStream])
        #expect(frames.last?.errorCode == ErrorCode.noError.rawValue)
        try peers.pair.client.receive(frames.flatMap(\.bytes))
        try peers.check(call)
    }

    @Test func aConnectionThatIsLostSendsNoTrailers() throws {
        let peers = try Peers(answers: 2)
        let (_, stream) = try peers.open()
        let server = peers.pair.server
        peers.answer(stream)
        while server.dueTrailers == nil { _ = try server.nextOutput() }
        server.connectionLost()
        #expect(try server.nextOutput() == nil)
        #expect(!server.wantsToSend)
    }
}
