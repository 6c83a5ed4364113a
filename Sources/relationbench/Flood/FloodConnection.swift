/// One connection of a flood: its HTTP/2 state and its calls in flight.
///
/// Each wake-up reads once, takes all whole frames, starts as many calls as ended, and writes once.
final class FloodConnection: PolledConnection {
    /// A call in flight, or a free place.
    private struct Call {
        /// The stream's number; zero marks a free place.
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

    private let run: FloodRun
    private let socket: Socket
    private let streams: Int

    private var input = FrameReader()
    private var headers = AnswerHeaders()
    private var output: [UInt8] = []
    private var written = 0

    /// Calls by the low bits of their stream's number; more places than calls, so most are free.
    private var calls: [Call]
    private var inFlight = 0
    private var nextStream: UInt32 = 1

    /// A header block whose end has not come yet, and whether its stream ends with it.
    private var block: [UInt8] = []
    private var blockFlags: UInt8 = 0

    private var sendWindow = FloodLimits.initialWindowBytes
    private var receivedSinceUpdate = 0
    private var isDraining = false

    private var peerStreams = Int(UInt32.max)
    private var peerStreamWindow = FloodLimits.initialWindowBytes
    private var peerTableBytes = FloodLimits.headerTableBytes

    /// Whether the server's settings have come.
    private(set) var isGreeted = false

    /// Why the connection is of no more use.
    private(set) var loss: FloodError?

    init(to port: UInt16, streams: Int, run: FloodRun) throws(FloodError) {
        self.run = run
        self.streams = streams
        socket = try Socket(connectingTo: port)
        var places = 64
        while places < streams * 4 { places *= 2 }
        calls = [Call](repeating: Call(), count: places)
        appendGreeting()
    }

    /// Whether anything remains to be done here.
    var isBusy: Bool {
        loss == nil && (inFlight > 0 || (!isDraining && run.hasMore))
    }

    var hasOutput: Bool { written < output.count }

    /// The descriptor to wait for, or one that `poll` ignores when the connection is lost.
    var pollDescriptor: Int32 { loss == nil ? socket.descriptor : -1 }

    /// Refuses a server whose limits do not allow the load that was asked for.
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
            try receive(at: now)
            if isGreeted, !run.isPaced { while startCall(at: now) {} }
            try flush()
        } catch {
            loss = error
            giveUp(error.message)
        }
    }

    /// Ends every call in flight as a failure.
    func giveUp(_ reason: String) {
        for place in calls.indices where calls[place].stream != 0 {
            calls[place].stream = 0
            inFlight -= 1
            run.fail(reason)
        }
    }

    private func appendGreeting() {
        output.append(contentsOf: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        output.append(frame: FrameHead(length: 12, kind: .settings, flags: 0, stream: 0))
        output.append(setting: SettingCode.enablePush, 0)
        output.append(setting: SettingCode.initialWindowBytes, UInt32(FloodLimits.windowBytes))
        appendWindowUpdate(FloodLimits.windowBytes - FloodLimits.initialWindowBytes)
    }

    private func appendWindowUpdate(_ bytes: Int) {
        output.append(frame: FrameHead(length: 4, kind: .windowUpdate, flags: 0, stream: 0))
        output.append(bigEndian: UInt32(bytes))
    }

    private func receive(at now: UInt64) throws(FloodError) {
        let count = try input.fill { (buffer) throws(FloodError) in
            try socket.read(into: buffer) ?? 0
        }
        guard count > 0 else { return }
        while let frame = try input.next() {
            try take(frame, at: now)
        }
    }

    private func flush() throws(FloodError) {
        guard hasOutput else { return }
        written += try socket.write(output, from: written)
        guard written == output.count else { return }
        output.removeAll(keepingCapacity: true)
        written = 0
    }
}

// MARK: - Requests

