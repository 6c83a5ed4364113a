import GRPCWire
import NIOCore
import NIOHTTP1
import NIOPosix
import Protobuf
package import RPC

/// Calls from within the process to its own server, one after another, on a connection of their
/// own.
///
/// They come in over HTTP/1.1 in Connect, like those of any client. So they have the path, the
/// credentials, the bounds and the logs of every call.
package final class InsideCalls {
    /// Why a call has no answer.
    package struct Failure: Error, Sendable, Equatable {
        /// The code in Connect's word; empty if the connection has ended.
        package var code = ""
        /// The reason among the details; empty if there is none.
        package var reason = ""
        package var message = ""

        package init(code: String = "", reason: String = "", message: String = "") {
            self.code = code
            self.reason = reason
            self.message = message
        }

        /// The status in which the call ended; UNAVAILABLE if the connection did.
        package var status: Status.Code {
            guard !code.isEmpty else { return .unavailable }
            return Status.Code.allCases.first { "\($0.connectName)" == code && $0 != .ok }
                ?? .unknown
        }
    }

    typealias Requests = NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
    typealias Answers = NIOAsyncChannelInboundStream<HTTPClientResponsePart>

    private let requests: Requests
    private var answers: Answers.AsyncIterator
    private let metadata: [(name: String, value: String)]

    init(
        _ requests: Requests, _ answers: Answers.AsyncIterator,
        _ metadata: [(name: String, value: String)]
    ) {
        self.requests = requests
        self.answers = answers
        self.metadata = metadata
    }

    /// Makes a call of one request and one answer.
    ///
    /// - Parameter milliseconds: How long the server may take.
    package func call(
        _ path: String, _ message: [UInt8], milliseconds: Int64
    ) async throws(Failure) -> [UInt8] {
        let answer = try await exchange(path, "application/proto", message, milliseconds)
        if let failure = answer.failure { throw failure }
        guard answer.status == 200 else { throw Failure(connect: answer.body) }
        return answer.body
    }

    /// The messages of a stream, as far as it came.
    package struct Stream: Sendable {
        package var messages: [[UInt8]]
        /// Why the stream ended before its end; nil if it did not.
        package var failure: Failure?

        package init(_ messages: [[UInt8]], _ failure: Failure? = nil) {
            self.messages = messages
            self.failure = failure
        }
    }

    /// Makes a call of many requests and many answers, which are read when all requests were sent.
    ///
    /// The answers to all of them must have room in the buffers of a socket.
    ///
    /// - Throws: ``Failure`` of a call that was refused before its first answer.
    package func stream(
        _ path: String, _ messages: [[UInt8]], milliseconds: Int64
    ) async throws(Failure) -> Stream {
        var body: [UInt8] = []
        for message in messages {
            body += Self.prefix(message.count)
            body += message
        }
        let answer = try await exchange(path, "application/connect+proto", body, milliseconds)
        guard answer.status == 200 else {
            throw answer.failure ?? Failure(connect: answer.body)
        }
        var stream = Self.messages(in: answer.body)
        if let failure = answer.failure { stream.failure = failure }
        return stream
    }

    /// An answer as far as it came.
    private struct Answer {
        var status = 0
        var body: [UInt8] = []
        /// Why it has no end; nil if it is whole.
        var failure: Failure?
    }

    private func exchange(
        _ path: String, _ type: String, _ body: [UInt8], _ milliseconds: Int64
    ) async throws(Failure) -> Answer {
        do {
            var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path)
            head.headers.add(name: "host", value: "localhost")
            head.headers.add(name: "content-type", value: type)
            head.headers.add(name: "content-length", value: "\(body.count)")
            head.headers.add(name: "connect-protocol-version", value: "1")
            head.headers.add(name: "connect-timeout-ms", value: "\(milliseconds)")
            for (name, value) in metadata { head.headers.add(name: name, value: value) }
            try await requests.write(contentsOf: [
                .head(head), .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil),
            ])
        } catch {
            throw Failure(message: "\(error)")
        }
        return await answer()
    }

    private func answer() async -> Answer {
        var answer = Answer()
        do {
            while let part = try await answers.next() {
                switch part {
                case .head(let head): answer.status = Int(head.status.code)
                case .body(let bytes): answer.body += bytes.readableBytesView
                case .end where answer.status >= 200: return answer
                case .end: break
                }
            }
            answer.failure = Failure(message: "the connection has ended")
        } catch {
            answer.failure = Failure(message: "\(error)")
        }
        return answer
    }

    private static func prefix(_ count: Int) -> [UInt8] {
        [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    /// The messages in the envelopes of an answer, up to its end.
    private static func messages(in body: [UInt8]) -> Stream {
        var stream = Stream([])
        var offset = 0
        while offset + Envelope.prefixBytes <= body.count {
            let count = body[(offset + 1)..<(offset + Envelope.prefixBytes)]
                .reduce(0) { $0 << 8 | Int($1) }
            let start = offset + Envelope.prefixBytes
            guard start + count <= body.count else { break }
            let message = Array(body[start..<(start + count)])
            guard body[offset] & Envelope.endOfStream == 0 else {
                stream.failure = Failure(endOfStream: message)
                return stream
            }
            stream.messages.append(message)
            offset = start + count
        }
        stream.failure = Failure(message: "the answer has no end")
        return stream
    }
}

extension InsideCalls.Failure {
    /// The error in the words of Connect.
    fileprivate init(connect text: [UInt8]) {
        let tree = try? JSONValue(parsing: String(decoding: text, as: UTF8.self))
        self.init(tree ?? .null)
    }

    /// Nil if the stream has ended well.
    fileprivate init?(endOfStream text: [UInt8]) {
        let tree = try? JSONValue(parsing: String(decoding: text, as: UTF8.self))
        guard let error = tree?["error"] else { return nil }
        self.init(error)
    }

    private init(_ error: JSONValue) {
        if case .string(let text) = error["code"] { code = text }
        if case .string(let text) = error["message"] { message = text }
        guard case .array(let details) = error["details"] else { return }
        for detail in details {
            if case .string(let text) = detail["debug"]?["reason"] { reason = text }
        }
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }
}

extension Server {
    /// Runs `body` with a connection from within, which ends with it.
    ///
    /// - Parameters:
    ///   - metadata: The fields that each call carries.
    ///   - peer: The address of the client for which they are made, for notes and logs.
    /// - Returns: Nil if no connection could be made.
    package func withCallsInside<Value: Sendable>(
        _ metadata: [(name: String, value: String)], for peer: String,
        _ body: (InsideCalls) async -> Value
    ) async -> Value? {
        guard let socket = connectInside(for: peer), let loop = loops.randomElement()?.eventLoop
        else {
            return nil
        }
        var value: Value?
        do {
            let channel = try await ClientBootstrap(group: loop).withConnectedSocket(socket) {
                channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()),
                    ])
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
            try await channel.executeThenClose { answers, requests in
                let calls = InsideCalls(requests, answers.makeAsyncIterator(), metadata)
                value = await body(calls)
            }
        } catch {
            // The server ends the connection first, or has none: `value` says how far it came.
        }
        return value
    }
}
