import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import StorageSuite

@testable import RelationCalls
@testable import RelationService

/// A random history of all write calls as callers send them.
///
/// It has few users and small limits, and some requests are wrong.
struct ServiceHistory {
    private var numbers: SeededNumbers
    /// Whether the blacklist keeps friendships at first, and administrators may change that.
    let keepsFriendships: Bool
    let hasLifetimes: Bool
    let isImplicit: Bool
    /// Whether events are trimmed all the time.
    let trims: Bool
    /// The invitations that were asked for so far.
    var invitations = 0

    static let users = RelationHistory.users

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        keepsFriendships = seed % 2 == 0
        hasLifetimes = seed % 3 == 0
        isImplicit = seed % 3 != 1
        trims = seed % 4 != 0
    }

    /// The settings of the app at the beginning.
    var settings: AppSettings {
        var settings = RelationHistory.settings(keepsFriendships: keepsFriendships)
        settings.reviewedFields.held = ["nick"]
        settings.reviewedFields.friends = ["remark", "wording", "custom.Note"]
        settings.historyDays = 30
        if hasLifetimes { settings.applicationLifetimeMs = 40_000 }
        if trims {
            settings.logLifetimeMs = 100_000
            settings.logEvents = 12
        }
        return settings
    }

    /// One call, with its options and the time and work before it.
    struct TimedStep {
        let step: ServiceStep
        let options: WriteOptions
        let pauseMs: Int64
        /// Steps of the background work before the call.
        let maintenance: Int
    }

    mutating func next() -> TimedStep {
        var options = WriteOptions()
        options.dryRun = number(8) == 0
        options.allOrNothing = number(6) == 0
        if number(10) == 0 { options.requestID = "r\(number(20))" }
        options.deviceID = ["", "phone", "desk"][number(3)]
        if number(12) == 0 { options.expectedSequence = Int64(number(60)) }
        let pause = number(60) == 0 ? Int64(9 * 3_600_000) : Int64(number(3_000))
        let maintenance = number(4) == 0 ? 1 + number(3) : 0
        return TimedStep(step: step(), options: options, pauseMs: pause, maintenance: maintenance)
    }

    private mutating func step() -> ServiceStep {
        switch number(100) {
        case 0..<20: return addFriends()
        case 20..<22: return profile()
        case 22..<33: return respond()
        case 33..<40: return deleteFriends()
        case 40..<48: return updateFriends()
        case 48..<55: return blacklist()
        case 55..<64: return applications()
        case 64..<72: return groups()
        case 72..<80: return consent()
        case 80..<82: return deleteAccounts()
        case 82..<86: return updateApp()
        case 86..<89: return subscriptions()
        case 89..<92: return follows()
        case 92..<93: return dismissals()
        case 93..<96: return invitation()
        case 96..<97: return number(2) == 0 ? status() : moderation()
        case 97..<98: return moderation()
        case 99: return number(2) == 0 ? undo() : profile()
        default: return profile()
        }
    }

    // MARK: Friends

    private mutating func addFriends() -> ServiceStep {
        var request = AddFriendsRequest()
        request.userID = actor()
        request.addType = [.unspecified, .single, .both][number(3)]
        request.force = number(6) == 0
        request.items = list { history in
            var friend = AddFriend()
            friend.userID = history.other()
            friend.remark = history.text()
            friend.wording = history.text()
            friend.source = ["", "Web", "AddSource_Type_Android", "no source"][history.number(4)]
            friend.group = history.group()
            friend.groups = history.number(3) == 0 ? history.list { $0.group() } : []
            friend.custom = history.custom()
            return friend
        }
        return ServiceStep(FriendMethods.addFriends, request, FriendHandlers.addFriends)
    }

    private mutating func deleteFriends() -> ServiceStep {
        if number(6) == 0 {
            var request = DeleteAllFriendsRequest()
            request.userID = actor()
            request.deleteType = [.unspecified, .single, .both][number(3)]
            return ServiceStep(
                FriendMethods.deleteAllFriends, request, FriendHandlers.deleteAllFriends)
        }
        var request = DeleteFriendsRequest()
        request.userID = actor()
        request.deleteType = [.unspecified, .single, .both][number(3)]
        request.userIDs = list { $0.other() }
        return ServiceStep(FriendMethods.deleteFriends, request, FriendHandlers.deleteFriends)
    }

    private mutating func updateFriends() -> ServiceStep {
        var request = UpdateFriendsRequest()
        request.userID = actor()
        request.items = list { history in
            var update = FriendUpdate()
            update.userID = history.other()
            update.updateMask = FieldMask(
                [
                    ["remark"], ["groups"], ["remark", "groups"], ["nick"], ["custom", "remark"],
                    ["starred", "pin_order", "ignored"], ["mute_until_ms"],
                ][history.number(7)])
            update.remark = history.text()
            update.groups = history.list { $0.group() }
            update.custom = history.custom()
            update.starred = history.number(2) == 0
            update.pinOrder = Int32(history.number(4) - 1)
            update.muteUntilMs = [0, 1, .max][history.number(3)]
            update.ignored = history.number(2) == 0
            if history.number(8) == 0 { update.expectedSequence = Int64(history.number(40)) }
            return update
        }
        // The app's moderators review the texts of a caller that is not an administrator.
        if request.items.first?.starred == true {
            return ServiceStep(
                FriendMethods.updateFriends, request,
                { request, call, violations in
                    let own = Call(
                        app: call.app, user: call.user, isAdmin: false, now: call.now,
                        arena: call.arena)
                    return FriendHandlers.updateFriends(request, own, &violations)
                })
        }
        return ServiceStep(FriendMethods.updateFriends, request, FriendHandlers.updateFriends)
    }

    // MARK: Applications

    private mutating func respond() -> ServiceStep {
        var request = RespondToApplicationsRequest()
        request.userID = actor()
        request.items = list { history in
            var item = FriendResponse()
            item.userID = history.other()
            item.responseType = [.agree, .agreeAndAdd, .reject, nil][history.number(4)]
            item.remark = history.text()
            item.group = history.group()
            item.groups = history.number(3) == 0 ? history.list { $0.group() } : []
            item.custom = history.custom()
            if history.number(6) == 0 { item.applicationID = history.application() }
            return item
        }
        return ServiceStep(
            ApplicationMethods.respondToApplications, request, ApplicationHandlers.respond)
    }

    private mutating func applications() -> ServiceStep {
        switch number(3) {
        case 0:
            var request = WithdrawApplicationsRequest()
            request.userID = actor()
            request.userIDs = list { $0.other() }
            request.applicationIDs = meant(request.userIDs)
            return ServiceStep(
                ApplicationMethods.withdrawApplications, request, ApplicationHandlers.withdraw)
        case 1:
            var request = DeletePendenciesRequest()
            request.userID = actor()
            request.pendencyType = [.comeIn, .sendOut, .both][number(3)]
            request.userIDs = list { $0.other() }
            request.applicationIDs = meant(request.userIDs)
            return ServiceStep(
                ApplicationMethods.deletePendencies, request, ApplicationHandlers.delete)
        default:
            var request = ReportPendenciesRequest()
            request.userID = actor()
            request.timestampMs = World.start + Int64(number(1_000_000))
            return ServiceStep(
                ApplicationMethods.reportPendencies, request, ApplicationHandlers.report)
        }
    }

    /// The id of an application as the store makes them; seldom that of one that waits.
    private mutating func application() -> String {
        "\(actor())#\(1 + number(12))#\(actor())"
    }

    private mutating func meant(_ users: [String]) -> [String: String] {
        guard number(4) == 0 else { return [:] }
        return Dictionary(users.map { ($0, application()) }, uniquingKeysWith: { $1 })
    }

    // MARK: Blacklist

    private mutating func blacklist() -> ServiceStep {
        if number(2) == 0 {
            var request = AddToBlacklistRequest()
            request.userID = actor()
            request.userIDs = list { $0.other() }
            return ServiceStep(BlacklistMethods.addToBlacklist, request, BlacklistHandlers.add)
        }
        var request = RemoveFromBlacklistRequest()
        request.userID = actor()
        request.userIDs = list { $0.other() }
        return ServiceStep(BlacklistMethods.removeFromBlacklist, request, BlacklistHandlers.remove)
    }

    // MARK: The contents of requests

    mutating func actor() -> String { Self.users[number(Self.users.count)].text }

    /// An account, or seldom a user without an account or a malformed id.
    mutating func other() -> String {
        switch number(30) {
        case 0: RelationHistory.ghost.text
        case 1: " no id"
        default: actor()
        }
    }

    mutating func text() -> String {
        ["", "", "dear", "naïve", "a\u{0}b", "Bad luck", "x", String(repeating: "y", count: 97)][
            number(8)]
    }

    mutating func group() -> String {
        ["", "", "work", "home", "chess", String(repeating: "g", count: 31)][number(6)]
    }

    mutating func list<Item>(_ item: (inout ServiceHistory) -> Item) -> [Item] {
        (0..<[1, 1, 1, 2, 4][number(5)]).map { _ in item(&self) }
    }

    mutating func one<Item>(of items: [Item]) -> Item { items[number(items.count)] }

    mutating func number(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &numbers)
    }
}
