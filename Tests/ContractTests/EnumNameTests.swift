import Foundation
import Protobuf
import RelationAPI
import RelationModel
import Testing

/// A value of an enum prints as code writes it.
@Suite struct EnumNameTests {
    private static let schemas: [String: EnumSchema] = {
        let messages = ServiceTable.all.flatMap { [$0.request, $0.response] }
        let schemas = messages.flatMap { $0.reachable().enums } + [ErrorReason.schema]
        return Dictionary(schemas.map { ($0.fullName, $0) }) { first, _ in first }
    }()

    /// The sources of the model, each with an enum of the contract.
    private static func sources() throws -> [String] {
        let folder = ContractFiles.root.appending(path: "Sources/RelationModel")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// The names of ``Reason`` stand in an enum for each call, so it prints that of the contract.
    @Test func everyValueHasTheNameOfItsConstant() throws {
        let declared = try Regex(#"static let `?(\w+)`? = (\w+)\(rawValue: ([0-9]+)\)"#)
        var count = 0
        for source in try Self.sources() {
            guard let match = try Regex(#"public struct (\w+): OpenEnum"#).firstMatch(in: source),
                let name = match[1].substring, name != "Reason"
            else { continue }
            let schema = try #require(Self.schemas["relation.v1.\(name)"], "\(name)")
            let constants = source.matches(of: declared).filter { $0[2].substring == name }
            #expect(constants.count == schema.values.count, "\(name)")
            for constant in constants {
                let number = try #require(constant[3].substring.flatMap { Int32($0) })
                let word = try #require(constant[1].substring)
                #expect(schema.swiftName(of: number) == ".\(word)", "\(name)")
            }
            count += 1
        }
        #expect(count == Self.schemas.count - 1)
    }

    @Test func aNumberWithoutANamePrintsAsANumber() {
        #expect("\(FriendStatus.success)" == ".success")
        #expect("\(FriendRelation.bothWay)" == ".bothWay")
        #expect("\(FriendStatus(rawValue: 4711))" == "FriendStatus(rawValue: 4711)")
        #expect("\(Reason.none) \(Reason.existed)" == ".none .existed")
        #expect("\(Reason.FriendAdd.friendExist)" == "REASON_SNS_FRIEND_ADD_FRIEND_EXIST")
        #expect("\(Reason(rawValue: 99))" == "Reason(rawValue: 99)")
    }
}
