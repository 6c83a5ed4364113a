import Memory
import Protobuf
import RelationCore
import RelationModel

/// The fields of the contract's `ChangeEvent` that no stored event has.
struct EventSuffix: CodedMessage {
    private var userID = ""
    private var sequence: Int64 = 0
    private var syncType = SyncType.unspecified

    init() {}

    /// - Parameter user: The user whose log has the event, or whom it is about; nil if it is about
    ///   no user.
    init(_ user: UserID?, sequence: Int64 = 0, _ syncType: SyncType = .unspecified) {
        userID = user?.text ?? ""
        self.sequence = sequence
        self.syncType = syncType
    }

    private static let userNumber: UInt32 = 7
    private static let sequenceNumber: UInt32 = 8

    static let schema = Schema("relation.v1.ChangeEvent", EventSuffix.self)
    static let events = Coder(ChangeRecord.self)
    private static let coder = Coder(EventSuffix.self)

    mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(Self.userNumber, "user_id", &userID)
        visitor.field(Self.sequenceNumber, "sequence", &sequence)
        visitor.field(10, "sync_type", &syncType)
    }

    func bytes(_ arena: Arena) throws(CodecError) -> [UInt8] {
        try Self.coder.bytes(self, arena)
    }

    /// Appends the encoding of the suffix with these two fields, which every sent event has.
    static func append(_ user: UserID, _ sequence: Int64, to output: OutputBuffer) {
        var text = user.text
        text.withUTF8 { FieldWriter.append(userNumber, UnsafeRawBufferPointer($0), to: output) }
        FieldWriter.append(sequenceNumber, sequence, to: output)
    }

    /// Returns the encoding of `event`, which is in no log, with these fields.
    func bytes(ending event: ChangeRecord, _ arena: Arena) throws(CodecError) -> [UInt8] {
        try Self.events.bytes(event, arena) + bytes(arena)
    }
}
