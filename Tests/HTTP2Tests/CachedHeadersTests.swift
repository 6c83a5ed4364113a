import Memory
import PeerSupport
import Testing

@testable import HTTP2

/// Header blocks that a client repeats: whatever is known of them, a stream shows the fields that
/// were sent.
struct CachedHeadersTests {
    private final class Meaning {}

    /// A server that remembers header blocks, and the client of a pair.
    private struct Peers {
        let pair: SessionPair
        let server: Session

        init(chunkBytes: Int = .max) throws {
            pair = try SessionPair(chunkBytes: chunkBytes)
            server = try Session(
                role: .server, pool: pair.serverStreams,
                cachingHeadersBut: ["grpc-timeout", "traceparent"])
        }

        func exchange() throws {
            try server.receive(try pair.client.output())
            try pair.client.receive(try server.output())
        }

        /// Sends requests with these header blocks, and returns their streams.
        func send(_ heads: [(String, String)]...) throws -> [StreamPointer] {
            for head in heads { _ = try pair.open(head) }
            try exchange()
            return server.allReady().map(\.stream)
        }
    }

    /// The fields of a stream's header block, whether they are known or not.
    private static func fields(_ stream: StreamPointer) -> Set<[String]> {
        var fields = stream.pointee.headers.pairs
        if let known = stream.pointee.known { fields += known.takeUnretainedValue().block.pairs }
        return Set(fields)
    }

    private static func pairs(_ head: [(String, String)]) -> Set<[String]> {
        Set(head.map { [$0.0, $0.1] })
    }

    @Test func aRepeatedHeaderBlockIsKnownWithWhatWasMadeOfIt() throws {
        let peers = try Peers()
        let head = SessionPair.request() + [("authorization", "Bearer abc")]
        let first = try #require(try peers.send(head).first)
        #expect(first.pointee.known == nil)
        let meaning = Meaning()
        let second = try #require(try peers.send(head).first)
        let known = try #require(second.pointee.known).takeUnretainedValue()
        #expect(second.pointee.headers.count == 0)
        let key = SlotKey<Meaning>()
        known.slot[key] = meaning
        let third = try #require(try peers.send(head).first)
        #expect(third.pointee.known?.takeUnretainedValue().slot[key] === meaning)
        #expect(Self.fields(third) == Self.pairs(head))
        #expect(third.field("authorization").map { Array($0) } == Array("Bearer abc".utf8))
        #expect(third.field("x-app-id") == nil)
    }

