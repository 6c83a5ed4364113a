import Protobuf
import RelationAPI
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The search for contacts, whose count bounds what a user learns.
@Suite struct ContactCallTests {
    private let digest = [UInt8](repeating: 7, count: Limits.contactDigestBytes)

    private func find(_ harness: ServiceHarness, dryRun: Bool) throws -> FindContactsResponse {
        var request = FindContactsRequest()
        (request.userID, request.kind, request.digests) = ("A", .phone, [digest])
        request.options = WriteOptions.with { $0.dryRun = dryRun }
        return try harness.write(
            ProfileMethods.findContacts, request, ContactHandlers.findContacts
        ).get()
    }

    /// It counts nothing, so a user that learned from it would walk through all digests.
    @Test func aDryRunTellsNoContacts() throws {
        let harness = ServiceHarness(try World("A", "B"))
        try harness.register()
        var request = SetContactDigestsRequest()
        (request.userID, request.kind, request.digests) = ("B", .phone, [digest])
        let set = try harness.write(
            ProfileMethods.setContactDigests, request, ContactHandlers.setContactDigests
        ).get()
        try #require(set.applied)
        for _ in 0..<2 {
            let tried = try find(harness, dryRun: true)
            #expect(tried.code == .success && !tried.applied && tried.contacts.isEmpty)
        }
        let tried = try find(harness, dryRun: true)
        let found = try find(harness, dryRun: false)
        #expect(found.applied && found.contacts.map(\.userID) == ["B"])
        #expect(tried.leftToday == found.leftToday)
    }
}
