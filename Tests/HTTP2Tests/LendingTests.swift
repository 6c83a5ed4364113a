import PeerSupport
import Testing

@testable import HTTP2

/// Bytes that streams send without a copy, and the memory that a stream keeps.
struct LendingTests {
    private static let head = FixedFields([(":status", "200")])

    /// Owns bytes, and overwrites them when it is released.
    private final class Lender {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ text: [UInt8]) {
            bytes = .allocate(byteCount: text.count, alignment: 1)
            bytes.copyBytes(from: text)
        }

        deinit {
            for index in bytes.indices { bytes[index] = 0xEE }
            bytes.deallocate()
        }
    }

    /// A server's streams that have sent their header blocks, and the client's ends of them.
    private static func streams(
        _ count: Int, in pair: SessionPair
    ) throws -> [(server: StreamPointer, client: StreamPointer)] {
        try pair.exchange()
        let calls = try (0..<count).map { _ in try pair.open() }
        try pair.exchange()
        let streams = pair.server.allReady().map(\.stream)
        for stream in streams { pair.server.submitHeaders(stream, head) }
        try pair.exchange()
        _ = pair.client.allReady()
        return Array(zip(streams, calls))
    }

    private static func lend(
        _ lender: Lender, to stream: StreamPointer, in session: Session
    ) {
        session.lend(UnsafeRawBufferPointer(lender.bytes), of: lender, to: stream)
        session.resume(stream)
    }

    @Test func whatIsLentGoesOutInItsTurn() throws {
        let pair = try SessionPair()
        let (stream, call) = try #require(try Self.streams(1, in: pair).first)
        ([1, 2] as [UInt8]).withUnsafeBytes { stream.pointee.output.append($0) }
        Self.lend(Lender([3, 4]), to: stream, in: pair.server)
        Self.lend(Lender([5]), to: stream, in: pair.server)
        #expect(stream.pointee.waitingBytes == 5)
        try pair.exchange()
        pair.server.settleLoans()
        Self.lend(Lender([6]), to: stream, in: pair.server)
        Self.lend(Lender([7]), to: stream, in: pair.server)
        try pair.exchange()
        #expect(Array(call.pointee.input.bytes) == [1, 2, 3, 4, 5, 6, 7])
        #expect(stream.pointee.waitingBytes == 0)
    }

    @Test func oneLoanServesManyStreamsAndIsNotCopied() throws {
        let pair = try SessionPair()
        let streams = try Self.streams(50, in: pair)
        weak var known: Lender?
        do {
            let lender = Lender([1, 2, 3])
            known = lender
            for (stream, _) in streams { Self.lend(lender, to: stream, in: pair.server) }
        }
        #expect(known != nil, "the session keeps who lends")
        try pair.exchange()
        pair.server.settleLoans()
        #expect(known == nil)
        for (stream, call) in streams {
            #expect(Array(call.pointee.input.bytes) == [1, 2, 3])
            #expect(stream.pointee.output.capacity == 0, "nothing was ever put there")
        }
    }

    @Test func whatAClosedWindowKeepsBackIsCopied() throws {
        let pair = try SessionPair()
        let (stream, call) = try #require(try Self.streams(1, in: pair).first)
        let window = Int(SessionLimits.streamWindowBytes)
        let text = (0..<window + 1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        weak var known: Lender?
        do {
            let lender = Lender(text)
            known = lender
            Self.lend(lender, to: stream, in: pair.server)
        }
        try pair.exchange()
        #expect(pair.server.queuedBytes == 1_000)
        pair.server.settleLoans()
        #expect(known == nil)
        #expect(pair.server.queuedBytes == 1_000)
        #expect(stream.pointee.output.count == 1_000)
        pair.client.consumeWindow(call)
        try pair.exchange()
        #expect(Array(call.pointee.input.bytes) == text)
    }

    @Test func aStreamThatEndsLeavesNoLoanBehind() throws {
        let pair = try SessionPair()
        let streams = try Self.streams(3, in: pair)
        let lender = Lender([9, 9])
        for (stream, _) in streams { Self.lend(lender, to: stream, in: pair.server) }
        let closed = streams[1]
        pair.client.reset(closed.client, .cancel)
        for frame in Frame.read(try pair.client.output()) { try pair.server.receive(frame.bytes) }
        let ready = try #require(pair.server.allReady().first)
        #expect(ready.stream == closed.server && ready.events == .closed)
        #expect(closed.server.pointee.waitingBytes == 0)
        pair.server.release(closed.server)
        #expect(pair.server.borrowers.count == 2, "its memory may be another stream's by now")
        #expect(pair.server.loans == 2)
        try pair.exchange()
        #expect(pair.server.loans == 0)
        pair.server.settleLoans()
        #expect(pair.server.borrowers.isEmpty && pair.server.lenders.isEmpty)
    }

    @Test func aLostConnectionHoldsNoLender() throws {
        let pair = try SessionPair()
        let streams = try Self.streams(2, in: pair)
        weak var known: Lender?
        do {
            let lender = Lender([9])
            known = lender
            for (stream, _) in streams { Self.lend(lender, to: stream, in: pair.server) }
        }
        pair.server.connectionLost()
        #expect(known == nil)
        for (stream, _) in streams { pair.server.release(stream) }
        pair.server.settleLoans()
    }

    @Test func aStreamThatLastsKeepsNoEmptyBuffers() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let call = try pair.open(body: [1, 2, 3])
        try pair.exchange()
        let stream = try #require(pair.server.allReady().first).stream
        pair.server.submitHeaders(stream, Self.head)
        #expect(stream.pointee.headers.count > 0)
        pair.server.trimMemory(stream)
        #expect(stream.pointee.headers.count == 0)
        pair.server.drop(2, of: stream)
        #expect(Array(stream.pointee.input.bytes) == [3])
        pair.server.drop(1, of: stream)
        #expect(stream.pointee.input.capacity == 0)
        ([7] as [UInt8]).withUnsafeBytes { stream.pointee.output.append($0) }
        try pair.exchange()
        #expect(stream.pointee.output.capacity == 0)
        #expect(Array(call.pointee.input.bytes) == [7])
    }
}
