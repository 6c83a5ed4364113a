import Protobuf
import RelationAPI
import Testing

/// The service that apps implement: its file and its messages in Swift agree, and the server does
/// not serve it.
@Suite struct ReceiverContractTests {
    private static let package = "relation.hook.v1"
    private static let service: StaticString = "relation.hook.v1.HookReceiverService"

    /// The lines of a contract that are about the service and its own messages.
    private static func own(_ contract: Contract) -> Set<String> {
        contract.lines.filter { line in
            let words = line.split(separator: " ")
            return words.count > 1 && words[1].drop { $0 == "/" }.hasPrefix(package)
        }
    }

    @Test func swiftRepeatsTheFileAndNothingElse() throws {
        let declared = Self.own(Contract(try ContractFiles.ofReceivers()))
        let calls = [
            AnyMethod(
                Method<DeliverRequest, DeliverResponse>(Self.service, "Deliver", .write)),
            AnyMethod(Method<AskRequest, AskResponse>(Self.service, "Ask", .write)),
        ]
        let repeated = Self.own(Contract(calls: calls, enums: []))
        #expect(declared.count > 40, "the file was hardly read")
        #expect(declared.symmetricDifference(repeated).sorted() == [])
        #expect(calls.map(\.path) == [ReceiverMethods.deliver, ReceiverMethods.ask])
    }

    @Test func theServerDoesNotServeIt() throws {
        #expect(Self.own(Contract(try ContractFiles.compiled())).isEmpty)
        #expect(!ServiceTable.all.contains { $0.service.hasPrefix(Self.package) })
    }

    @Test func itsFileHasTheOptionsOfEveryLanguage() throws {
        let file = try #require(
            try ContractFiles.ofReceivers().files.first { $0.package == Self.package })
        let others = try ContractFiles.compiled().files
        let options = try #require(file.options)
        let contract = try #require(others.first { $0.package == "relation.v1" }?.options)
        func moved(_ text: String, _ old: String, _ new: String) -> String {
            text.replacing(old, with: new)
        }
        #expect(
            options.javaPackage == moved(contract.javaPackage, "relation.v1", Self.package))
        #expect(options.javaMultipleFiles)
        #expect(options.javaOuterClassname == "ReceiverProto")
        let place = moved(contract.goPackage, "relation/v1", "relation/hook/v1")
        #expect(options.goPackage == moved(place, "relationv1", "hookv1"))
        // Of its own, since these prefixes are not those of the package.
        #expect(!options.objcClassPrefix.isEmpty)
        #expect(options.objcClassPrefix != contract.objcClassPrefix)
        #expect(options.swiftPrefix != contract.swiftPrefix)
        #expect(options.csharpNamespace == "Relation.Hook.V1")
        #expect(options.phpNamespace == "Relation\\Hook\\V1")
        #expect(options.rubyPackage == "Relation::Hook::V1")
    }
}
