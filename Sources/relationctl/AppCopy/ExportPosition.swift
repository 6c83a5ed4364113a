import RelationAPI
import RelationModel

/// The position of a row in the order of exports.
///
/// The first point comes first, then the app, its definitions, and the users by the bytes of their
/// ids. The lists of a user have an order, and so have the rows of each list. The last point is the
/// end.
struct ExportPosition: Comparable, Hashable {
    private enum Part: Int {
        case start, app, definition, user, end
    }

    private let part: Part
    private var user: [UInt8] = []
    private var list = 0
    private var key: [UInt8] = []

    /// The user to whom the row belongs; nil for a row of the app.
    var owner: String? { part == .user ? String(decoding: user, as: UTF8.self) : nil }

    /// Whether no other row may have the position: definitions have no key here.
    var isOfOneRow: Bool { part == .app || part == .user }

    /// Rows of an equal position, such as definitions, keep the order in which they stand.
    init(_ row: ExportAppResponse, isLast: Bool) {
        switch row.row {
        case .point: part = isLast ? .end : .start
        case .app: part = .app
        default:
            let definition = Self.definition(row)
            part = definition == nil ? .user : .definition
            list = definition ?? 0
            if definition == nil { apply(row) }
            // The newest secret is the one that new signatures are made with.
            if case .secret(let secret) = row.row {
                key = Self.bytes(.max - max(0, secret.createTimeMs))
            }
        }
    }

    /// The kinds of definitions in their order; nil for a row of a user.
    private static func definition(_ row: ExportAppResponse) -> Int? {
        switch row.row {
        case .bounds: 1
        case .customField: 2
        case .clientApp: 3
        case .permission: 4
        case .credential: 5
        case .secret: 6
        case .hook: 7
        case .sessionEnd, nil: 8
        default: nil
        }
    }

    static func < (one: ExportPosition, other: ExportPosition) -> Bool {
        guard one.part == other.part else { return one.part.rawValue < other.part.rawValue }
        guard one.user == other.user else {
            return one.user.lexicographicallyPrecedes(other.user)
        }
        guard one.list == other.list else { return one.list < other.list }
        return one.key.lexicographicallyPrecedes(other.key)
    }

    /// The lists of a user as the server numbers them.
    private mutating func apply(_ row: ExportAppResponse) {
        switch row.row {
        case .account(let row): note(row.userID, 1, [])
        case .profile(let row): note(row.profile?.userID ?? "", 1, [1])
        case .group(let row): note(row.userID, 2, Array((row.group?.name ?? "").utf8))
        case .friendEntry(let row): note(row.userID, 3, Array((row.entry?.userID ?? "").utf8))
        case .application(let row): note(row)
        case .blacklistEntry(let row): note(row.userID, 6, Array((row.entry?.userID ?? "").utf8))
        case .consent(let row):
            let permission = row.permission?.name ?? ""
            note(row.userID, 7, Array(row.clientAppID.utf8) + [0] + Array(permission.utf8))
        case .subscription(let row):
            let subscription = row.subscription ?? Subscription()
            let type = UInt8(truncatingIfNeeded: subscription.subscribeType.rawValue)
            note(row.userID, 8, [type] + Array(subscription.userID.utf8))
        case .follow(let row): note(row.userID, 9, Array((row.entry?.userID ?? "").utf8))
        default: applyRare(row)
        }
    }

    private mutating func applyRare(_ row: ExportAppResponse) {
        switch row.row {
        case .invitation(let row):
            note(row.userID, 40, Array((row.invitation?.invitationID ?? "").utf8))
        case .invitationUse(let row):
            note(row.userID, 41, Self.bytes(row.expireTimeMs) + Array(row.invitationID.utf8))
        case .dismissedSuggestion(let row):
            note(row.userID, 70, Array((row.entry?.userID ?? "").utf8))
        case .status(let row): note(row.userID, 71, [])
        case .contactDigests(let row): note(row.userID, 74, [])
        case .suspension(let row): note(row.userID, 77, [])
        case .report(let row): note(row.reportedUserID, 78, Self.bytes(Int64(row.reportID) ?? 0))
        case .devices(let row): note(row.userID, 120, [])
        default: break
        }
    }

    /// Waiting applications come before those that have ended, in the order of their ends.
    private mutating func note(_ row: ExportedApplication) {
        let application = row.application ?? FriendApplication()
        let type = UInt8(truncatingIfNeeded: application.pendencyType.rawValue)
        let other = Array(application.userID.utf8)
        guard let status = application.status, status != .unhandled else {
            return note(row.userID, 4, [type] + other)
        }
        let ending = [type, UInt8(truncatingIfNeeded: status.rawValue)]
        note(row.userID, 5, Self.bytes(application.operationTimeMs) + ending + other)
    }

    private mutating func note(_ user: String, _ list: Int, _ key: [UInt8]) {
        (self.user, self.list, self.key) = (Array(user.utf8), list, key)
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    /// Where the row should stand, for people.
    static let words: PlainText = """
        the app comes first, then its definitions, then the accounts by the bytes of their ids. \
        After each account stand its profile, groups, friends, applications, blacklist, consents, \
        subscriptions and follows. Each list stands by the bytes of its names or ids
        """
}
