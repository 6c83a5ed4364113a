import EchoSupport
import HTTP2
import Logging
import Memory
import NIOCore
import NIOEmbedded
import PeerSupport
import Protobuf
import Synchronization

@testable import GRPC
@testable import GRPCWire

/// A server's whole connection, which gets any bytes that a client may send.
///
/// The bytes of one wake-up get the same answer however they are cut. At all times, and for any
/// bytes, the connection sends only frames that the rules allow, keeps within its bounds, and
/// leaves nothing behind.
enum ConnectionTarget {
    static let target = FuzzTarget(
        name: "grpc-connection", form: .frames(.client), maxBytes: 4_096
    ) { input in
        guard let options = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = try run([[bytes]], pauses: false)
        let cut = try run([bytes.pieces(of: 1...60)], pauses: false)
        try require(
            whole == cut || FrameList(bytes).hasGoAway,
            "other pieces, another answer: \(answer(whole)) and \(answer(cut))")
        _ = try run(bytes.pieces(of: 1...300).map { [$0] }, pauses: options & 1 != 0)
    }

    /// The same connection, whose client speaks HTTP/1.1 or nothing that is known.
    static let http1 = FuzzTarget(
        name: "http1-connection", form: .text, maxBytes: 4_096
    ) { bytes in
        let whole = try run([[bytes]], pauses: false, after: [])
        let cut = try run([bytes.pieces(of: 1...60)], pauses: false, after: [])
        try require(whole == cut, "other pieces, another answer: \(text(whole)) and \(text(cut))")
        _ = try run(bytes.pieces(of: 1...300).map { [$0] }, pauses: true, after: [])
    }

    private static func text(_ sent: [UInt8]) -> String { String(decoding: sent, as: UTF8.self) }

    private static func answer(_ sent: [UInt8]) -> [Frame] {
        FrameList(sent).frames
    }

    /// The bytes that the server sends if it is woken once for each part.
    private static func run(
        _ parts: [[[UInt8]]], pauses: Bool, after start: [UInt8] = LooseServer.greeting
    ) throws -> [UInt8] {
        weak var connection: ServerConnection?
        let sent: [UInt8]
        do {
            let server = try LooseServer()
            connection = server.connection
            sent = try server.run(start.isEmpty ? parts : [[start]] + parts, pauses: pauses)
        }
        try require(connection == nil, "the connection is still held")
        return sent
    }
}

/// A server's loop with one connection, moved by hand.
private final class LooseServer {
    private let service = EchoService()
    private let eventLoop = EmbeddedEventLoop()
    private let loop: ServerLoop
    let connection: ServerConnection
    private let channel: EmbeddedChannel
    private var sent: [UInt8] = []

    init() throws {
        var logger = Logger(label: "fuzz")
        logger.logLevel = .critical
        var configuration = ServerConfiguration()
        // Two runs have the same time of day, and so the same answers.
        configuration.clock = { 0 }
        loop = ServerLoop(
            [service], on: eventLoop, configuration: configuration, logger: logger)
        connection = try ServerConnection(loop: loop) {}
        channel = EmbeddedChannel(handler: connection, loop: eventLoop)
    }

    deinit {
        loop.cancelTimers()
        // A handle keeps its loop, and the loop keeps the service.
        service.waiting.withLock { $0 = [] }
    }

    /// The first bytes of a client of HTTP/2.
    static let greeting =
        Frame.preface + Frame(.settings, flags: Frame.acknowledgement).bytes

    func run(_ parts: [[[UInt8]]], pauses: Bool) throws -> [UInt8] {
        for (number, pieces) in parts.enumerated() {
            guard loop.connectionCount > 0 else { break }
            for piece in pieces { channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece)) }
            channel.pipeline.fireChannelReadComplete()
            eventLoop.run()
            if pauses, number % 8 == 7 { eventLoop.advanceTime(by: .milliseconds(700)) }
            collect()
            try check()
        }
        // Calls that wait are answered, late or in vain.
        for handle in service.waiting.withLock({ $0 }) {
            handle.resume { call in call.respond { $0.append([1]) } }
        }
        eventLoop.run()
        collect()
        _ = try? channel.finish()
        eventLoop.run()
        try require(loop.connectionCount == 0, "the connection is not gone")
        try require(connection.session.openStreams == 0, "streams are open")
        try require(connection.assembling == 0, "\(connection.assembling) bytes are half a message")
        try require(!loop.calls.contains(where: \.isInUse), "a call is in use")
        let isHTTP1 = sent.first == UInt8(ascii: "H")
        if !sent.isEmpty, !isHTTP1 { _ = try SentFrames(sent, settingsFirst: true) }
        return sent
    }

    private func collect() {
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
            sent += Array(buffer.readableBytesView)
        }
    }

    private func check() throws {
        loop.checkInvariants()
        let session = connection.session
        try require(session.openStreams <= SessionLimits.concurrentStreams, "too many streams")
        try require(session.queuedBytes <= CallLimits.connectionQueuedBytes, "too much waits")
        try require(connection.assembling <= CallLimits.assemblingBytes, "too much is assembled")
    }
}
