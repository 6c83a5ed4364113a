import PeerSupport
import Testing

@testable import HTTP2

/// Compressed blocks that come again: the session tells a header block by their bytes, but only
/// while these mean what they meant before.
struct RepeatedBlockTests {
    private typealias Server = RepeatingServer

    private static let beginning = RepeatingServer.beginning
    private static let newest = RepeatingServer.newest

    // MARK: The same bytes

    @Test func aBlockThatIsRepeatedIsTheSameHeaderBlock() throws {
        var server = try Server()
        _ = try server.send(Self.beginning + RepeatingServer.added("x", "1"))
        let block = Self.beginning + [Self.newest]
        let known = try server.learn(block)
        for _ in 0..<3 {
            let stream = try server.send(block)
            #expect(stream.pointee.known?.takeUnretainedValue() === known)
            #expect(RepeatingServer.field("x", stream) == "1")
            #expect(RepeatingServer.field(":path", stream) == "/test.Echo/Unary")
            #expect(RepeatingServer.field(":method", stream) == "POST")
            #expect(stream.pointee.headers.count == 0)
        }
    }

    @Test func headersInTurnAreEachRecognisedByTheirBytes() throws {
        var server = try Server()
        let blocks = ["a", "b", "c"].map { Self.beginning + RepeatingServer.literal("x", $0) }
        let heads = try blocks.map { try server.learn($0) }
        for _ in 0..<3 {
            for (block, head) in zip(blocks, heads) {
                #expect(try server.send(block).pointee.known?.takeUnretainedValue() === head)
            }
        }
    }

    @Test func theEndOfTheRequestIsThatOfItsOwnFrame() throws {
        var server = try Server()
        _ = try server.learn(Self.beginning)
        #expect(try server.send(Self.beginning, end: true).isRemoteEnded)
        let open = try server.send(Self.beginning, end: false)
        #expect(!open.isRemoteEnded)
        let id = UInt32(open.pointee.id)
        try server.session.receive(Frame.data(id, [1, 2, 3], end: true).bytes)
        #expect(Array(open.pointee.input.bytes) == [1, 2, 3])
        #expect(open.isRemoteEnded)
    }

    // MARK: The same bytes with another meaning

    /// Frames that change the compression table, so that its newest field is `x: 2`.
    enum Change: CaseIterable {
        case request, secondRequest, paddedRequest, cutFrameHead, cutBlock, continuedRequest
        case trailers, reset
    }