    @Test func theOpenFieldIsReportedForEachCall() throws {
        let peers = try Peers()
        for number in 0..<5 {
            let head = SessionPair.request() + [("grpc-timeout", "\(number)S"), ("z", "x")]
            let stream = try #require(try peers.send(head).first)
            #expect((stream.pointee.known != nil) == (number > 0))
            #expect(Self.fields(stream) == Self.pairs(head))
            #expect(
                stream.field("grpc-timeout").map { Array($0) } == Array("\(number)S".utf8))
        }
    }

    @Test func anOpenFieldThatIsLongMakesTheHeaderBlockStrange() throws {
        let peers = try Peers()
        func head(_ timeout: String) -> [(String, String)] {
            SessionPair.request() + [("grpc-timeout", timeout), ("z", "z")]
        }
        _ = try peers.send(head("1S"), head("2S"))
        let limit = String(repeating: "1", count: SessionLimits.openFieldBytes)
        #expect(try peers.send(head(limit)).first?.pointee.known != nil)
        let stream = try #require(try peers.send(head(limit + "1")).first)
        #expect(stream.pointee.known == nil)
        #expect(Self.fields(stream) == Self.pairs(head(limit + "1")))
    }

    @Test(arguments: [Int.max, 1, 3])
    func headersThatDifferAnywhereAreDistinguished(chunk: Int) throws {
        let peers = try Peers(chunkBytes: chunk)
        let base = SessionPair.request() + [("a", "1"), ("b", "2")]
        var heads = [base, Array(base.dropLast()), base + [("c", "3")]]
        // HTTP/2 allows one value of `te`, and of the pseudo-fields those that make sense.
        for index in base.indices where index > 1 && base[index].0 != "te" {
            var other = base
            other[index].1 = index == 2 ? "/test.Echo/Other" : "other"
            heads.append(other)
        }
        // Some are known and some replace others, in any order.
        var random = SeededNumbers(seed: 7)
        for _ in 0..<300 {
            let head = heads[Int.random(in: 0..<heads.count, using: &random)]
            let stream = try #require(try peers.send(head).first)
            #expect(Self.fields(stream) == Self.pairs(head))
            let all =
                stream.pointee.headers.count
                + (stream.pointee.known?.takeUnretainedValue().block.count ?? 0)
            #expect(all == head.count)
            peers.server.reset(stream, .cancel)
            peers.server.release(stream)
            try peers.exchange()
            _ = peers.server.allReady()
            for (call, _) in peers.pair.client.allReady() { peers.pair.client.release(call) }
        }
    }

    @Test func headsInTurnAreAllKnownUpToTheLimit() throws {
        let peers = try Peers()
        let heads = (0..<SessionLimits.headerCache).map { SessionPair.request("/test.Echo/M\($0)") }
        for head in heads { #expect(try peers.send(head).first?.pointee.known == nil) }
        for _ in 0..<3 {
            for head in heads { #expect(try peers.send(head).first?.pointee.known != nil) }
        }
        #expect(try peers.send(SessionPair.request("/test.Echo/More")).first?.pointee.known == nil)
        // The first one had to make room.
        #expect(try peers.send(heads[0]).first?.pointee.known == nil)
    }

    @Test func aStreamKeepsItsHeaderBlockWhenTheKnownOneIsDropped() throws {
        let peers = try Peers()
        let head = SessionPair.request() + [("grpc-timeout", "1S")]
        let stream = try #require(try peers.send(head, head).last)
        #expect(stream.pointee.known != nil)
        for number in 0..<SessionLimits.headerCache {
            _ = try peers.send(SessionPair.request("/test.Echo/M\(number)"))
        }
        #expect(stream.pointee.known == nil)
        #expect(Self.fields(stream) == Self.pairs(head))
    }

    @Test func aClientThatNeverRepeatsItsHeaderBlocksHasFewRemembered() throws {
        let peers = try Peers()
        var remembered: Set<Int> = []
        for number in 0..<3 * SessionLimits.unknownHeaders {
            let before = peers.server.heldBytes
            let stream = try #require(
                try peers.send(SessionPair.request() + [("trace", "\(number)")]).first)
            #expect(stream.pointee.known == nil)
            if peers.server.heldBytes - before > SessionLimits.streamBytes + 512 + 256 {
                remembered.insert(number)
            }
            peers.server.reset(stream, .cancel)
            peers.server.release(stream)
            try peers.exchange()
            _ = peers.server.allReady()
            for (call, _) in peers.pair.client.allReady() { peers.pair.client.release(call) }
        }
        #expect(remembered.count <= SessionLimits.headerCache + 3)
        #expect(remembered.contains(0))
    }

    @Test func aHeaderBlockThatDiffersBehindTheOpenFieldIsKnownTheNextTime() throws {
        let peers = try Peers()
        func head(_ number: Int, _ key: String?) -> [(String, String)] {
            SessionPair.request() + [("grpc-timeout", "\(number)S")]
                + (key.map { [("authorization", $0)] } ?? [])
        }
        for key in ["a", "b", nil] { _ = try peers.send(head(1, key)) }
        for round in 2..<5 {
            for key in ["a", "b", nil] {
                let stream = try #require(try peers.send(head(round, key)).first)
                #expect(stream.pointee.known != nil, "round \(round), \(key ?? "no key")")
                #expect(Self.fields(stream) == Self.pairs(head(round, key)))
            }
        }
    }

    @Test func headsAreGivenUpForTheirMemory() throws {
        let peers = try Peers()
        let head = SessionPair.request()
        _ = try peers.send(head)
        let stream = try #require(try peers.send(head).first)
        let held = peers.server.heldBytes
        peers.server.forgetHeaders()
        #expect(stream.pointee.known == nil)
        #expect(Self.fields(stream) == Self.pairs(head))
        #expect(peers.server.heldBytes < held)
        #expect(try peers.send(head).first?.pointee.known == nil)
        #expect(try peers.send(head).first?.pointee.known != nil)
    }

    @Test(arguments: [Int.max, 1])
    func trailersAfterABrokenHeaderBlockChangeNoOtherHeaderBlock(chunk: Int) throws {
        let peers = try Peers()
        let head = SessionPair.request() + [("z", "z")]
        _ = try peers.send(head)
        let server = peers.server
        func frame(_ stream: UInt32, _ fields: [(String, String)], _ flags: UInt8) -> [UInt8] {
            Frame(.headers, flags: flags, stream: stream, payload: Frame.block(fields)).bytes
        }
        let other = SessionPair.request("/test.Echo/Other")
        // The second header block is refused in its middle, by a field that HTTP/2 forbids.
        let broken = Array(head.prefix(4)) + [("te", "gzip"), ("content-type", "application/grpc")]
        let bytes =
            frame(3, other, Frame.endHeaders) + frame(5, broken, Frame.endHeaders | 1)
            + frame(3, [("trailer-field", "x")], Frame.endHeaders | 1)
        var rest = bytes[...]
        while !rest.isEmpty {
            try server.receive(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
        }
        let open = try #require(server.allReady().first { $0.stream.pointee.id == 3 }).stream
        #expect(Self.fields(open) == Self.pairs(other))
        #expect(open.pointee.headers.count + (open.pointee.known == nil ? 0 : 6) == other.count)
    }

    @Test func aLongHeaderBlockIsNotRemembered() throws {
        let peers = try Peers()
        let used = SessionPair.request().reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
        let room = SessionLimits.cachedHeaderListBytes - used - 33
        func head(_ count: Int) -> [(String, String)] {
            SessionPair.request() + [("x", String(repeating: "v", count: count))]
        }
        _ = try peers.send(head(room))
        #expect(try peers.send(head(room)).first?.pointee.known != nil)
        _ = try peers.send(head(room + 1))
        #expect(try peers.send(head(room + 1)).first?.pointee.known == nil)
    }
}
