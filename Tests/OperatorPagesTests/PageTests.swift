import GRPC
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import OperatorPages

/// The pages over one connection, by its bytes and by a clock that a test moves.
struct PageTests {
    /// A connection, and what it was answered.
    final class Peer {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        let made = Counter()
        let held = Held()
        let time = Counter()

        init(times: PageTimes = PageTimes()) throws {
            channel = EmbeddedChannel(loop: loop)
            let (made, time, held) = (made, time, held)
            let pages = [
                Page("/plain") { PageAnswer("plain\n") },
                Page("/kept", isKept: true) { PageAnswer("made \(made.add(1))\n") },
                Page.later("/later") { answer in held.withLock { $0 = answer } },
                Page("/ill") { PageAnswer(status: 503, "ill\n") },
            ]
            let table = PageTable(pages) { UInt64(time.value) * 1_000_000 }
            try PageServer.serve(channel, table, times)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit {
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
        typealias Answer = @Sendable (PageAnswer) -> Void

        private let answer = Mutex<Answer?>(nil)

        func withLock<Result>(_ body: (inout Answer?) -> Result) -> Result {
            answer.withLock { body(&$0) }
        }
    }

    /// A socket that takes no bytes.
    final class Stuck: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private var promises: [EventLoopPromise<Void>] = []

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            if let promise { promises.append(promise) }
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

    @Test func anUnknownPageIsToldWhichThereAre() throws {
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
        peer.time.add(Int(PageLimits.pageMilliseconds) - 1)
        #expect(try peer.get("/kept").hasSuffix("made 1\n"))
        peer.time.add(1)
        #expect(try peer.get("/kept").hasSuffix("made 2\n"))
    }

    @Test func requestsThatComeTogetherAreAnsweredInOrder() throws {
        let one = "GET /plain HTTP/1.1\r\nhost: x\r\n\r\n"
        let answer = try Peer().send(one + one)
        #expect(answer.components(of: "plain\n") == 2)
    }

    @Test func aHeadThatIsTooLongIsRefused() throws {
        let peer = try Peer()
        let bytes = PageLimits.headBytes + PageLimits.bodyBytes
        let answer = try peer.send(
            "GET /plain HTTP/1.1\r\nx: " + String(repeating: "x", count: bytes))
        #expect(answer.hasPrefix("HTTP/1.1 431 "))
        #expect(!peer.isOpen)
    }

    @Test func aBodyThatIsTooLongIsRefused() throws {
        let peer = try Peer()
        let count = PageLimits.bodyBytes + 1
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
        peer.advance(milliseconds: PageLimits.requestMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aRequestThatDoesNotEndIsClosed() throws {
        let peer = try Peer()
        #expect(try peer.get("/plain").hasSuffix("plain\n"))
        peer.advance(milliseconds: PageLimits.idleMilliseconds - 1)
        _ = try peer.send("GET /plain HTTP/1.1\r\n")
        peer.advance(milliseconds: PageLimits.requestMilliseconds - 1)
        _ = try peer.send("host: x\r\n")
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func anIdleConnectionIsClosed() throws {
        let peer = try Peer()
        _ = try peer.get("/plain")
        peer.advance(milliseconds: PageLimits.idleMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aClientThatDoesNotReadItsAnswerIsClosed() throws {
        let peer = try Peer()
        try peer.channel.pipeline.syncOperations.addHandler(Stuck(), position: .first)
        #expect(try peer.get("/plain") == "")
        peer.advance(milliseconds: PageLimits.answerMilliseconds - 1)
        #expect(peer.isOpen)
        peer.advance(milliseconds: 1)
        #expect(!peer.isOpen)
    }

    @Test func aPageThatOthersMakeIsAnsweredWhenTheyHaveMadeIt() throws {
        let peer = try Peer()
        #expect(try peer.get("/later") == "")
        // The next request waits for its turn.
        #expect(try peer.get("/plain") == "")
        peer.held.withLock { $0 }?(PageAnswer("at last\n"))
        let answer = try peer.send("")
        #expect(answer.contains("\r\n\r\nat last\n"))
        #expect(answer.hasSuffix("\r\n\r\nplain\n"))
    }

    @Test func aPageThatIsNeverMadeEndsWithTheTimeOfTheRequest() throws {
        let peer = try Peer()
        _ = try peer.get("/later")
        peer.advance(milliseconds: PageLimits.requestMilliseconds)
        #expect(!peer.isOpen)
        peer.held.withLock { $0 }?(PageAnswer("too late\n"))
        peer.loop.run()
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