    @Test(arguments: Change.allCases)
    func theSameBytesMayMeanAnotherHeaderBlock(change: Change) throws {
        var server = try Server()
        let open = try server.send(Self.beginning, end: false)
        _ = try server.send(Self.beginning + RepeatingServer.added("x", "1"))
        let block = Self.beginning + [Self.newest]
        _ = try server.learn(block)
        #expect(RepeatingServer.field("x", try server.send(block)) == "1")

        let id = change == .trailers ? UInt32(open.pointee.id) : server.skipStream()
        let other = Self.beginning + RepeatingServer.added("x", "2")
        func frame(_ payload: [UInt8], _ flags: UInt8 = 0) -> [UInt8] {
            Frame(.headers, flags: Frame.endHeaders | 1 | flags, stream: id, payload: payload).bytes
        }
        let session = server.session
        switch change {
        case .request: try session.receive(frame(other))
        case .secondRequest:
            try session.receive(frame(block) + frame(other).replacingStream(server.skipStream()))
        case .paddedRequest: try session.receive(frame([2] + other + [0, 0], 8))
        case .cutFrameHead:
            try session.receive(Array(frame(other).prefix(4)))
            try session.receive(Array(frame(other).dropFirst(4)))
        case .cutBlock:
            try session.receive(Array(frame(other).prefix(12)))
            try session.receive(Array(frame(other).dropFirst(12)))
        case .continuedRequest:
            let start = Frame(.headers, flags: 1, stream: id, payload: Array(other.prefix(20)))
            let rest = Frame(
                .continuation, flags: Frame.endHeaders, stream: id,
                payload: Array(other.dropFirst(20)))
            try session.receive(start.bytes + rest.bytes)
        case .trailers: try session.receive(frame(RepeatingServer.added("x", "2")))
        case .reset:
            try session.receive(frame(other) + Frame.reset(id).bytes)
        }
        _ = session.allReady()
        for _ in 0..<3 { #expect(RepeatingServer.field("x", try server.send(block)) == "2") }
    }

    @Test func aRefusedRequestChangesTheTableToo() throws {
        var settings = Settings()
        settings.concurrentStreams = 3
        var server = try Server(settings)
        let first = try server.send(Self.beginning + RepeatingServer.added("x", "1"))
        let block = Self.beginning + [Self.newest]
        _ = try server.learn(block)
        _ = try server.session.output()
        // A repeated block is refused as any other one is.
        for payload in [block, Self.beginning + RepeatingServer.added("x", "2")] {
            try server.session.receive(
                Frame(
                    .headers, flags: Frame.endHeaders | 1, stream: server.skipStream(),
                    payload: payload
                ).bytes)
        }
        let answers = Frame.read(try server.session.output())
        #expect(answers.map(\.kind) == [.resetStream, .resetStream])
        #expect(answers.allSatisfy { $0.errorCode == ErrorCode.refusedStream.rawValue })
        server.session.reset(first, .cancel)
        server.session.release(first)
        _ = try server.session.output()
        #expect(RepeatingServer.field("x", try server.send(block)) == "2")
    }

    @Test func aNewSizeOfTheTableIsAChange() throws {
        var server = try Server()
        _ = try server.send(Self.beginning + RepeatingServer.added("x", "1"))
        let block = Self.beginning + [Self.newest]
        _ = try server.learn(block)
        // The table is emptied, so the field is no longer there.
        _ = try server.send([0x20] + Self.beginning)
        let id = server.skipStream()
        try server.session.receive(
            Frame(.headers, flags: Frame.endHeaders | 1, stream: id, payload: block).bytes)
        let last = try #require(Frame.read(try server.session.output()).last)
        #expect(last.errorCode == ErrorCode.compressionError.rawValue)
    }

    @Test func afterAChangeTheBlockIsLearntAnew() throws {
        var server = try Server()
        let block = Self.beginning + RepeatingServer.literal("y", "1")
        let known = try server.learn(block)
        let held = server.session.heldBytes
        for number in 0..<3 {
            _ = try server.send(Self.beginning + RepeatingServer.added("x", "\(number)"))
            for _ in 0..<3 {
                #expect(try server.send(block).pointee.known?.takeUnretainedValue() === known)
                #expect(known.repeated != nil)
            }
        }
        #expect(held > 0)
    }

    /// Frames of a client that repeats itself, with changes of the table among them.
    private static func frames(
        _ count: Int, using random: inout SeededNumbers
    ) -> [Frame] {
        let values = ["1", "2", "3"]
        let parts: [[UInt8]] =
            [[newest], [newest + 1], [newest + 2]] + values.map { RepeatingServer.literal("x", $0) }
            + values.map { RepeatingServer.literal("grpc-timeout", $0 + "S") }
            + values.map { RepeatingServer.literal("traceparent", "00-" + $0) }
        let changes: [[UInt8]] =
            values.map { RepeatingServer.added("x", $0) }
            + values.map { RepeatingServer.added("y", $0) }
            + values.map { RepeatingServer.added("traceparent", $0) }
        var frames: [Frame] = []
        for number in 0..<count {
            let id = UInt32(2 * number + 1)
            var block = beginning
            // The table has three fields before one of them is named.
            for _ in 0..<(number < 3 ? 0 : Int.random(in: 0...2, using: &random)) {
                block += parts.randomElement(using: &random) ?? []
            }
            // A change is rare, so that blocks repeat.
            if number < 3 || Int.random(in: 0..<10, using: &random) == 0 {
                block += changes.randomElement(using: &random) ?? []
            }
            let ends = Bool.random(using: &random) ? Frame.endStream : 0
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                frames.append(
                    Frame(
                        .headers, flags: Frame.endHeaders | ends | 8, stream: id,
                        payload: [1] + block + [0]))
            case 1:
                let cut = Int.random(in: 1..<block.count, using: &random)
                frames.append(
                    Frame(.headers, flags: ends, stream: id, payload: Array(block.prefix(cut))))
                frames.append(
                    Frame(
                        .continuation, flags: Frame.endHeaders, stream: id,
                        payload: Array(block.dropFirst(cut))))
            default:
                frames.append(
                    Frame(.headers, flags: Frame.endHeaders | ends, stream: id, payload: block))
            }
            guard ends == 0 else { continue }
            switch Int.random(in: 0..<4, using: &random) {
            case 0: frames.append(.data(id, [1, 2, 3], end: true))
            case 1: frames.append(.reset(id))
            case 2:
                let block = changes.randomElement(using: &random) ?? []
                frames.append(
                    Frame(.headers, flags: Frame.endHeaders | 1, stream: id, payload: block))
            default: break
            }
        }
        return frames
    }

