import GRPC
import Memory
import NIOCore
import Protobuf

/// Calls of one method that are made in turns, and how their answers are judged.
struct CountedPlan {
    let path: String
    /// The requests, encoded.
    private(set) var messages: [[UInt8]]
    private var protocolName = CountedProtocol.grpc
    /// Whether the calls come over HTTP/1.1.
    private var isHTTP1 = false
    /// The JSON of requests and of answers.
    private let forms: (request: JSONForm, answer: JSONForm)
    /// How many calls each turn has.
    let streams: Int
    /// How many turns are counted; the messages of the others come before.
    let turns: Int
    /// How many events each call leads to, for streams that follow its changes.
    var events = 0
    /// Whether an answer is the one that the data requires.
    let isRight: ([UInt8]) throws -> Bool

    /// A plan whose warm-up makes each call once, and which then makes them again.
    static func reads<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, streams: Int, turns: Int,
        _ requests: [Request], _ isRight: @escaping (Response) -> Bool
    ) throws -> CountedPlan {
        let count = streams * turns
        let all = (0..<2 * count).map { requests[$0 % count % requests.count] }
        return try CountedPlan(method, streams, turns, all, isRight)
    }

    /// A plan that makes each call once: first `warmUp` turns that are not counted.
    static func writes<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, batch: Int, turns: Int, warmUp: Int,
        _ requests: [Request], _ isRight: @escaping (Response) -> Bool
    ) throws -> CountedPlan {
        let count = batch * (turns + warmUp)
        precondition(requests.count >= count, "there are too few requests for that many writes")
        return try CountedPlan(method, batch, turns, Array(requests[..<count]), isRight)
    }

    init<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ streams: Int, _ turns: Int,
        _ requests: [Request], _ isRight: @escaping (Response) -> Bool
    ) throws {
        path = method.path
        forms = (JSONForm(Request.schema), JSONForm(Response.schema))
        (self.streams, self.turns) = (streams, turns)
        messages = try requests.map { request in
            try Arena.temporary { (arena) throws(CodecError) in
                try Coder(Request.self).bytes(request, arena)
            }
        }
        self.isRight = { bytes in
            try Arena.temporary { (arena) throws(CodecError) in
                isRight(try Coder(Response.self).message(bytes, arena))
            }
        }
    }

    var counted: Int { streams * turns }

    /// The same calls in Connect, in protobuf or in JSON.
    func inConnect(json: Bool) throws -> CountedPlan {
        var plan = self
        plan.protocolName = json ? .connectJSON : .connect
        guard json else { return plan }
        plan.messages = try messages.map { message in
            try Self.translated(message) { try forms.request.write($0, into: $1) }
        }
        return plan
    }

    /// The same calls in Connect over HTTP/1.1; each turn has one, as such clients do.
    func inHTTP1(json: Bool) throws -> CountedPlan {
        precondition(streams == 1, "a client of HTTP/1.1 has one call at a time")
        var plan = try inConnect(json: json)
        plan.isHTTP1 = true
        return plan
    }

    private static func translated(
        _ message: [UInt8],
        _ translate: (UnsafeRawBufferPointer, OutputBuffer) throws -> Void
    ) throws -> [UInt8] {
        let output = OutputBuffer()
        try message.withUnsafeBytes { try translate($0, output) }
        return Array(output.bytes)
    }

    /// Makes the calls; `counting` gets the work of those that count, and runs it.
    ///
    /// - Throws: ``FloodError`` if an answer is missing or wrong.
    func run(on service: CountedService, counting: (() throws -> Void) throws -> Void) throws {
        let connection: any CountedClient =
            if isHTTP1 {
                try CountedHTTP1(to: service, path: path, in: protocolName)
            } else {
                try CountedConnection(to: service, path: path, in: protocolName)
            }
        let starts = stride(from: 0, to: messages.count, by: streams)
        func input(_ start: Int) throws(FloodError) -> ByteBuffer {
            try connection.input(messages[start..<min(start + streams, messages.count)])
        }
        for start in starts.dropLast(turns) {
            try connection.feed(try input(start))
            service.settle()
            // Its calls must end before others begin: a server allows only so many at once.
            try connection.read()
        }
        let rest = try starts.suffix(turns).map(input)
        try counting {
            for input in rest {
                try connection.feed(input)
                service.settle()
            }
        }
        try connection.read()
        try judge(connection.answers)
    }

    private func judge(_ answers: [CountedAnswer]) throws {
        let ended = answers.count(where: \.isEnded)
        guard ended == messages.count else {
            throw FloodError("\(path): \(ended) of \(messages.count) calls were answered")
        }
        for (number, answer) in answers.enumerated() {
            guard let message = try message(in: answer) else {
                throw FloodError(
                    "\(path): call \(number) has status \(answer.grpcStatus ?? -1) and "
                        + "\(answer.messages.count) messages")
            }
            guard try isRight(message) else {
                throw FloodError("\(path): call \(number) has a wrong answer")
            }
        }
    }

    /// The one message of an answer, in protobuf; nil if the call failed.
    private func message(in answer: CountedAnswer) throws -> [UInt8]? {
        switch protocolName {
        case .grpc:
            guard answer.grpcStatus == 0, answer.messages.count == 1 else { return nil }
            return answer.messages[0]
        case .connect: return answer.httpStatus == 200 ? answer.bytes : nil
        case .connectJSON:
            guard answer.httpStatus == 200 else { return nil }
            return try Self.translated(answer.bytes) { try forms.answer.read($0, into: $1) }
        }
    }
}
