import Protobuf
import RelationAPI
import RelationAccess
import RelationCore
import RelationModel
import Storage
import StorageRocks

// They stand in a table of docs/performance.md, and have no ceilings: `make write-costs` counts
// them.

extension CountedCall {
    /// Writes of which a server makes few: each in batches of 16, as the ceilings have others.
    static var costs: [CountedCall] {
        costsOfRelations + costsOfInvitations + costsOfProfiles + costsOfIndexes
            + costsOfModeration
    }

    private static var costsOfRelations: [CountedCall] {
        [
            cost("Unfollow", FollowMethods.unfollow, { $0.results.map(\.code) == [.success] }) {
                ($0.userID, $0.userIDs) = ask($1)
            }.after(
                FollowMethods.follow, { $0.results.map(\.code) == [.success] },
                { ($0.userID, $0.userIDs) = ask($1) }),
            cost(
                "RestoreSuggestions", FriendMethods.restoreSuggestions,
                { $0.results.map(\.code) == [.success] }
            ) {
                ($0.userID, $0.userIDs) = ask($1)
            }.after(
                FriendMethods.dismissSuggestions, { $0.results.map(\.code) == [.success] },
                { ($0.userID, $0.userIDs) = ask($1) }),
            cost(
                "UpdateFriends.mark", FriendMethods.updateFriends,
                { $0.results.map(\.code) == [.success] }
            ) { request, number in
                let (one, other) = CountData.pair(number)
                let item = FriendUpdate.with {
                    ($0.userID, $0.starred) = (other, true)
                    $0.updateMask = FieldMask(["starred"])
                }
                (request.userID, request.items) = (one, [item])
            },
            cost(
                "ReportPresence.again", PresenceMethods.reportPresence,
                { $0.results.map(\.code) == [.success] }, report
            ).after(
                PresenceMethods.reportPresence, { $0.results.map(\.code) == [.success] }, report),
        ]
    }

    private static var costsOfInvitations: [CountedCall] {
        var accept = cost(
            "AcceptInvitation", InvitationMethods.acceptInvitation, { $0.code == .success }
        ) {
            ($0.userID, $0.invitationCode) = (CountData.unrelatedUsers($1).1, code($1))
        }
        var revoke = cost(
            "RevokeInvitation", InvitationMethods.revokeInvitation, { $0.applied }
        ) {
            ($0.userID, $0.invitationID) = (CountData.unrelatedUsers($1).0, id($1).text)
        }
        accept.fill = invite
        revoke.fill = invite
        return [accept, revoke]
    }

    private static var costsOfProfiles: [CountedCall] {
        var digests = cost(
            "SetContactDigests", ProfileMethods.setContactDigests, { $0.code == .success }
        ) {
            ($0.userID, $0.kind) = (CountData.unrelatedUsers($1).0, .phone)
            $0.digests = [digest($1)]
        }
        digests.isAdministrator = true
        return [
            cost("SetVisibility", ProfileMethods.setVisibility, { $0.code == .success }) {
                $0.userID = CountData.unrelatedUsers($1).0
                $0.fields = [.with { ($0.field, $0.visibility) = ("gender", .friends) }]
            },
            digests,
            cost("FindContacts.one", ProfileMethods.findContacts, { $0.code == .success }) {
                ($0.userID, $0.kind) = (CountData.unrelatedUsers($1).0, .phone)
                $0.digests = [digest($1)]
            },
        ]
    }

    /// The same writes as others, in an app whose users are found by their names.
    private static var costsOfIndexes: [CountedCall] {
        let calls = [
            cost("UpdateProfile.found", ProfileMethods.updateProfile, { $0.code == .success }) {
                $0 = .naming(CountData.unrelatedUsers($1).0, "张三")
            },
            cost(
                "SetFindSettings.found", ProfileMethods.setFindSettings,
                { $0.settings?.byName == .noUser }
            ) {
                $0.userID = CountData.unrelatedUsers($1).0
                $0.settings = .with { $0.byName = .noUser }
            },
        ]
        return calls.map { call in
            var call = call
            (call.app, call.fill) = (findingApp, nameUsers)
            return call
        }
    }

    private static var costsOfModeration: [CountedCall] {
        var decide = cost(
            "DecideReviews", ModerationMethods.decideReviews,
            { $0.results.map(\.code) == [.success] }
        ) { request, number in
            let verdict = ReviewVerdict.with {
                ($0.reviewID, $0.decision) = ("\(number + 1)", .approved)
            }
            request.items = [verdict]
        }
        decide.fill = askForReviews
        let calls = [
            cost(
                "RevokeUserSessions", AccountMethods.revokeUserSessions,
                { $0.results.map(\.code) == [.success] }
            ) { $0.userIDs = [CountData.unrelatedUsers($1).0] },
            cost(
                "SuspendAccounts", ModerationMethods.suspendAccounts,
                { $0.results.map(\.code) == [.success] }, suspend),
            cost(
                "ReinstateAccounts", ModerationMethods.reinstateAccounts,
                { $0.results.map(\.code) == [.success] }
            ) {
                $0.userIDs = [CountData.unrelatedUsers($1).0]
            }.after(
                ModerationMethods.suspendAccounts, { $0.results.map(\.code) == [.success] },
                suspend),
            cost(
                "ResolveReports", ModerationMethods.resolveReports,
                { $0.results.map(\.code) == [.success] }
            ) { request, number in
                let item = ReportResolution.with {
                    ($0.reportID, $0.outcome) = ("\(number + 1)", .dismissed)
                }
                request.items = [item]
            }.after(ModerationMethods.reportUser, { $0.code == .success }) {
                ($0.userID, $0.reportedUserID) = CountData.unrelatedUsers($1)
                $0.category = .spam
            },
            decide,
            cost(
                "DeleteAccounts", AccountMethods.deleteAccounts,
                { $0.results.map(\.code) == [.success] }
            ) { $0.userIDs = [CountData.unrelatedUsers($1).0] },
            cost(
                "DeleteAccounts.erase", AccountMethods.deleteAccounts,
                { $0.results.map(\.code) == [.success] }
            ) { ($0.userIDs, $0.erase) = ([CountData.unrelatedUsers($1).0], true) },
        ]
        return calls.map { call in
            var call = call
            call.isAdministrator = true
            return call
        }
    }