    /// All that a session shows and sends for some bytes, which come in pieces of random lengths.
    private static func shown(
        _ bytes: [UInt8], remembering: [StaticString]?, seed: UInt64
    ) throws -> (streams: [Int32: Set<[String]>], known: Int, output: [UInt8]) {
        let session = try Session(
            role: .server, pool: StreamPool(), cachingHeadersBut: remembering)
        var random = SeededNumbers(seed: seed)
        var rest = (Frame.preface + bytes)[...]
        var (streams, known): ([Int32: Set<[String]>], Int) = ([:], 0)
        while !rest.isEmpty {
            let count = Int.random(in: 1..<2_000, using: &random)
            try session.receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
            for (stream, events) in session.allReady() {
                var fields = stream.pointee.headers.pairs
                if let head = stream.pointee.known?.takeUnretainedValue() {
                    fields += head.block.pairs
                    if head.repeated != nil { known += 1 }
                }
                let end = ["ends", "\(stream.isRemoteEnded)", "\(stream.pointee.input.count)"]
                streams[stream.pointee.id] = Set(fields + [end])
                if events.contains(.closed) { session.release(stream) }
            }
        }
        return (streams, known, try session.output())
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func aSessionThatRemembersShowsTheSameAsOneThatDoesNot(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let bytes = Self.frames(200, using: &random).flatMap(\.bytes)
        let plain = try Self.shown(bytes, remembering: nil, seed: seed)
        let remembered = try Self.shown(bytes, remembering: RepeatingServer.open, seed: seed)
        for (id, fields) in plain.streams {
            #expect(remembered.streams[id] == fields, "stream \(id)")
        }
        #expect(plain.output == remembered.output)
        #expect(plain.streams.count == 200 && plain.known == 0 && remembered.known > 5)
    }

    // MARK: Header blocks that nghttp2 must see

    @Test func theLengthThatAHeaderBlockTellsIsStillHeldAgainstTheData() throws {
        var server = try Server()
        let block = Self.beginning + RepeatingServer.literal("content-length", "3")
        for number in 0..<4 {
            let stream = try server.send(block, end: false)
            let id = UInt32(stream.pointee.id)
            #expect(stream.pointee.known?.takeUnretainedValue().repeated == nil)
            _ = try server.session.output()
            let bytes: [UInt8] = number % 2 == 0 ? [1, 2] : [1, 2, 3]
            try server.session.receive(Frame.data(id, bytes, end: true).bytes)
            let resets = Frame.read(try server.session.output()).filter { $0.kind == .resetStream }
            #expect(resets.isEmpty == (number % 2 == 1))
        }
    }

    @Test func aHeaderBlockWithAPriorityIsDecodedEachTime() throws {
        var server = try Server()
        let block = Self.beginning + RepeatingServer.literal("priority", "u=1")
        for number in 0..<3 {
            let known = try server.send(block).pointee.known
            #expect((known != nil) == (number > 0))
            #expect(known?.takeUnretainedValue().repeated == nil)
        }
    }

    @Test func aLongBlockIsDecodedEachTime() throws {
        var server = try Server()
        func block(_ count: Int) -> [UInt8] {
            var block = Self.beginning
            while block.count < count {
                // Four bytes of a field are not its value, and one field is the rest.
                let left = count - block.count - 4
                let value = left > 104 ? 90 : left
                block += RepeatingServer.literal("x", String(repeating: "v", count: value))
            }
            return block
        }
        _ = try server.learn(block(SessionLimits.repeatedBlockBytes))
        let long = block(SessionLimits.repeatedBlockBytes + 1)
        _ = try server.send(long)
        let known = try #require(try server.send(long).pointee.known).takeUnretainedValue()
        #expect(known.repeated == nil)
    }

    // MARK: Memory and pieces

    @Test func blocksCountAsMemoryUntilTheyAreGivenUp() throws {
        var server = try Server()
        _ = try server.send(Self.beginning)
        let stream = try server.send(Self.beginning, end: false)
        let known = try #require(stream.pointee.known).takeUnretainedValue()
        let bytes = try #require(known.repeated).memoryBytes
        #expect(bytes > Self.beginning.count)
        #expect(known.memoryBytes > bytes)
        let held = server.session.heldBytes
        server.session.forgetHeaders()
        #expect(server.session.heldBytes <= held - bytes)
        #expect(RepeatingServer.field(":path", stream) == "/test.Echo/Unary")
        #expect(try server.send(Self.beginning).pointee.known == nil)
    }

    @Test func piecesEndBehindTheBlockThatBeginsInThem() throws {
        let blocks =
            [Self.beginning + RepeatingServer.added("x", "1")]
            + [[UInt8]](repeating: Self.beginning + [Self.newest], count: 5)
        var bytes: [UInt8] = []
        for (index, block) in blocks.enumerated() {
            let id = UInt32(2 * index + 1)
            bytes +=
                Frame(.headers, flags: Frame.endHeaders, stream: id, payload: block).bytes
                + Frame.data(id, [UInt8](repeating: 7, count: 20), end: true).bytes
        }
        for count in 1...bytes.count {
            let server = try Server()
            let turn = server.session.walk.tableVersion
            var rest = bytes[...]
            while !rest.isEmpty {
                let used = try rest.withUnsafeBytes { try server.session.receive($0, about: count) }
                #expect(used >= min(count, rest.count))
                rest = rest.dropFirst(used)
            }
            let streams = server.session.allReady().map(\.stream)
            #expect(streams.count == blocks.count)
            for stream in streams {
                #expect(RepeatingServer.field("x", stream) == "1")
                #expect(stream.pointee.input.count == 20 && stream.isRemoteEnded)
            }
            // Only the first block has changed the table: no other one was cut.
            #expect(server.session.walk.tableVersion == turn + 1)
        }
    }

    @Test func blocksThatComeInPartsAreTheSameHeaderBlocks() throws {
        var bytes: [UInt8] = []
        for index in 0..<6 {
            let block =
                Self.beginning + (index == 0 ? RepeatingServer.added("x", "1") : [Self.newest])
            bytes +=
                Frame(
                    .headers, flags: Frame.endHeaders | 1, stream: UInt32(2 * index + 1),
                    payload: block
                ).bytes
        }
        for count in 1...bytes.count {
            let server = try Server()
            var rest = bytes[...]
            while !rest.isEmpty {
                try server.session.receive(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let streams = server.session.allReady().map(\.stream)
            #expect(streams.count == 6)
            for stream in streams { #expect(RepeatingServer.field("x", stream) == "1") }
        }
    }
}

extension [UInt8] {
    /// The same frame on another stream.
    fileprivate func replacingStream(_ stream: UInt32) -> [UInt8] {
        Array(prefix(5)) + Frame.bigEndian(stream) + dropFirst(9)
    }
}
