import Foundation
import Memory
import Protobuf
import RelationAPI
import Testing

/// Messages of every call cross to Google's protobuf and back, as bytes and as JSON.
@Suite struct ForeignPeerTests {
    private static let count = 25

    /// Recodes bytes through a Swift message.
    private typealias Recoder = @Sendable ([UInt8]) throws(CodecError) -> [UInt8]

    private static func recoder<M: CodedMessage>(_ coder: Coder<M>) -> Recoder {
        { (bytes) throws(CodecError) in
            try Arena.temporary { (arena) throws(CodecError) in
                try coder.bytes(coder.message(bytes, arena), arena)
            }
        }
    }

    private static func recoders<M: TypedMethod>(
        _ call: M
    ) -> [(schema: Schema, recode: Recoder)] {
        [
            (M.Request.schema, recoder(call.method.requestCoder)),
            (M.Response.schema, recoder(call.method.responseCoder)),
        ]
    }

    /// The calls in the forms that the service has of their messages.
    private static let views: [any TypedMethod] = [
        FriendMethods.checkFriendsView, FriendMethods.listFriendsView,
        FriendMethods.searchFriendsView, FriendMethods.syncFriendsView,
        FriendMethods.getRelationsView,
        BlacklistMethods.listBlacklistView, BlacklistMethods.checkBlacklistView,
        BlacklistMethods.canSendView, ChangeMethods.listChangesView, ChangeMethods.watchView,
        ConsentMethods.listAppFriendsView, ProfileMethods.getProfilesView,
    ]

    /// All forms of each message, by its name.
    private static let forms = Dictionary(
        grouping: (ServiceTable.all.map(\.typed) + views).flatMap { recoders($0) },
        by: \.schema.fullName)

    /// Both forms of a message have the fields of the contract.
    @Test func theFormsOfAMessageHaveOneSchema() {
        for (name, forms) in Self.forms {
            #expect(Set(forms.map(\.schema.description)).count == 1, "\(name)")
        }
    }

    @Test func everyMessageCrossesUnchanged() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        let calls = ServiceTable.all
        let types = calls.flatMap { [$0.request.fullName, $0.response.fullName] }
        let samples = try ForeignPeer.samples(of: types, count: Self.count, seed: seed)
        #expect(samples.count == types.count * Self.count)
        let requests = Dictionary(
            calls.map { ($0.request.fullName, $0) }, uniquingKeysWith: { first, _ in first })
        let responses = Dictionary(
            calls.map { ($0.response.fullName, $0) }, uniquingKeysWith: { first, _ in first })
        var printed: [ForeignPeer.Sample] = []
        for sample in samples {
            let bytes = [UInt8](try #require(Data(base64Encoded: sample.bytes)))
            for (_, recode) in try #require(Self.forms[sample.type]) {
                #expect(try recode(bytes) == bytes, "seed \(seed): \(sample.type) \(sample.json)")
            }
            if let call = requests[sample.type] {
                #expect(
                    try call.encodeRequest(sample.json) == bytes,
                    "seed \(seed): \(sample.type) \(sample.json)")
            }
            if let call = responses[sample.type] {
                let json = try call.decodeResponse(bytes)
                printed.append(
                    ForeignPeer.Sample(type: sample.type, bytes: sample.bytes, json: json))
            }
        }
        #expect(try ForeignPeer.differences(in: printed) == "", "seed \(seed)")
    }
}
