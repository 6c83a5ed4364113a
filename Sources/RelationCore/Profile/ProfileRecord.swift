package import Protobuf
package import RelationModel

/// What a user says about itself.
///
/// A field that was never set is absent.
package struct ProfileRecord: Message, Equatable {
    package var nick: String?
    package var faceURL: String?
    package var allowType: AllowType?
    package var gender: Gender?
    package var birthday: UInt32?
    package var location: [UInt8]?
    package var language: UInt32?
    package var level: UInt32?
    package var role: UInt32?
    package var selfSignature: [UInt8]?
    package var msgSettings: UInt32?
    package var adminForbidType: AdminForbidType?
    /// Counts the changes of the profile: 1 after the first, 0 before it.
    package var version: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Profile", ProfileRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "nick", &nick)
        visitor.field(2, "face_url", &faceURL)
        visitor.field(3, "allow_type", &allowType)
        visitor.field(4, "gender", &gender)
        visitor.field(5, "birthday", &birthday)
        visitor.field(6, "location", &location)
        visitor.field(7, "language", &language)
        visitor.field(8, "level", &level)
        visitor.field(9, "role", &role)
        visitor.field(10, "self_signature", &selfSignature)
        visitor.field(11, "msg_settings", &msgSettings)
        visitor.field(12, "admin_forbid_type", &adminForbidType)
        visitor.field(100, "version", &version)
    }
}
