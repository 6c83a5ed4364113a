import Foundation
import GRPC
import Protobuf
import RelationAPI
import Testing

@testable import RelationClient

/// The words of errors as programs with Foundation print them.
struct LocalizedErrorTests {
    @Test func localizedDescriptionsSayWhatHappened() throws {
        let call = CallError(code: .notFound, message: "no such user", reason: "USER_NOT_FOUND")
        let options = try #require(throws: OptionsError.self) {
            try Client(ClientOptions(servers: []))
        }
        let address = try #require(throws: AddressError.self) { try ServerAddress("nowhere") }
        let codec = try #require(throws: MessageError.self) {
            try AddFriendsRequest(json: "{\"userId\": 7}")
        }
        let errors: [any Error] = [call, options, address, codec, CallError.clientClosed()]
        for error in errors {
            #expect(error.localizedDescription == "\(error)")
            #expect(!error.localizedDescription.contains("could not be completed"))
        }
        #expect(call.localizedDescription == "NOT_FOUND (USER_NOT_FOUND): no such user")
    }
}
