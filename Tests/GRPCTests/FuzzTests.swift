import HTTP2
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import Synchronization
import Testing

@testable import GRPC

/// A server's connection is fed what no client would send, and must neither trap nor keep anything.
struct FuzzTests {
    private static let paths = [
        "/test.Echo/Unary", "/test.Echo/Collect", "/test.Echo/Chat", "/test.Echo/Expand",
        "/test.Echo/Wait", "/test.Echo/Metadata", "/test.Echo/Fail", "/test.Echo/No", "/", "",
    ]
    private static let extras = [
        ("grpc-timeout", "1m"), ("grpc-timeout", "x"), ("grpc-encoding", "gzip"),
        ("grpc-encoding", "br"), ("grpc-accept-encoding", "gzip,deflate"), ("x-data-bin", "AQ=="),
        ("x-data-bin", "!"), ("x-text", "words"), ("x-pack", "1"), ("x-eager", "1"),
        ("content-length", "5"),
    ]

    /// A frame that could be one of a client's, on one of a few streams.
    private static func frame(_ random: inout SeededNumbers, _ nextStream: inout UInt32) -> Frame {
        let old = UInt32.random(in: 0...nextStream, using: &random)
        let isLast = Bool.random(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            var fields = SessionPair.request(paths.randomElement(using: &random) ?? "")
            for extra in extras where Int.random(in: 0..<8, using: &random) == 0 {
                fields.append(extra)
            }
            nextStream += 2
            return .headers(nextStream - 2, fields, end: isLast)
        case 4...6:
            let message = random.bytes(Int.random(in: 0..<40, using: &random))
            let flag = UInt8.random(in: 0...9, using: &random) == 0 ? UInt8(1) : 0
            let body = [flag] + Frame.bigEndian(UInt32(message.count)) + message
            return .data(old | 1, body, end: isLast)
        case 7: return .reset(old | 1, UInt32.random(in: 0...14, using: &random))
        case 8:
            let more = UInt32.random(in: 0...100_000, using: &random)
            return Frame(.windowUpdate, stream: old, payload: Frame.bigEndian(more))
        case 9:
            let value = UInt32.random(in: 0...200_000, using: &random)
            let name = UInt8.random(in: 1...8, using: &random)
            return Frame(.settings, payload: [0, name] + Frame.bigEndian(value))
        case 10: return .ping(UInt8.random(in: 0...255, using: &random))
        default:
            return Frame(
                type: UInt8.random(in: 0...12, using: &random),
                flags: UInt8.random(in: 0...255, using: &random), stream: old,
                payload: random.bytes(Int.random(in: 0..<30, using: &random)))
        }
    }

    /// Some bytes of a conversation, of which a few may be wrong.
    private static func bytes(_ random: inout SeededNumbers, wrong: Bool) -> [UInt8] {
        var bytes = Frame.preface + Frame(.settings, flags: Frame.acknowledgement).bytes
        let start = bytes.count
        var nextStream: UInt32 = 1
        for _ in 0..<Int.random(in: 1..<60, using: &random) {
            bytes += frame(&random, &nextStream).bytes
        }
        guard wrong else { return bytes }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: start..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<8)
    func noBytesOfAClientLeaveAnythingBehind(batch: UInt64) throws {
        for number in 0..<60 {
            let seed = batch * 1_000 + UInt64(number)
            var random = SeededNumbers(seed: seed)
            weak var connection: ServerConnection?
            do {
                let harness = try Harness()
                connection = harness.connection
                let bytes = Self.bytes(&random, wrong: number % 3 > 0)
                var place = 0
                while place < bytes.count, harness.loop.connectionCount > 0 {
                    let count = Int.random(in: 1...300, using: &random)
                    try harness.feed(Array(bytes[place..<min(bytes.count, place + count)]))
                    place += count
                    if Int.random(in: 0..<10, using: &random) == 0 {
                        harness.eventLoop.advanceTime(by: .milliseconds(700))
                    }
                    harness.loop.checkInvariants()
                }
                // Who waits is answered, late or in vain.
                for handle in harness.service.waiting.withLock({ $0 }) {
                    handle.resume { call in call.respond { $0.append([1]) } }
                }
                harness.eventLoop.run()
                _ = try? harness.channel.finish()
                harness.eventLoop.run()
                #expect(harness.loop.connectionCount == 0, "seed \(seed)")
                #expect(harness.connection.session.openStreams == 0, "seed \(seed)")
                #expect(harness.connection.assembling == 0, "seed \(seed)")
            }
            #expect(connection == nil, "seed \(seed)")
        }
    }
}
