/// One connection of a flood: its HTTP/2 state and its calls in flight.
///
/// At each wake-up it reads once, takes all whole frames, starts as many calls as ended, and writes
/// once.
final class FloodConnection: PolledConnection {
    /// A call in flight, or a free slot.
    private struct Call {
        /// The stream's number; zero marks a free slot.
        var stream: UInt32 = 0
        var body = 0
        var begin: UInt64 = 0
        var received = 0

        /// The first five bytes received: the envelope of the answer.
        var envelope: UInt64 = 0
        var httpStatus = 0
        var grpcStatus: Int?
        var matches = true
    }

    private unowned let run: FloodRun
    private let link: FrameLink
    private let streams: Int

    /// Calls by the low bits of their stream's number; more slots than calls, so most are free.
    private var calls: [Call]
    private var inFlight = 0
    private var nextStream: UInt32 = 1

    private var sendWindow = FloodLimits.initialWindowBytes
    private var isDraining = false

    private var peerStreams = Int(UInt32.max)
    private var peerStreamWindow = FloodLimits.initialWindowBytes
    private var peerTableBytes = FloodLimits.headerTableBytes

    /// Whether the server's settings have come.
    private(set) var isGreeted = false

    /// Why the connection cannot be used any more.
    private(set) var loss: FloodError?

    init(to port: UInt16, streams: Int, run: FloodRun) throws(FloodError) {
        self.run = run
        self.streams = streams
        link = try FrameLink(to: port)
        var slots = 64
        while slots < streams * 4 { slots *= 2 }
        calls = [Call](repeating: Call(), count: slots)
    }

    /// Whether this connection still has work.
    var isBusy: Bool {
        loss == nil && (inFlight > 0 || (!isDraining && run.hasMore))
    }

    var hasOutput: Bool { link.hasOutput }

    /// The descriptor to wait for, or one that `poll` ignores when the connection is lost.
    var pollDescriptor: Int32 { loss == nil ? link.descriptor : -1 }

    /// Refuses a server whose limits do not allow the planned load.
    func checkLimits() throws(FloodError) {
        guard peerStreams >= streams else {
            throw FloodError("the server allows \(peerStreams) streams, not \(streams)")
        }
        guard peerTableBytes >= run.head.tableBytes else {
            throw FloodError("the server's header table holds only \(peerTableBytes) bytes")
        }
        let largest = run.bodies.map(\.windowBytes).max() ?? 0
        guard largest <= min(peerStreamWindow, FloodLimits.initialWindowBytes) else {
            throw FloodError("a request of \(largest) bytes is longer than the server's window")
        }
    }

    /// Reads, answers and writes what is possible now.
    func advance(at now: UInt64) {
        guard loss == nil else { return }
        do throws(FloodError) {
            try link.receive { (event) throws(FloodError) in try take(event, at: now) }
            if isGreeted, !run.isPaced { while startCall(at: now) {} }
            try link.flush()
        } catch {
            loss = error
            giveUp(error.message)
        }
    }

    /// Ends every call in flight as a failure.
    func giveUp(_ reason: String) {
        for slot in calls.indices where calls[slot].stream != 0 {
            calls[slot].stream = 0
            inFlight -= 1
            run.fail(reason)
        }
    }
}

// MARK: - Requests

extension FloodConnection {
    /// Starts the next call, if there is one and room for it; ``advance(at:)`` sends it.
    ///
    /// - Returns: Whether it did.
    func startCall(at now: UInt64) -> Bool {
        // A slow call from a round before may still hold a slot. Its number is then left out,
        // which HTTP/2 allows. There are more slots than calls, so a free one is near.
        while loss == nil, inFlight < streams, !isDraining, let body = run.nextBody(at: now) {
            guard run.bodies[body].windowBytes <= sendWindow else { return false }
            guard nextStream < FloodLimits.lastStream - 1 else {
                isDraining = true
                return false
            }
            let slot = slot(of: nextStream)
            let isFree = calls[slot].stream == 0
            if isFree {
                calls[slot] = Call(stream: nextStream, body: body, begin: run.start(at: now))
                appendRequest(run.bodies[body], on: nextStream)
                inFlight += 1
            }
            nextStream += 2
            if isFree { return true }
        }
        return false
    }

