import GRPC
import Logging
import Memory
import PeerSupport
import Protobuf
import RPC
import RelationAPI
import RelationClient
import RelationModel
import Synchronization
import Testing

/// Our client, with a server of a later version of the contract: what is newer is neither lost nor
/// taken for something else.
@Suite(.endsWhenHung)
struct NewerServerTests {
    private func start() async throws -> (server: Server, client: Client) {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = Server(
            configuration: ServerConfiguration(), dispatchers: [NewerService()], logger: logger)
        let port = try await server.start().port
        return (server, try Client(ClientOptions.patient(port: port)))
    }

    @Test func aStreamGoesOnBehindEventsAndMessagesThatAreNotKnown() async throws {
        let (server, client) = try await start()
        var request = WatchRequest()
        request.scope = .userID("a")
        var known: [Bool] = []
        var sequences: [Int64] = []
        for try await answer in client.changes(request) {
            let event = answer.event
            known.append(event?.kind.isKnown ?? false)
            sequences.append(event?.sequence ?? 0)
            // The second stream was asked for with the last token of the first one.
            if answer.resumeToken == "after second" { break }
        }
        #expect(known == [false, false, true])
        #expect(sequences == [7, 0, 8], "the sequence of an unknown event is kept")
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func numbersThatAreNotKnownKeepTheirMeaning() async throws {
        let (server, client) = try await start()
        var request = AddFriendsRequest()
        request.userID = "a"
        let answer = try await client.call(FriendMethods.addFriends, request)
        let results = answer.results
        #expect(results.map(\.code?.rawValue) == [99_999, 99_999, 30_001])
        #expect(results.map { $0.code?.isKnown } == [false, false, true])
        // An unknown code is a refusal unless the item changed something.
        #expect(results.map(\.changed) == [true, false, false])
        #expect(results[2].reason.rawValue == 99_998 && !results[2].reason.isKnown)
        #expect(results[2].info == "Err_New")
        let json = try Arena.temporary { (arena) throws(CodecError) in try answer.json(arena) }
        #expect(json.contains(#""code":99999"#))
        await client.close()
        await server.shutDownGracefully()
    }

    @Test func messagesAndValuesWithoutAKnownCaseAreNone() async throws {
        let (server, client) = try await start()
        let stream = client.stream(MaintenanceMethods.importFriends)
        stream.finishSending()
        var accepted: [Int64?] = []
        while let answer = try await stream.next() {
            if case .progress(let progress) = answer.answer {
                accepted.append(progress.accepted)
            } else {
                #expect(answer.answer == nil)
                accepted.append(nil)
            }
        }
        #expect(accepted == [nil, 5])
        var request = GetSelfProfileRequest()
        request.userID = "a"
        let answer = try await client.call(ProfileMethods.getSelfProfile, request)
        let custom = try #require(answer.profile?.custom.first)
        #expect(custom.key == "New" && custom.value == nil)
        #expect(answer.fieldAccess.map(\.access.isKnown) == [false])
        await client.close()
        await server.shutDownGracefully()
    }
}

/// The calls of a server whose messages have more than those of this version.
private struct NewerService: Dispatcher {
    var methods: [ServedMethod] {
        [
            .streaming(ChangeMethods.watch.path, shape: .serverStreaming) { _ in NewerWatch() },
            .streaming(MaintenanceMethods.importFriends.path, shape: .bidirectional) { _ in
                NewerImport()
            },
            .unary(FriendMethods.addFriends.path) { _, call in
                let known = Wire.text(1, "b") + Wire.text(50, "newer")
                let done = known + Wire.number(2, 99_999) + Wire.number(5, 1)
                let refused = known + Wire.number(2, 99_999)
                let reason =
                    known + Wire.number(2, 30_001) + Wire.number(3, 99_998)
                    + Wire.text(4, "Err_New")
                call.respond {
                    $0.append([done, refused, reason].flatMap { Wire.message(4, $0) })
                }
            },
            .unary(ProfileMethods.getSelfProfile.path) { _, call in
                let custom = Wire.text(1, "New") + Wire.message(9, Wire.text(1, "x"))
                let access = Wire.text(1, "newer_field") + Wire.number(2, 99)
                call.respond {
                    $0.append(
                        Wire.message(1, Wire.message(28, custom)) + Wire.message(2, access))
                }
            },
        ]
    }
}

private final class NewerWatch: StreamHandler {
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {
        // The token of a request stands in field 8; the client may set fields behind it.
        guard Array(message).starts(with: Wire.text(1, "a") + Wire.text(8, "newer message")) else {
            let event = Wire.number(1, 999) + Wire.number(8, 7) + Wire.text(60, "newer")
            call.send([Wire.text(1, "newer kind"), Wire.message(2, event)])
            call.send([Wire.text(1, "newer message"), Wire.message(70, event)])
            return call.fail(RPCError(.unavailable, "a newer server stops"))
        }
        let event = Wire.number(1, 1) + Wire.number(8, 8)
        call.send([Wire.text(1, "after second"), Wire.message(2, event)])
    }
}

private final class NewerImport: StreamHandler {
    func received(_ message: UnsafeRawBufferPointer, _ call: ServerCall) {}

    func endOfRequests(_ call: ServerCall) {
        call.send([Wire.message(9, Wire.text(1, "newer"))])
        call.send([Wire.message(2, Wire.number(2, 5))])
        call.finish(.ok)
    }
}

extension ServerCall {
    fileprivate func send(_ fields: [[UInt8]]) {
        Array(fields.joined()).withUnsafeBytes { _ = send($0) }
    }
}

/// Fields as they are encoded.
private enum Wire {
    static func number(_ field: UInt64, _ value: UInt64) -> [UInt8] {
        varint(field << 3) + varint(value)
    }

    static func message(_ field: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        varint(field << 3 | 2) + varint(UInt64(bytes.count)) + bytes
    }

    static func text(_ field: UInt64, _ text: String) -> [UInt8] {
        message(field, Array(text.utf8))
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F | 0x80)] + varint(value >> 7)
    }
}
