import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of ProfileService about digests of contacts.
enum ContactHandlers {
    static func register(in router: Router) {
        router.write(ProfileMethods.setContactDigests, setContactDigests)
        router.read(ProfileMethods.getContactDigests, getContactDigests)
        router.write(ProfileMethods.findContacts, findContacts)
    }

    static func setContactDigests(
        _ request: SetContactDigestsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<SetContactDigestsResponse> {
        violations.contactKind(request.kind)
        violations.count(request.digests.count, "digests", 0...Limits.contactDigests)
        violations.contactDigests(request.digests.prefix(Limits.contactDigests))
        let (user, isAdmin) = (call.user, call.isAdmin)
        let (kind, digests) = (request.kind, request.digests)
        var work = Work<SetContactDigestsResponse>(
            .one { (ledger) throws(StorageError) in
                var outcome = FriendOutcome(.adminRequired, Reason.ContactSet.adminRequired)
                if isAdmin {
                    outcome = try Contacts.set(digests, of: kind, for: user, in: ledger)
                }
                var response = SetContactDigestsResponse()
                response.set(outcome.code, outcome.reason)
                return .success(
                    WriteResult(
                        response: response, applied: outcome.changed,
                        isRefused: outcome.code != .success))
            })
        if violations.isEmpty {
            Contacts.keysForSetting(
                digests, of: kind, for: user, app: call.app, into: &work.keys)
        }
        return work
    }

    static func getContactDigests(
        _ request: GetContactDigestsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetContactDigestsResponse> {
        reading(call) { (_, transaction) throws(StorageError) in
            let record = try Contacts.record(of: call.user, app: call.app, in: transaction)
            var response = GetContactDigestsResponse()
            (response.phones, response.emails) = (record.phones, record.emails)
            return response
        }
    }

    static func findContacts(
        _ request: FindContactsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<FindContactsResponse> {
        violations.contactKind(request.kind)
        violations.count(request.digests.count, "digests", 1...Limits.contactItems)
        violations.contactDigests(request.digests.prefix(Limits.contactItems))
        let (user, isAdmin) = (call.user, call.isAdmin)
        let (kind, digests) = (request.kind, request.digests)
        let isDryRun = request.options?.dryRun ?? false
        var work = Work<FindContactsResponse>(
            .one { (ledger) throws(StorageError) in
                let found = try Contacts.find(
                    digests, of: kind, for: user, isAdmin: isAdmin, in: ledger)
                var response = FindContactsResponse()
                response.set(found.outcome.code, found.outcome.reason)
                response.leftToday = Int64(found.leftNow)
                // A dry run counts nothing, so it must tell no one: else the limit bounds nothing.
                if !isDryRun {
                    response.contacts = found.contacts.map { FoundContact($0.digest, $0.user) }
                }
                let isRefused = found.outcome.code != .success
                return .success(
                    WriteResult(response: response, applied: !isRefused, isRefused: isRefused))
            })
        if violations.isEmpty {
            Contacts.keysForFinding(digests, of: kind, app: call.app, into: &work.keys)
        }
        return work
    }
}

extension SetContactDigestsResponse: OutcomeMessage {}
extension FindContactsResponse: OutcomeMessage {}

extension FoundContact {
    fileprivate init(_ digest: [UInt8], _ user: UserID) {
        self.init()
        self.digest = digest
        userID = user.text
    }
}

extension Violations {
    fileprivate mutating func contactKind(_ kind: ContactKind) {
        guard kind != .unspecified else { return add("kind", "must be given") }
        known(kind, "kind")
    }

    fileprivate mutating func contactDigests(_ digests: ArraySlice<[UInt8]>) {
        let bytes = Limits.contactDigestBytes
        for (index, digest) in digests.enumerated() where digest.count != bytes {
            add("digests[\(index)]", "has \(digest.count) bytes; it must have \(bytes)")
        }
    }
}
