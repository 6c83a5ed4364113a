import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension ConsentHandlers {
    // MARK: ReadUser

    static func readUser(
        _ request: ReadUserRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ReadUserResponse> {
        let settings = call.app.settings
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        let client = call.client(request.clientAppID, &violations)
        let withUnset = request.withUnsetFields
        let today = CalendarDay(of: call.now)
        return reading(call) { (_, transaction) throws(StorageError) in
            let grants = try Consent.grants(
                of: call.user, to: client, app: call.app, in: transaction)
            let consent = ConsentView(grants, settings, at: call.now)
            let record = try Profiles.record(of: call.user, app: call.app, in: transaction)
            let seen = Profiles.Seen(call.user, record, by: consent)
            let answer = ProfileAnswer(seen, mask, settings, withUnset: withUnset, on: today)
            var response = ReadUserResponse()
            response.profile = answer.profile
            response.fieldAccess = answer.access
            for (index, entry) in answer.access.enumerated() where entry.access == .hidden {
                response.fieldAccess[index].access =
                    FieldAccessState(consent.status(of: entry.field))
            }
            return response
        }
    }

    // MARK: ListAppFriends

    static func listAppFriends(
        _ request: ListAppFriendsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<ListAppFriendsResponseView> {
        let settings = call.app.settings
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        let query = "ListAppFriends \(mark: call.app) \(request.clientAppID) \(call.user)"
        let page = Page(request.pageSize, request.pageToken, of: query, &violations)
        let client = call.client(request.clientAppID, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var response = ListAppFriendsResponseView()
            let own = try Consent.status(
                of: .userFriends, of: call.user, to: client, app: call.app, at: call.now,
                in: transaction)
            guard own == .granted else {
                response.access = FieldAccessState(own)
                return response
            }
            let seen = try AppFriends.visible(
                of: call.user, to: client, app: call.app, at: call.now, in: transaction)
            response.totalSize = Int32(seen.total)
            response.visibleSize = Int32(seen.friends.count)
            let start = page.position.map { position in
                seen.friends.firstIndex { position.user < $0 } ?? seen.friends.count
            }
            var rest = seen.friends[(start ?? 0)...].prefix(page.rows + 1)
            var rows = PageRows<AppFriend>(page, call.arena)
            let view = AppFriendView(mask, settings, call)
            let profilesPerRead = RowSizes(settings).profilesPerRead
            var step = ScanStep.next
            while !rest.isEmpty, step == .next {
                let friends = Array(rest.prefix(profilesPerRead))
                rest = rest.dropFirst(friends.count)
                let records = try Profiles.records(of: friends, app: call.app, in: transaction)
                for (friend, record) in zip(friends, records) where step == .next {
                    let bytes = try view.bytes(of: friend, record ?? ProfileRecord())
                    step = bytes.withUnsafeBytes {
                        rows.add($0, at: TimedUser(timeMs: 0, user: friend))
                    }
                }
            }
            response.friends = try rows.finished()
            response.nextPageToken = rows.nextToken(of: query)
            return response
        }
    }
}

/// The view that a client app has of a user's friends that use it too: their public profiles.
private struct AppFriendView {
    private let mask: ProfileMask
    private let settings: AppSettings
    private let arena: Arena
    private let today: CalendarDay
    private let view: ConsentView
    private let coder = Coder(AppFriend.self)

    init(_ mask: ProfileMask, _ settings: AppSettings, _ call: Call) {
        self.mask = mask
        self.settings = settings
        arena = call.arena
        today = CalendarDay(of: call.now)
        // A user that grants any permission grants the public profile.
        var grant = GrantRecord()
        grant.permission = PermissionName.publicProfile.text
        grant.said = .granted
        view = ConsentView([grant], settings, at: call.now)
    }

    func bytes(of friend: UserID, _ record: ProfileRecord) throws(StorageError) -> [UInt8] {
        let mark = arena.mark()
        defer { arena.rewind(to: mark) }
        var row = AppFriend()
        row.userID = friend.text
        let seen = Profiles.Seen(friend, record, by: view)
        row.profile = Profile(seen, mask, settings, on: today)
        do throws(CodecError) {
            return try coder.bytes(row, arena)
        } catch {
            throw StorageError.unanswerable("a friend's public profile does not encode: \(error)")
        }
    }
}

extension FieldAccessState {
    /// The reason why a client app does not see fields whose permission has this status.
    fileprivate init(_ status: PermissionStatus) {
        self =
            switch status {
            case .granted: .unspecified
            case .declined: .declined
            case .revoked: .revoked
            case .expired: .expired
            default: .notGranted
            }
    }
}
