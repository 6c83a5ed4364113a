import GRPC
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import AdminEndpoints

/// The pages over one connection, by its bytes and by a clock that a test moves.
struct AdminEndpointsTests {
    /// A connection, and what it was answered.
    final class Peer {
        let loop: EmbeddedEventLoop
        let channel: EmbeddedChannel
        let made = Counter()
        let held = Held()
        let time = Counter()

        /// - Parameters:
        ///   - others: The connections beside it.
        ///   - more: Pages that not every test has.
        init(
            among others: ConnectionSlots = ConnectionSlots(), and more: [AdminEndpoint] = [],
            loop: EmbeddedEventLoop = EmbeddedEventLoop(),
            rules: BrowserRules = BrowserRules()
        ) throws {
            self.loop = loop
            channel = EmbeddedChannel(loop: loop)
            let (made, time, held) = (made, time, held)
            let pages = [
                AdminEndpoint("/plain") { AdminAnswer("plain\n") },
                AdminEndpoint("/kept", isKept: true) { AdminAnswer("made \(made.add(1))\n") },
                AdminEndpoint("/counted", isListed: false) { AdminAnswer("made \(made.add(1))\n") },
                AdminEndpoint("/probe", isListed: false, isProbe: true) { AdminAnswer("well\n") },
                AdminEndpoint.later("/later") { answer in held.withLock { $0 = answer } },
                AdminEndpoint("/ill") { AdminAnswer(status: 503, "ill\n") },
            ]
            let table = EndpointTable(pages + more) { UInt64(time.value) * 1_000_000 }
            let service = AdminService(table, slots: others, rules: rules)
            try AdminServer.serve(channel, service)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit {
            // A close that waits for the client ends in a turn of the loop.
            channel.close(promise: nil)
            loop.run()
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }

        /// The answer to `text`.
        func send(_ text: String) throws -> String {
            try channel.writeInbound(ByteBuffer(string: text))
            loop.run()
            var answer = ""
            while var part = try channel.readOutbound(as: ByteBuffer.self) {
                answer += part.readString(length: part.readableBytes) ?? ""
            }
            return answer
        }

        func get(_ path: String) throws -> String {
            try send("GET \(path) HTTP/1.1\r\nhost: x\r\n\r\n")
        }

        var isOpen: Bool { channel.isActive }

        func advance(milliseconds: Int64) {
            loop.advanceTime(by: .milliseconds(milliseconds))
        }
    }

    /// The way to answer a page that others make.
    final class Held: Sendable {
        typealias Answer = @Sendable (AdminAnswer) -> Void

        private let answer = Mutex<Answer?>(nil)

        func withLock<Result>(_ body: (inout Answer?) -> Result) -> Result {
            answer.withLock { body(&$0) }
        }
    }

    /// A socket whose client reads nothing by itself.
    final class Stuck: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private var promises: [EventLoopPromise<Void>] = []
        private(set) var bytes = 0

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            bytes += unwrapOutboundIn(data).readableBytes
            if let promise { promises.append(promise) }
        }