    private func appendRequest(_ body: RequestBody, on stream: UInt32) {
        let isFirst = stream == 1
        var block = isFirst ? run.head.first : run.head.later
        if isFirst, peerTableBytes < FloodLimits.headerTableBytes {
            block = RequestHead.tableSizeUpdate(peerTableBytes) + block
        }
        link.append(block, body, on: stream)
        sendWindow -= body.windowBytes
    }

    private func slot(of stream: UInt32) -> Int {
        Int(stream >> 1) & (calls.count - 1)
    }
}

// MARK: - Answers

extension FloodConnection {
    private func take(_ event: FrameLink.Event, at now: UInt64) throws(FloodError) {
        switch event {
        case .data(let stream, let data, let isEnd):
            takeData(data, on: stream, isEnd: isEnd, at: now)
        case .head(let stream, let httpStatus, let grpcStatus, let isEnd):
            guard let slot = call(on: stream) else { return }
            if let httpStatus { calls[slot].httpStatus = httpStatus }
            if let grpcStatus { calls[slot].grpcStatus = grpcStatus }
            if isEnd { end(slot, at: now) }
        case .reset(let stream, let code): takeReset(of: stream, code)
        case .settings(let settings): take(settings)
        case .window(let bytes): sendWindow += bytes
        case .goAway(let code):
            guard code == 0 else { throw FloodError("the server said goodbye with code \(code)") }
            // Calls in flight may still be answered. The others end when the connection ends.
            isDraining = true
        }
    }

    /// The slot of the call on `stream`, or nil if it has ended.
    private func call(on stream: UInt32) -> Int? {
        let slot = slot(of: stream)
        return stream != 0 && calls[slot].stream == stream ? slot : nil
    }

    private func takeData(_ data: Range<Int>, on stream: UInt32, isEnd: Bool, at now: UInt64) {
        run.count(answerBytes: data.count)
        guard let slot = call(on: stream) else { return }
        let received = calls[slot].received
        if let answer = run.bodies[calls[slot].body].answer,
            !link.matches(data, answer, from: received)
        {
            calls[slot].matches = false
        }
        for index in data.prefix(max(0, 5 - received)) {
            calls[slot].envelope = calls[slot].envelope << 8 | UInt64(link.bytes[index])
        }
        calls[slot].received += data.count
        if isEnd { end(slot, at: now) }
    }

    /// Ends a call whose stream the server closed, and judges it.
    private func end(_ slot: Int, at now: UInt64) {
        let call = calls[slot]
        calls[slot].stream = 0
        inFlight -= 1
        let length = Int(call.envelope & 0xFFFF_FFFF)
        if call.httpStatus != 200 {
            run.fail("HTTP status \(call.httpStatus)")
        } else if let status = call.grpcStatus, run.isRefusal(status) {
            run.refuse(call.body, status)
        } else if call.grpcStatus != 0 {
            run.fail(call.grpcStatus.map { "grpc-status \($0)" } ?? "no grpc-status")
        } else if call.received < 5 || call.envelope >> 32 != 0 || call.received != 5 + length {
            run.fail("\(call.received) bytes that are not one plain message")
        } else if !call.matches
            || run.bodies[call.body].answer.map({ $0.count != call.received }) ?? false
        {
            run.fail("an answer of \(length) bytes that is not the expected one")
        } else {
            run.succeed(call.body, after: now - min(now, call.begin), at: now)
        }
    }

    private func takeReset(of stream: UInt32, _ code: UInt32) {
        guard let slot = call(on: stream) else { return }
        calls[slot].stream = 0
        inFlight -= 1
        run.fail("a stream reset with code \(code)")
    }

    private func take(_ settings: [(code: UInt16, value: Int)]) {
        for (code, value) in settings {
            switch code {
            case SettingCode.headerTableBytes: peerTableBytes = value
            case SettingCode.concurrentStreams: peerStreams = value
            case SettingCode.initialWindowBytes: peerStreamWindow = value
            default: break
            }
        }
        isGreeted = true
    }
}
