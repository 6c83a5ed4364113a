package import RelationModel
import Storage

/// A walk through every row of one app, which looks for errors, part by part.
///
/// All parts read one snapshot of the store, which the caller keeps.
package struct IntegrityWalk {
    /// The result of one part.
    package enum Part {
        /// So many users are known to come next.
        case users(Int)
        /// One user, with its errors.
        case user(UserID, [Integrity.Finding])
        /// Some of the followers of the user that came before, with their errors.
        case followers(UserID, FollowersCheck.Part)
        /// Some of the rows of that user that say who names it, with their errors.
        case mentions(UserID, MentionsCheck.Part)
        /// The counts of the app, after every user; nil if they lack nothing.
        case counts(missing: FeedState?)
        /// Rows of the index of unique identifiers that no profile has.
        case uniqueIDs(strays: [Integrity.IndexedID])
        /// Ids of invitations that no user's list has.
        case invitations(strays: [Integrity.IndexedInvitation])
        /// Rows of the index of names that no nick has.
        case foundNames(strays: [Integrity.IndexedName])
        /// Digests in the index of contacts, with users that lack them.
        case contacts(strays: [Integrity.IndexedContact])
        case feed(Integrity.Finding?)
        /// The ends of users' sessions.
        case sessions(Integrity.Finding?)
        /// The list of suspensions.
        case suspensions(Integrity.Finding?)
        /// The list of reports.
        case reports(Integrity.Finding?)
        /// The list of reviews.
        case reviews(Integrity.Finding?)
        /// The positions and failures of hooks.
        case hooks(Integrity.Finding?)
        /// Some of the entries of the history, or of the rows that lead to them.
        case history(HistoryCheck.Part)
        /// Some of the records of the audit, with its head after the last one.
        case audit(AuditCheck.Part)
    }

    private enum Stage {
        case users, uniqueIDs, invitations, foundNames, contacts, feed, sessions, suspensions
        case reports, reviews, hooks, history, audit, end
    }

    package let app: App
    private var stage = Stage.users
    /// The users that were listed and not checked yet, the next one last.
    private var open: [UserID] = []
    /// The check of the followers of the last user that was checked, until it is done.
    private var followers: FollowersCheck?
    /// The check of the rows that name that user, which follows.
    private var mentions: MentionsCheck?
    /// The check of the app's history, which comes after them.
    private var history: HistoryCheck
    /// The check of the app's audit, which comes last.
    private var audit: AuditCheck
    private var areAllListed = false
    private var last: UserID?
    private var lastID: UniqueID?
    private var lastInvitation: InvitationID?
    private var lastName: FoundName?
    private var lastContact: ContactDigest?
    /// The amounts that the users have, once every user has been listed.
    package private(set) var counts = FeedState()

    package init(_ app: App) {
        self.app = app
        history = HistoryCheck(app)
        audit = AuditCheck(app)
    }

    /// Whether a caller that looks at several users together may stop here: the next part begins
    /// with other users, with further followers or mentions, or with something else than users.
    package var isBetweenUsers: Bool {
        followers.map(\.hasBegun) ?? mentions.map(\.hasBegun) ?? open.isEmpty
    }

    package var isComplete: Bool { stage == .end }

    /// Looks at the next part; nil at the end.
    package mutating func next(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Part? {
        switch stage {
        case .users:
            if var check = followers {
                let part = try check.next(in: transaction)
                followers = check.isDone ? nil : check
                return .followers(check.user, part)
            }
            if var check = mentions {
                let part = try check.next(in: transaction)
                mentions = check.isDone ? nil : check
                return .mentions(check.user, part)
            }
            if let user = open.popLast() {
                followers = FollowersCheck(user, app)
                mentions = MentionsCheck(user, app)
                return .user(user, try Integrity.ownFindings(of: user, app: app, in: transaction))
            }
            if !areAllListed { return try list(in: transaction) }
            stage = .uniqueIDs
            return .counts(missing: try Integrity.missing(from: counts, app: app, in: transaction))
        case .uniqueIDs:
            let limit = Limits.checkedUniqueIDs
            let ids = try Integrity.uniqueIDs(
                of: app, after: lastID, limit: limit, in: transaction)
            lastID = ids.last?.id ?? lastID
            if ids.count < limit { stage = .invitations }
            return .uniqueIDs(strays: ids.filter(\.isStray))
        case .invitations:
            let limit = Limits.checkedUniqueIDs
            let ids = try Integrity.invitations(
                of: app, after: lastInvitation, limit: limit, in: transaction)
            lastInvitation = ids.last?.id ?? lastInvitation
            if ids.count < limit { stage = .foundNames }
            return .invitations(strays: ids.filter(\.isStray))
        case .foundNames:
            let limit = Limits.checkedUniqueIDs
            let names = try Integrity.foundNames(
                of: app, after: lastName, limit: limit, in: transaction)
            lastName = names.last?.row ?? lastName
            if names.count < limit { stage = .contacts }
            return .foundNames(strays: names.filter(\.isStray))
        case .contacts:
            let limit = Limits.checkedUniqueIDs
            let found = try Integrity.contacts(
                of: app, after: lastContact, limit: limit, in: transaction)
            lastContact = found.last
            if found.count < limit { stage = .feed }
            return .contacts(strays: found.entries.filter(\.isStray))
        case .feed, .sessions, .suspensions, .reports, .reviews, .hooks, .history, .audit,
            .end:
            return try nextOfApp(in: transaction)
        }
    }

    /// The next part of the app's own rows, each of which is looked at as a whole.
    private mutating func nextOfApp(
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Part? {
        switch stage {
        case .feed:
            stage = .sessions
            return .feed(try Integrity.feedFinding(of: app, in: transaction))
        case .sessions:
            stage = .suspensions
            return .sessions(try Integrity.sessionFinding(of: app, in: transaction))
        case .suspensions:
            stage = .reports
            return .suspensions(try Integrity.suspensionFinding(of: app, in: transaction))
        case .reports:
            stage = .reviews
            return .reports(try Integrity.reportFinding(of: app, in: transaction))
        case .reviews:
            stage = .hooks
            return .reviews(try Integrity.reviewFinding(of: app, in: transaction))
        case .hooks:
            stage = .history
            return .hooks(try Integrity.hookFinding(of: app, in: transaction))
        case .history:
            let part = try history.next(in: transaction)
            if history.isDone { stage = .audit }
            return .history(part)
        case .audit:
            let part = try audit.next(in: transaction)
            if audit.isDone { stage = .end }
            return .audit(part)
        default: return nil
        }
    }

    private mutating func list(in transaction: any ReadTransaction) throws(StorageError) -> Part {
        let limit = Limits.checkedUsers
        let users = try Integrity.users(of: app, after: last, limit: limit, in: transaction)
        try Integrity.count(users, into: &counts, app: app, in: transaction)
        last = users.last ?? last
        areAllListed = users.count < limit
        open = users.reversed()
        return .users(users.count)
    }
}
