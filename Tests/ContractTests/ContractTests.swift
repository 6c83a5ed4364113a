import Protobuf
import RelationAPI
import RelationModel
import Testing

/// The .proto files and the Swift table agree, and a difference between them is found.
@Suite struct ContractTests {
    /// Enums that clients meet, and that no message contains.
    private static let looseEnums = [ErrorReason.schema, SubscriptionStatus.schema]

    private static var repeated: Contract {
        Contract(calls: ServiceTable.all, enums: looseEnums)
    }

    @Test func swiftRepeatsTheContractAndNothingElse() throws {
        let declared = Contract(try ContractFiles.compiled())
        #expect(declared.lines.count > 300, "the files were hardly read")
        #expect(declared.differences(from: Self.repeated) == [])
    }

    struct Edit: CustomTestStringConvertible, Sendable {
        let file: String
        let old: String
        let new: String
        var testDescription: String { "\(file): \(new)" }

        init(_ file: String, _ old: String, _ new: String) {
            self.file = file
            self.old = old
            self.new = new
        }
    }

    @Test(arguments: [
        Edit("friend.proto", "string remark = 2;", "string remark = 22;"),
        Edit("friend.proto", "string remark = 2;", "string note = 2;"),
        Edit("friend.proto", "string remark = 2;", "bytes remark = 2;"),
        Edit("friend.proto", "string remark = 2;", "optional string remark = 2;"),
        Edit("friend.proto", "repeated string groups = 3;", "string groups = 3;"),
        Edit("friend.proto", "string remark = 2;", "string remark = 2; string more = 99;"),
        Edit("friend.proto", "int64 sequence = 8;", ""),
        Edit("friend.proto", "AddType add_type = 4;", "DeleteType add_type = 4;"),
        Edit("friend.proto", "ADD_TYPE_BOTH = 2;", "ADD_TYPE_BOTH = 3;"),
        Edit("friend.proto", "ADD_TYPE_BOTH = 2;", ""),
        Edit("friend.proto", "ADD_TYPE_BOTH = 2;", "ADD_TYPE_BOTH = 2; ADD_TYPE_NONE = 3;"),
        Edit("common.proto", "bytes data = 4;", "} bytes data = 4; oneof other {"),
        Edit("common.proto", "message StringList {", "message More {} message StringList {"),
        Edit(
            "reason.proto", "ERROR_REASON_OVERLOADED = 33;",
            "ERROR_REASON_OVERLOADED = 33; ERROR_REASON_MORE = 999;"),
        Edit(
            "reason.proto", "REASON_SNS_FRIEND_ADD_SELF = 109;",
            "REASON_SNS_FRIEND_ADD_SELF = 199;"),
        Edit("common.proto", "optional FriendStatus code = 2;", "FriendStatus code = 2;"),
        Edit(
            "profile.proto", "rpc GetSelfProfile(GetSelfProfileRequest)",
            "rpc GetMyProfile(GetSelfProfileRequest)"),
        Edit(
            "profile.proto", "rpc GetSelfProfile(GetSelfProfileRequest)",
            "rpc GetSelfProfile(stream GetSelfProfileRequest)"),
        Edit(
            "profile.proto", "rpc GetSelfProfile(GetSelfProfileRequest)",
            "rpc GetSelfProfile(GetProfilesRequest)"),
    ])
    func aDifferenceIsSeen(_ edit: Edit) throws {
        let changed = try ContractFiles.compiled(
            replacing: edit.old, by: edit.new, in: edit.file)
        #expect(Contract(changed).differences(from: Self.repeated) != [])
    }

    @Test func noCallStandsTwiceInTheTable() {
        let paths = ServiceTable.all.map(\.path)
        #expect(Set(paths).count == paths.count)
    }
}