        /// Takes what has come so far.
        func accept() {
            let taken = promises
            promises = []
            bytes = 0
            for promise in taken { promise.succeed() }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            for promise in promises { promise.fail(ChannelError.ioOnClosedChannel) }
        }
    }

    final class Counter: Sendable {
        private let number = Atomic(0)
        var value: Int { number.load(ordering: .relaxed) }

        @discardableResult
        func add(_ amount: Int) -> Int {
            number.add(amount, ordering: .relaxed).newValue
        }
    }

    @Test func aPageIsAnsweredAndTheConnectionStays() throws {
        let peer = try Peer()
        let answer = try peer.get("/plain?x=1")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\nplain\n"))
        #expect(answer.contains("content-type: text/plain; charset=utf-8\r\n"))
        #expect(answer.contains("content-length: 6\r\n"))
        #expect(peer.isOpen)
        #expect(try peer.get("/ill").hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
    }

    @Test func aHeadIsAnsweredWithoutABody() throws {
        let answer = try Peer().send("HEAD /plain HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(answer.hasSuffix("\r\n\r\n"))
        #expect(answer.contains("content-length: 6\r\n"))
    }

    @Test func anUnknownPageListsThoseThatThereAre() throws {
        let answer = try Peer().get("/nowhere")
        #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(answer.hasSuffix("/plain\n/kept\n/later\n/ill\n"))
    }

    @Test func aPageIsOnlyRead() throws {
        let answer = try Peer().send("DELETE /plain HTTP/1.1\r\nhost: x\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\n"))
        #expect(answer.contains("allow: GET, HEAD\r\n"))
    }

    @Test func aKeptPageIsMadeAnewAfterItsTime() throws {
        let peer = try Peer()
        #expect(try peer.get("/kept").hasSuffix("made 1\n"))
        peer.time.add(Int(AdminLimits.pageMilliseconds) - 1)
        #expect(try peer.get("/kept").hasSuffix("made 1\n"))
        peer.time.add(1)
        #expect(try peer.get("/kept").hasSuffix("made 2\n"))
    }

    @Test func requestsThatComeTogetherAreAnsweredInOrder() throws {
        let one = "GET /plain HTTP/1.1\r\nhost: x\r\n\r\n"
        let answer = try Peer().send(one + one)
        #expect(answer.components(of: "plain\n") == 2)
    }

    @Test func aHeaderBlockThatIsTooLongIsRefused() throws {
        let peer = try Peer()
        let bytes = AdminLimits.headBytes + AdminLimits.bodyBytes
        let answer = try peer.send(
            "GET /plain HTTP/1.1\r\nx: " + String(repeating: "x", count: bytes))
        #expect(answer.hasPrefix("HTTP/1.1 431 "))
        #expect(!peer.isOpen)
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let peer = try Peer()
        let count = AdminLimits.bodyBytes + 1
        let answer = try peer.send(
            "GET /plain HTTP/1.1\r\nhost: x\r\ncontent-length: \(count)\r\n\r\n"
                + String(repeating: "x", count: count))
        #expect(answer.hasPrefix("HTTP/1.1 413 "))
        #expect(!peer.isOpen)
    }

    @Test func aShortBodyIsLetPass() throws {
        let answer = try Peer().send(
            "GET /plain HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nxx")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func bytesThatAreNoRequestEndTheConnection() throws {
        let peer = try Peer()
        let answer = try peer.send("\u{1}\u{2}\u{3}\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(!peer.isOpen)
    }

    @Test func aClientThatAsksNothingIsClosed() throws {
        let peer = try Peer()
        peer.advance(milliseconds: AdminLimits.requestMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aRequestThatDoesNotEndIsClosed() throws {
        let peer = try Peer()
        #expect(try peer.get("/plain").hasSuffix("plain\n"))
        peer.advance(milliseconds: AdminLimits.idleMilliseconds - 1)
        _ = try peer.send("GET /plain HTTP/1.1\r\n")
        peer.advance(milliseconds: AdminLimits.requestMilliseconds - 1)
        _ = try peer.send("host: x\r\n")
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aRequestThatCameWithTheLastOneAndDoesNotEndIsClosed() throws {
        let peer = try Peer()
        let half = "GET /plain HTTP/1.1\r\nho"
        _ = try peer.send("GET /plain HTTP/1.1\r\nhost: x\r\n\r\n\(half)")
        peer.advance(milliseconds: AdminLimits.requestMilliseconds)
        #expect(!peer.isOpen)
    }

    @Test func anIdleConnectionIsClosed() throws {
        let peer = try Peer()
        _ = try peer.get("/plain")
        peer.advance(milliseconds: AdminLimits.idleMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aClientThatDoesNotReadItsAnswerIsClosed() throws {
        let peer = try Peer()
        try peer.channel.pipeline.syncOperations.addHandler(Stuck(), position: .first)
        #expect(try peer.get("/plain") == "")
        peer.advance(milliseconds: AdminLimits.answerMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aPageThatOthersMakeIsAnsweredWhenTheyHaveMadeIt() throws {
        let peer = try Peer()
        #expect(try peer.get("/later") == "")
        // The next request waits for its turn.
        #expect(try peer.get("/plain") == "")
        peer.held.withLock { $0 }?(AdminAnswer("at last\n"))
        let answer = try peer.send("")
        #expect(answer.contains("\r\n\r\nat last\n"))
        #expect(answer.hasSuffix("\r\n\r\nplain\n"))
    }

    @Test func aPageThatIsNeverMadeEndsWithTheTimeOfTheRequest() throws {
        let peer = try Peer()
        _ = try peer.get("/later")
        peer.advance(milliseconds: AdminLimits.requestMilliseconds)
        #expect(!peer.isOpen)
        peer.held.withLock { $0 }?(AdminAnswer("too late\n"))
        peer.loop.run()
    }

    // MARK: - What clients hold

    private static let count = "GET /counted HTTP/1.1\r\nhost: x\r\n\r\n"

    @Test func anAnswerWaitsUntilTheOneBeforeHasLeft() throws {
        let peer = try Peer()
        let socket = Stuck()
        try peer.channel.pipeline.syncOperations.addHandler(socket, position: .first)
        _ = try peer.send(String(repeating: Self.count, count: 1_000))
        #expect(peer.made.value == 1)
        let one = socket.bytes
        for number in 2...4 {
            socket.accept()
            #expect(peer.made.value == number)
            #expect(socket.bytes == one)
        }
    }

    @Test func answersOfAllConnectionsTogetherAreBounded() throws {
        let loop = EmbeddedEventLoop()
        // Each of the answers has seven bytes.
        let places = ConnectionSlots(queuedBytes: 3 * 7)
        let peers = try (1...4).map { _ in try Peer(among: places, loop: loop) }
        for (number, peer) in peers.enumerated() {
            try peer.channel.pipeline.syncOperations.addHandler(Stuck(), position: .first)
            #expect(places.waitingBytes == min(number, 3) * 7)
            _ = try peer.send(Self.count)
            peer.advance(milliseconds: 1)
        }
        #expect(places.waitingBytes == 3 * 7)
        // The one that has read nothing for the longest time had to go.
        #expect(peers.map(\.isOpen) == [false, true, true, true])
    }

    @Test func aNewConnectionTakesThePlaceOfTheOneThatDoesTheLeast() throws {
        let loop = EmbeddedEventLoop()
        let places = ConnectionSlots(connections: 4)
        var peers: [Peer] = []
        for number in 0..<4 {
            let peer = try Peer(among: places, loop: loop)
            peers.append(peer)
            switch number {
            case 0:
                try peer.channel.pipeline.syncOperations.addHandler(Stuck(), position: .first)
                _ = try peer.send(Self.count)
            case 1: _ = try peer.send("GET /counted HTTP/1.1\r\nho")
            default: #expect(try peer.send(Self.count).hasSuffix("made 1\n"))
            }
            peer.advance(milliseconds: 1)
        }
        var gone: [Int] = []
        for _ in 0..<4 {
            let newcomer = try Peer(among: places, loop: loop)
            // However many hold their places, a newcomer is answered.
            #expect(try newcomer.get("/probe").hasSuffix("well\n"))
            gone += peers.indices.filter { !peers[$0].isOpen && !gone.contains($0) }
            // It goes on to ask something, so that it is not the one that does the least.
            _ = try newcomer.get("/later")
            peers.append(newcomer)
            newcomer.advance(milliseconds: 1)
            #expect(places.count == 4)
        }
        #expect(Array(gone.prefix(3)) == [2, 3, 1])
    }

    // MARK: - Header sections

    @Test(arguments: [
        "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n",
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n",
        "connection: upgrade\r\nupgrade: x\r\ncontent-length: 0\r\n",
        "expect: x\r\n",
    ])
    func aClientThatAsksForAnotherProtocolIsAnsweredAndGoesOn(fields: String) throws {
        let peer = try Peer()
        for _ in 1...3 {
            let answer = try peer.send("GET /plain HTTP/1.1\r\nhost: x\r\n\(fields)\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nplain\n"))
        }
    }

    @Test(arguments: [
        "transfer-encoding: gzip, chunked\r\n", "transfer-encoding: xchunked\r\n",
        "content-length: 1\r\ntransfer-encoding: chunked\r\n", "x : y\r\n", " x: y\r\n",
        "content-length: 1, 1\r\n", "host: y\r\n", "x: a\u{1}\r\n", "x: y\n",
    ])
    func aHeaderBlockThatTwoProgramsMayReadInTwoWaysIsRefusedOnce(fields: String) throws {
        let peer = try Peer()
        let head = "GET /counted HTTP/1.1\r\nhost: x\r\n\(fields)\r\n"
        let answer = try peer.send(head + Self.count + Self.count)
        #expect(answer.components(of: "HTTP/1.1 ") == 1)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 501 "))
        #expect(answer.contains("connection: close\r\n"))
        #expect(peer.made.value == 0)
        #expect(!peer.isOpen)
    }

    @Test(arguments: ["transfer-encoding: chunked\r\n\r\n0\r\nx: ", "content-length: 3\r\n\r\nx"])
    func aBodyThatDoesNotEndIsClosed(rest: String) throws {
        let peer = try Peer()
        #expect(try peer.send("GET /plain HTTP/1.1\r\nhost: x\r\n\(rest)") == "")
        peer.advance(milliseconds: AdminLimits.requestMilliseconds)
        #expect(!peer.isOpen)
    }

    @Test func theOldVersionIsAnsweredAndClosedUnlessItAsksToGoOn() throws {
        let peer = try Peer()
        let goesOn = "GET /plain HTTP/1.0\r\nconnection: keep-alive\r\n\r\n"
        #expect(try peer.send(goesOn).contains("connection: keep-alive\r\n"))
        let last = try peer.send("GET /plain HTTP/1.0\r\n\r\n")
        #expect(last.contains("connection: close\r\n") && last.hasSuffix("plain\n"))
        #expect(!peer.isOpen)
    }

    @Test func anAnswerTellsItsTimeAndThatItIsNotKept() throws {
        let answer = try Peer().get("/plain")
        #expect(answer.contains("\r\ncache-control: no-store\r\n"))
        let date = answer.firstRange(of: "\r\ndate: ").map { answer[$0.upperBound...].prefix(29) }
        #expect(date?.hasSuffix(" GMT") == true)
    }

    // MARK: - Hosts

    private static func rules(_ change: (inout BrowserRules) -> Void = { _ in }) -> BrowserRules {
        var rules = BrowserRules()
        rules.checksHosts = true
        rules.hosts = ["metrics.example"]
        change(&rules)
        return rules
    }

    @Test(arguments: [
        ("localhost:7451", 200), ("127.0.0.1", 200), ("[::1]:7451", 200), ("evil.example", 403),
        ("Metrics.Example:7451", 200), ("metrics.example.evil", 403), ("10.0.0.1", 403), ("", 403),
    ])
    func aPageIsShownUnderNamesOfTheMachineAlone(host: String, status: Int) throws {
        let peer = try Peer(rules: Self.rules())
        let answer = try peer.send("GET /plain HTTP/1.1\r\nhost: \(host)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("browser-hosts") == (status == 403))
        // A probe tells nothing, and goes by whatever name the machine has for others.
        let probe = try peer.send("GET /probe HTTP/1.1\r\nhost: \(host)\r\n\r\n")
        #expect(probe.hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [
        ("10.0.0.1:7451", 200), ("[fe80::1]", 200), ("10.0.0.1.evil.example", 403),
        ("[evil]", 403), ("10.0.1", 403),
    ])
    func pagesForOtherMachinesAreShownUnderAnyAddress(host: String, status: Int) throws {
        let peer = try Peer(rules: Self.rules { $0.takesAddresses = true })
        let answer = try peer.send("GET /plain HTTP/1.1\r\nhost: \(host)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test func aWholeAddressCountsAndNotTheFieldBesideIt() throws {
        let peer = try Peer(rules: Self.rules())
        let answer = try peer.send(
            "GET http://evil.example/plain HTTP/1.1\r\nhost: localhost\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 403 "))
    }

    @Test func aClientThatWantsToGoIsClosed() throws {
        let peer = try Peer()
        let answer = try peer.send(
            "GET /plain HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        #expect(answer.contains("connection: close\r\n"))
        #expect(!peer.isOpen)
    }
}

extension String {
    /// How often `part` comes in it.
    fileprivate func components(of part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