    // MARK: Requests

    /// A write with a row of the table.
    private static func cost<Request: CodedMessage, Response: CodedMessage>(
        _ name: String, _ method: Protobuf.Method<Request, Response>,
        _ isRight: @escaping (Response) -> Bool, _ fill: @escaping (inout Request, Int) -> Void
    ) -> CountedCall {
        write("\(name).batch16", method, isRight, fill)
    }

    /// The same call after others, which make the rows that it finds.
    private func after<Request: CodedMessage, Response: CodedMessage>(
        _ method: Protobuf.Method<Request, Response>, _ isRight: @escaping (Response) -> Bool,
        _ fill: @escaping (inout Request, Int) -> Void
    ) -> CountedCall {
        var call = self
        call.before = {
            let requests = (0..<CountLimits.costWrites).map { number in
                Request.with { fill(&$0, number) }
            }
            return [try CountedPlan(method, CountLimits.preparedTogether, 0, requests, isRight)]
        }
        return call
    }

    /// A user, and another about whom it makes a call.
    private static func ask(_ number: Int) -> (String, [String]) {
        let (one, other) = CountData.unrelatedUsers(number)
        return (one, [other])
    }

    private static func suspend(_ request: inout SuspendAccountsRequest, _ number: Int) {
        let item = SuspensionItem.with {
            ($0.userID, $0.level) = (CountData.unrelatedUsers(number).0, .limited)
            $0.endTimeMs = CountedService.now.milliseconds + 3_600_000
        }
        request.items = [item]
    }

    private static func digest(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
            + [UInt8](repeating: 7, count: Limits.contactDigestBytes - 2)
    }

    // MARK: Rows

    /// The code of an invitation, which only its maker knows otherwise.
    private static func code(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 2 * Limits.invitationCodeBytes - digits.count) + digits
    }

    private static func id(_ number: Int) -> InvitationID {
        InvitationID(digest: APIKey.digest(of: code(number).utf8))
    }

    /// Makes an invitation of each user, with a code that is known.
    private static func invite(_ store: RocksStore) throws {
        try rows(of: CountedService.app, in: store).write(CountLimits.costWrites) {
            (number, ledger) throws(StorageError) in
            var record = InvitationRecord()
            record.invitationID = id(number).text
            record.maxUses = 1
            record.preApproved = true
            record.createTimeMs = ledger.now.milliseconds
            record.expireTimeMs = ledger.now.milliseconds + 3_600_000
            let outcome = try Invitations.create(
                id(number), record, of: user(number), in: ledger)
            precondition(outcome.code == .success, "an invitation was refused: \(outcome)")
        }
    }

    /// Puts a nick of each user under review.
    private static func askForReviews(_ store: RocksStore) throws {
        var app = CountedService.app
        app.settings.reviewedFields.held = ["nick"]
        try rows(of: app, in: store).write(CountLimits.costWrites) {
            (number, ledger) throws(StorageError) in
            var values = ProfileRecord()
            values.nick = "a nick \(number)"
            let result = try Profiles.update(
                user(number), values, fields: [.nick], expectedVersion: nil, in: ledger)
            guard case .done = result else {
                throw StorageError(.failed, "no review was made: \(result)")
            }
        }
    }

    private static var findingApp: App {
        var app = CountedService.app
        app.settings.findsUsers = true
        return app
    }

    /// Gives each user a nick with three rows of the index of names.
    private static func nameUsers(_ store: RocksStore) throws {
        try rows(of: findingApp, in: store).write(CountLimits.costWrites) {
            (number, ledger) throws(StorageError) in
            var values = ProfileRecord()
            values.nick = "李四"
            let result = try Profiles.update(
                user(number), values, fields: [.nick], expectedVersion: nil, in: ledger)
            guard case .done = result else {
                throw StorageError(.failed, "no nick was set: \(result)")
            }
        }
    }

    private static func rows(of app: App, in store: RocksStore) -> BenchRows {
        BenchRows(
            store, app, now: CountedService.now, together: CountLimits.preparedTogether)
    }

    private static func user(_ number: Int) -> UserID {
        UserID(stored: CountData.unrelatedUsers(number).0.utf8)
    }
}
