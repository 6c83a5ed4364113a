import NIOCore
import NIOEmbedded
import PeerSupport

/// The client's end of a connection, as a channel of its own.
///
/// `@unchecked Sendable`: one thread runs all of a simulation.
final class ClientSocket: @unchecked Sendable {
    let connection: SimulatedConnection
    let channel: EmbeddedChannel
    private let loop: ClientLoop
    private let outlet = Outlet()
    private var up = FrameHeads(skipping: Frame.preface.count - Frame(.settings).bytes.count)
    private var down = FrameHeads(skipping: 0)
    /// The streams that neither end has ended.
    private var open: Set<UInt32> = []
    /// The streams that a proxy has ended, of which the client has not heard.
    private var ending: [UInt32] = []

    init(_ connection: SimulatedConnection, on loop: ClientLoop) {
        (self.connection, self.loop) = (connection, loop)
        channel = EmbeddedChannel(handler: outlet, loop: loop.embedded)
        outlet.onBytes = { [unowned self] in send($0) }
        connection.onBytes = { [weak self] in self?.receive($0) }
        connection.onEnd = { [weak self] in self?.close() }
        channel.closeFuture.whenComplete { [weak self] _ in self?.connection.disconnect() }
    }

    /// How many calls are open.
    var openCount: Int { open.count }

    private func send(_ bytes: [UInt8]) {
        for head in up.take(bytes) {
            if head.kind == .headers { open.insert(head.stream) }
            if head.kind == .resetStream { open.remove(head.stream) }
        }
        connection.carryUp(bytes)
    }

    private func receive(_ bytes: [UInt8]) {
        for head in down.take(bytes) where head.endsStream { open.remove(head.stream) }
        hand(bytes)
        if down.isBetweenFrames { tellEnds() }
    }

    private func hand(_ bytes: [UInt8]) {
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        loop.wake()
    }

    private func close() {
        channel.close(promise: nil)
        loop.wake()
    }

    /// Ends all calls as a proxy does that gives up: it resets them at both ends.
    func endCalls() {
        guard up.isBetweenFrames else { return }
        for stream in open.sorted() {
            connection.carryUp(Frame.reset(stream).bytes)
            ending.append(stream)
        }
        open = []
        if down.isBetweenFrames { tellEnds() }
    }

    private func tellEnds() {
        let streams = ending
        ending = []
        for stream in streams { hand(Frame.reset(stream).bytes) }
    }
}

/// The beginnings of the frames in bytes that come in pieces of any size.
struct FrameHeads {
    struct Head {
        let kind: Frame.Kind?
        let flags: UInt8
        let stream: UInt32

        /// Whether the sender of the frame sends nothing more on its stream.
        var endsStream: Bool {
            switch kind {
            case .headers, .data: flags & Frame.endStream != 0
            case .resetStream: true
            default: false
            }
        }
    }

    private static let headBytes = 9
    /// The bytes that are left of the present frame.
    private var rest: Int
    private var head: [UInt8] = []

    /// - Parameter count: The bytes before the first frame.
    init(skipping count: Int) { rest = count }

    var isBetweenFrames: Bool { rest == 0 && head.isEmpty }

    /// Takes bytes, and gives the frames that begin in them.
    mutating func take(_ bytes: [UInt8]) -> [Head] {
        var heads: [Head] = []
        var offset = 0
        while offset < bytes.count {
            let skipped = min(rest, bytes.count - offset)
            (rest, offset) = (rest - skipped, offset + skipped)
            guard rest == 0 else { break }
            let end = min(offset + Self.headBytes - head.count, bytes.count)
            head += bytes[offset..<end]
            offset = end
            guard head.count == Self.headBytes else { break }
            heads.append(
                Head(
                    kind: Frame.Kind(rawValue: head[3]), flags: head[4],
                    stream: Frame.number(head[5..<9]) & 0x7FFF_FFFF))
            rest = Int(Frame.number(head[0..<3]))
            head = []
        }
        return heads
    }
}
