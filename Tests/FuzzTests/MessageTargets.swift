import GRPC
import GRPCWire
import Memory
import Protobuf
import ProtobufWitness
import RelationAPI
import RelationCore

/// Messages of the contract and of the store: the first byte chooses the type, the rest is the
/// message.
enum MessageTargets {
    /// Our decoder agrees with the witness, and reads its own output again.
    static let wire = FuzzTarget(name: "protobuf", form: .bytes, maxBytes: 2_048) { input in
        guard let choice = input.first else { return }
        let kind = kinds[Int(choice) % kinds.count]
        try Arena.temporary { arena in try kind.wire(Array(input.dropFirst()), arena) }
    }

    /// A message that the reader of JSON accepts is accepted again in the JSON that we write for
    /// it.
    static let json = FuzzTarget(name: "json", form: .text, maxBytes: 2_048) { input in
        guard let choice = input.first else { return }
        let kind = kinds[Int(choice) % kinds.count]
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        try Arena.temporary { arena in try kind.json(text, arena) }
    }

    /// The checks of one type of message.
    struct Kind: Sendable {
        let name: String
        let wire: @Sendable ([UInt8], Arena) throws -> Void
        let json: @Sendable (String, Arena) throws -> Void
        /// The encoding and the JSON of a random message.
        let random: @Sendable (UInt64, Arena) throws -> (wire: [UInt8], json: String)
        /// The JSON of the type from bytes to bytes.
        let form: JSONForm
        let decode: @Sendable ([UInt8], Arena) throws -> Void

        init<M: CodedMessage>(_: M.Type) {
            let coder = Coder(M.self)
            name = "\(M.self)"
            form = JSONForm(M.schema, anys: MessageTargets.anys)
            decode = { bytes, arena in _ = try coder.message(bytes, arena) }
            wire = { bytes, arena in try MessageTargets.wire(coder, bytes, arena) }
            json = { text, arena in try MessageTargets.json(coder, text, arena) }
            random = { seed, arena in
                var random = RandomMessages(seed: seed, arena, rarity: 2)
                let message = random.next(M.self)
                return (WireWriter.encode(message), try message.json(arena))
            }
        }

        /// A request whose names are counted before it is decoded.
        init<M: SizedReadRequest>(counted type: M.Type) {
            let plain = Kind(type)
            (name, json, random) = (plain.name, plain.json, plain.random)
            (form, decode) = (plain.form, plain.decode)
            let coder = Coder(type)
            wire = { bytes, arena in
                try plain.wire(bytes, arena)
                try MessageTargets.count(coder, bytes, arena)
            }
        }
    }

    /// The messages in an Any.
    private static let anys = [
        StatusMessage.schema, AnyMessage.schema, ErrorInfo.schema, BadRequest.schema,
        RetryInfo.schema, DurationMessage.schema, TimestampMessage.schema, FieldMask.schema,
    ]

    /// A new kind goes to the end, since inputs name kinds by their numbers.
    static let kinds = [
        Kind(AddFriendsRequest.self), Kind(UpdateFriendsRequest.self),
        Kind(ListFriendsRequest.self), Kind(SyncFriendsRequest.self),
        Kind(UpdateProfileRequest.self), Kind(GetProfilesRequest.self),
        Kind(GetProfilesResponse.self), Kind(CheckFriendsResponse.self),
        Kind(SubscribeRequest.self), Kind(ReportPresenceRequest.self),
        Kind(ReadUserResponse.self), Kind(ImportFriendsRequest.self),
        Kind(ImportAccountsRequest.self), Kind(CheckIntegrityResponse.self),
        Kind(UpdateAppRequest.self), Kind(DefineCustomFieldsRequest.self),
        Kind(RegisterClientAppRequest.self), Kind(WatchRequest.self), Kind(ChangeEvent.self),
        Kind(ExportAppResponse.self), Kind(ProfileRecord.self), Kind(ChangeRecord.self),
        Kind(StatusMessage.self), Kind(ServerReflectionRequest.self),
        Kind(ServerReflectionResponse.self), Kind(HealthListResponse.self),
        Kind(counted: CheckFriendsRequestView.self), Kind(counted: GetRelationsRequestView.self),
    ]

    private static func wire<M: CodedMessage>(
        _ coder: Coder<M>, _ bytes: [UInt8], _ arena: Arena
    ) throws {
        let theirs = try? WireWriter.encode(WireReader.decode(M.self, bytes, arena))
        let used = arena.usedBytes
        let message: M
        do throws(CodecError) {
            message = try coder.message(bytes, arena)
        } catch {
            try require(error.code != .outOfMemory, "the guard let pass what C refuses")
            return try require(theirs == nil, "the witness reads what we refuse: \(error)")
        }
        try require(arena.usedBytes - used <= CodecLimits.decodedBytes, "too much memory")
        let ours = WireWriter.encode(message)
        try require(ours == theirs, "the witness reads another message")
        let written = try coder.bytes(message, arena)
        let again = try coder.message(written, arena)
        try require(WireWriter.encode(again) == ours, "another message is read than was written")
        try require(try coder.bytes(again, arena) == written, "written in two ways")
    }

    /// As many names are counted in the bytes of a request as are decoded.
    private static func count<M: SizedReadRequest>(
        _ coder: Coder<M>, _ bytes: [UInt8], _ arena: Arena
    ) throws {
        guard let request = try? coder.message(bytes, arena),
            case .rows(let rows) = request.readSize
        else { return }
        func asks(forMoreThan rows: Int) -> Bool {
            bytes.withUnsafeBytes { M.asks(forMoreThan: rows, in: $0) }
        }
        try require(!asks(forMoreThan: rows), "names are counted that are not there")
        try require(rows == 0 || asks(forMoreThan: rows - 1), "not all names are counted")
    }

    private static func json<M: CodedMessage>(
        _ coder: Coder<M>, _ text: String, _ arena: Arena
    ) throws {
        guard let message = try? M(json: text, arena) else { return }
        let bytes = try coder.bytes(message, arena)
        // A field that is kept as bytes may hold bytes that form no message: only the writer looks
        // inside.
        guard let written = try? message.json(arena, includesDefaults: false) else { return }
        let again = try M(json: written, arena)
        try require(try coder.bytes(again, arena) == bytes, "\(written) is another message")
    }
}