extension FloodConnection {
    /// Starts the next call, if there is one and room for it; ``advance(at:)`` sends it.
    ///
    /// - Returns: Whether it did.
    func startCall(at now: UInt64) -> Bool {
        // A place may still be held by a slow call from a round before: its number is left out,
        // which HTTP/2 allows. There are more places than calls, so a free one is near.
        while loss == nil, inFlight < streams, !isDraining, let body = run.nextBody(at: now) {
            guard run.bodies[body].windowBytes <= sendWindow else { return false }
            guard nextStream < FloodLimits.lastStream - 1 else {
                isDraining = true
                return false
            }
            let place = place(of: nextStream)
            let isFree = calls[place].stream == 0
            if isFree {
                calls[place] = Call(stream: nextStream, body: body, begin: run.start(at: now))
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
        output.append(
            frame: FrameHead(
                length: block.count, kind: .headers, flags: FrameFlags.endHeaders, stream: stream))
        output.append(contentsOf: block)
        let start = output.count
        output.append(contentsOf: body.frames)
        for offset in body.streamOffsets {
            output.patch(bigEndian: stream, at: start + offset)
        }
        sendWindow -= body.windowBytes
    }

    private func place(of stream: UInt32) -> Int {
        Int(stream >> 1) & (calls.count - 1)
    }
}

// MARK: - Answers

extension FloodConnection {
    private func take(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        guard block.isEmpty || frame.head.kind == .continuation else {
            throw FloodError("the server interrupted a header block")
        }
        switch frame.head.kind {
        case .data: try takeData(frame, at: now)
        case .headers: try takeHeaders(frame, at: now)
        case .continuation: try takeContinuation(frame, at: now)
        case .resetStream: takeReset(frame)
        case .settings: try takeSettings(frame)
        case .ping: takePing(frame)
        case .windowUpdate: try takeWindowUpdate(frame)
        case .goAway: try takeGoAway(frame)
        default: break
        }
    }

    /// The place of the call on `stream`, or nil if it has ended.
    private func call(on stream: UInt32) -> Int? {
        let place = place(of: stream)
        return stream != 0 && calls[place].stream == stream ? place : nil
    }

    private func takeData(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        receivedSinceUpdate += frame.head.length
        if receivedSinceUpdate >= FloodLimits.windowStepBytes {
            appendWindowUpdate(receivedSinceUpdate)
            receivedSinceUpdate = 0
        }
        run.count(answerBytes: frame.head.length)
        guard let place = call(on: frame.head.stream) else { return }
        let data = try unpadded(frame)
        let received = calls[place].received
        if let answer = run.bodies[calls[place].body].answer,
            !input.matches(data, answer, from: received)
        {
            calls[place].matches = false
        }
        for index in data.prefix(max(0, 5 - received)) {
            calls[place].envelope = calls[place].envelope << 8 | UInt64(input.bytes[index])
        }
        calls[place].received += data.count
        if frame.head.flags & FrameFlags.endStream != 0 { end(place, at: now) }
    }

    private func takeHeaders(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        var part = try unpadded(frame)
        if frame.head.flags & FrameFlags.priority != 0 { part = part.dropFirst(5) }
        if frame.head.flags & FrameFlags.endHeaders != 0 {
            try takeBlock(
                input.bytes, part, on: frame.head.stream, flags: frame.head.flags, at: now)
        } else {
            block = Array(input.bytes[part])
            blockFlags = frame.head.flags
        }
    }

    private func takeContinuation(_ frame: FrameReader.Frame, at now: UInt64) throws(FloodError) {
        block += input.bytes[frame.payload]
        guard frame.head.flags & FrameFlags.endHeaders != 0 else { return }
        let whole = block
        block = []
        try takeBlock(whole, whole.indices, on: frame.head.stream, flags: blockFlags, at: now)
    }

    private func takeBlock(
        _ bytes: [UInt8], _ range: Range<Int>, on stream: UInt32, flags: UInt8, at now: UInt64
    ) throws(FloodError) {
        var httpStatus: Int?
        var grpcStatus: Int?
        try headers.read(bytes, range) { meaning in
            switch meaning {
            case .httpStatus(let status): httpStatus = status
            case .grpcStatus(let status): grpcStatus = status
            case .other: break
            }
        }
        guard let place = call(on: stream) else { return }
        if let httpStatus { calls[place].httpStatus = httpStatus }
        if let grpcStatus { calls[place].grpcStatus = grpcStatus }
        if flags & FrameFlags.endStream != 0 { end(place, at: now) }
    }

    /// Ends a call whose stream the server closed, and judges it.
    private func end(_ place: Int, at now: UInt64) {
        let call = calls[place]
        calls[place].stream = 0
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

    private func takeReset(_ frame: FrameReader.Frame) {
        guard let place = call(on: frame.head.stream), frame.payload.count == 4 else { return }
        calls[place].stream = 0
        inFlight -= 1
        let code = input.bytes.uint32(at: frame.payload.lowerBound)
        run.fail("a stream reset with code \(code)")
    }

    private func unpadded(_ frame: FrameReader.Frame) throws(FloodError) -> Range<Int> {
        guard frame.head.flags & FrameFlags.padded != 0 else { return frame.payload }
        guard let first = frame.payload.first,
            Int(input.bytes[first]) < frame.payload.count
        else { throw FloodError("the server sent a frame of padding only") }
        return frame.payload.dropFirst().dropLast(Int(input.bytes[first]))
    }
}

// MARK: - The connection's own frames

extension FloodConnection {
    private func takeSettings(_ frame: FrameReader.Frame) throws(FloodError) {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return }
        guard frame.payload.count % 6 == 0 else {
            throw FloodError("the server sent broken settings")
        }
        for start in stride(from: frame.payload.lowerBound, to: frame.payload.upperBound, by: 6) {
            let code = UInt16(input.bytes[start]) << 8 | UInt16(input.bytes[start + 1])
            let value = Int(input.bytes.uint32(at: start + 2))
            switch code {
            case SettingCode.headerTableBytes: peerTableBytes = value
            case SettingCode.concurrentStreams: peerStreams = value
            case SettingCode.initialWindowBytes: peerStreamWindow = value
            default: break
            }
        }
        isGreeted = true
        output.append(
            frame: FrameHead(length: 0, kind: .settings, flags: FrameFlags.acknowledge, stream: 0))
    }

    private func takePing(_ frame: FrameReader.Frame) {
        guard frame.head.flags & FrameFlags.acknowledge == 0 else { return }
        output.append(
            frame: FrameHead(
                length: frame.payload.count, kind: .ping, flags: FrameFlags.acknowledge,
                stream: 0))
        output.append(contentsOf: input.bytes[frame.payload])
    }

    private func takeWindowUpdate(_ frame: FrameReader.Frame) throws(FloodError) {
        guard frame.payload.count == 4 else {
            throw FloodError("the server sent a broken window update")
        }
        // A stream's own window is of no interest: every request fits in the one it starts with.
        guard frame.head.stream == 0 else { return }
        sendWindow += Int(
            input.bytes.uint32(at: frame.payload.lowerBound) & FloodLimits.lastStream)
    }

    private func takeGoAway(_ frame: FrameReader.Frame) throws(FloodError) {
        guard frame.payload.count >= 8 else {
            throw FloodError("the server sent a broken goodbye")
        }
        let code = input.bytes.uint32(at: frame.payload.lowerBound + 4)
        guard code == 0 else { throw FloodError("the server said goodbye with code \(code)") }
        // Calls in flight may still be answered; the end of the connection ends the others.
        isDraining = true
    }
}
