import GRPCClient
import GRPCWire
import InteropContract
import Memory
import Protobuf
import RPC

/// The server of a case, and typed calls to it.
final class Peer: Sendable {
    private let plain: Channel
    private let packing: Channel
    private let configuration: ClientConfiguration

    init(_ configuration: ClientConfiguration) {
        self.configuration = configuration
        var configuration = configuration
        plain = Channel(configuration)
        configuration.encoding = .gzip
        packing = Channel(configuration)
    }

    func close() async {
        await plain.close()
        await packing.close()
    }

    /// A further channel, and so a further connection.
    func newChannel() -> Channel {
        Channel(configuration)
    }

    /// Begins a call; `packing` is for cases that compress.
    func start(
        _ path: String, metadata: Metadata = [], deadline: Deadline? = nil, packing: Bool = false
    ) -> ClientStream {
        let channel = packing ? self.packing : plain
        return channel.bidirectional(path, metadata: metadata, deadline: deadline)
    }

    /// Makes a call of one message each way.
    func unary<Request: CodedMessage, Response: CodedMessage>(
        _ path: String, _ request: Request, _: Response.Type, deadline: Deadline? = nil,
        on channel: Channel? = nil
    ) async throws -> Response {
        let bytes = try encode(request)
        do throws(RPCError) {
            let answer = try await (channel ?? plain).unary(path, bytes, deadline: deadline)
            return try decode(Response.self, answer)
        } catch {
            throw error
        }
    }

    /// Returns the error of a call of one message each way; nil if it succeeds.
    func failure<Request: CodedMessage>(_ path: String, _ request: Request) async throws
        -> RPCError?
    {
        do {
            _ = try await plain.unary(path, try encode(request))
            return nil
        } catch let error as RPCError {
            return error
        }
    }
}

func encode<M: CodedMessage>(_ message: M) throws -> [UInt8] {
    try Arena.temporary { (arena) throws(CodecError) in
        try Coder(M.self).bytes(message, arena)
    }
}

func decode<M: CodedMessage>(_: M.Type, _ bytes: [UInt8]) throws(RPCError) -> M {
    do throws(CodecError) {
        return try Arena.temporary { (arena) throws(CodecError) in
            try Coder(M.self).message(bytes, arena)
        }
    } catch {
        throw RPCError(.internalError, "the answer is malformed: \(error.message)")
    }
}

extension ClientStream {
    func send<M: CodedMessage>(message: M, compressed: Bool = false) async throws {
        try await send(try encode(message), compressed: compressed)
    }

    /// The next answer, or nil after the last one.
    func next<M: CodedMessage>(_: M.Type) async throws -> M? {
        guard let bytes = try await next() else { return nil }
        return try decode(M.self, bytes)
    }

    /// Reads all answers, and returns the error of the call; nil if it succeeds.
    func failure() async -> RPCError? {
        do throws(RPCError) {
            while try await next() != nil {}
            return nil
        } catch {
            return error
        }
    }
}
