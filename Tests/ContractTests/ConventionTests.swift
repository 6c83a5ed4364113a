import Protobuf
import RelationAPI
import RelationModel
import Testing

/// The conventions of every message of the contract.
@Suite struct ConventionTests {
    private static let unary = ServiceTable.all.filter { $0.shape == .unary }

    private static func line(_ schema: Schema, _ number: UInt32) -> String {
        schema.fields.first { $0.number == number }?.description ?? "none"
    }

    /// A call that is not for users acts for no user, so its request names none.
    @Test(arguments: unary.map(\.name))
    func aRequestBeginsWithUserAndOptions(_ name: String) throws {
        let call = try #require(Self.unary.first { $0.name == name })
        let options = call.access == .write ? "WriteOptions" : "ReadOptions"
        let user = call.audience == .users ? "string user_id = 1" : "none"
        #expect(Self.line(call.request, 1) == user)
        #expect(Self.line(call.request, 2) == "relation.v1.\(options) options = 2")
    }

    @Test(arguments: unary.filter { $0.access == .write }.map(\.name))
    func aWriteAnswersSequenceAppliedReplayed(_ name: String) throws {
        let response = try #require(Self.unary.first { $0.name == name }).response
        #expect(Self.line(response, 1) == "int64 sequence = 1")
        #expect(Self.line(response, 2) == "bool applied = 2")
        #expect(Self.line(response, 3) == "bool replayed = 3")
    }

    @Test func aRequestCannotActByLeavingAFieldOut() {
        let acting = [
            FriendResponseType.schema.fullName, AllowType.schema.fullName,
            Visibility.schema.fullName,
        ]
        var seen: Set<String> = []
        for call in ServiceTable.all {
            for message in call.request.reachable().messages {
                for field in message.fields where acting.contains(field.type.description) {
                    seen.insert(field.type.description)
                    #expect(field.presence == .explicit, "\(message.fullName).\(field.name)")
                }
            }
        }
        #expect(seen == Set(acting))
    }

    @Test func namesOfValuesBeginWithTheirEnum() {
        for call in ServiceTable.all {
            for schema in call.request.reachable().enums + call.response.reachable().enums {
                let prefix = schema.fullName.split(separator: ".").last.map(Self.screaming) ?? ""
                for value in schema.values {
                    #expect(value.name.hasPrefix("\(prefix)_"), "\(value.name)")
                }
            }
        }
    }

    /// "AddType" as "ADD_TYPE".
    private static func screaming(_ name: Substring) -> String {
        var text = ""
        for letter in name {
            if letter.isUppercase, !text.isEmpty { text += "_" }
            text += letter.uppercased()
        }
        return text
    }

    @Test func everyTimeSaysItsUnit() {
        for call in ServiceTable.all {
            for schema in [call.request, call.response] {
                for message in schema.reachable().messages {
                    for field in message.fields
                    where field.name.contains("time") && field.name != "next_time" {
                        #expect(field.name.hasSuffix("_ms"), "\(message.fullName).\(field.name)")
                        #expect(field.type.description == "int64")
                    }
                }
            }
        }
    }
}
