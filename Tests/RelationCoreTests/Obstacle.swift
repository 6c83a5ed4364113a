import RelationCore
import RelationModel
import RelationSuite
import Storage

/// One case of the table of AddFriends, as a state that can be set beside all others and removed
/// alone.
///
/// Rows are written without the rules: calls hardly lead, for instance, to friends that have
/// blacklisted each other.
enum Obstacle: CaseIterable {
    case unknown, mayNotSend, onMyBlacklist, onTheirBlacklist, friends, forbiddenWord, sentTooMany
    case denyAny, myListFull, theirListFull, groupLimit, mySendOutFull, theirComeInFull

    /// The answer to A if this is the first obstacle that applies.
    var answer: FriendOutcome {
        switch self {
        case .unknown: FriendOutcome(.accountNotFound, Reason.FriendAdd.accountNotExist)
        case .mayNotSend: FriendOutcome(.addDenied, Reason.FriendAdd.denied)
        case .onMyBlacklist: FriendOutcome(.inSelfBlacklist, Reason.FriendAdd.inSelfBlacklist)
        case .onTheirBlacklist:
            FriendOutcome(.inOtherSideBlacklist, Reason.FriendAdd.inPeerBlacklist)
        case .friends: FriendOutcome(.invalidParameter, Reason.FriendAdd.friendExist)
        case .forbiddenWord: FriendOutcome(.sensitiveText, Reason.FriendAdd.sensitiveText)
        case .sentTooMany: FriendOutcome(.addRestricted, Reason.FriendAdd.restricted)
        case .denyAny: FriendOutcome(.friendSideForbidsAdd, Reason.FriendAdd.allowTypeForbid)
        case .myListFull: FriendOutcome(.selfFriendFull, Reason.FriendAdd.selfFriendFull)
        case .theirListFull: FriendOutcome(.theirFriendFull, Reason.FriendAdd.peerFriendFull)
        case .groupLimit: FriendOutcome(.groupLimit, Reason.FriendAdd.groupLimit)
        case .mySendOutFull, .theirComeInFull:
            FriendOutcome(.pendencyLimit, Reason.FriendAdd.pendencyLimit)
        }
    }

    /// The number of the answer's code.
    var code: Int32 {
        switch self {
        case .unknown: 30003
        case .mayNotSend: 30009
        case .onMyBlacklist: 30515
        case .onTheirBlacklist: 30525
        case .friends: 30001
        case .forbiddenWord: 30005
        case .sentTooMany: 30540
        case .denyAny: 30516
        case .myListFull: 30010
        case .theirListFull: 30014
        case .groupLimit: 30011
        case .mySendOutFull, .theirComeInFull: 30012
        }
    }

    /// Sets the obstacle between A and B, or removes it.
    ///
    /// `rest` is the allow type of B once it denies no longer.
    func set(_ isThere: Bool, in world: World, rest: AllowType) throws(StorageError) {
        let (a, b): (UserID, UserID) = ("A", "B")
        let limits = world.settings.limits
        switch self {
        case .unknown:
            // The user record is kept under another name, so that it comes back as it was.
            let (from, to): (UserID, UserID) = isThere ? (b, "aside") : ("aside", b)
            try world.set(Tables.userRecords, world.userRecord(of: from), of: to, OnlyKey())
            try world.set(Tables.userRecords, nil, of: from, OnlyKey())
        case .mayNotSend:
            var profile = ProfileRecord()
            profile.adminForbidType = .sendOut
            try world.set(Tables.profiles, isThere ? profile : nil, of: a, OnlyKey())
        case .onMyBlacklist:
            try world.set(Tables.blacklist, isThere ? BlacklistRecord() : nil, of: a, b)
            try world.changeUserRecord(of: a) { $0.blacklistCount = isThere ? 1 : 0 }
        case .onTheirBlacklist:
            try world.set(Tables.blacklist, isThere ? BlacklistRecord() : nil, of: b, a)
            try world.changeUserRecord(of: b) { $0.blacklistCount = isThere ? 1 : 0 }
        case .friends:
            try world.set(Tables.friends, isThere ? FriendRecord() : nil, of: a, b)
            try world.set(Tables.friends, isThere ? FriendRecord() : nil, of: b, a)
        case .forbiddenWord:
            world.settings.forbiddenWords = isThere ? ["worse"] : []
        case .sentTooMany:
            let day = world.now.milliseconds / 86_400_000
            try world.changeUserRecord(of: a) {
                $0.applicationDay = isThere ? day : day - 1
                $0.applicationsToday = 3
            }
        case .denyAny:
            var profile = ProfileRecord()
            profile.allowType = isThere ? .denyAny : rest
            try world.set(Tables.profiles, profile, of: b, OnlyKey())
        case .myListFull:
            try world.changeUserRecord(of: a) {
                $0.friendCount = isThere ? UInt32(limits.friends) : 0
            }
        case .theirListFull:
            try world.changeUserRecord(of: b) {
                $0.friendCount = isThere ? UInt32(limits.friends) : 0
            }
        case .groupLimit:
            try world.changeUserRecord(of: a) {
                $0.groupCount = isThere ? UInt32(limits.groups) : 0
            }
        case .mySendOutFull:
            try world.changeUserRecord(of: a) {
                $0.sendOutCount = isThere ? UInt32(limits.pendencies) : 0
            }
        case .theirComeInFull:
            try world.changeUserRecord(of: b) {
                $0.comeInCount = isThere ? UInt32(limits.pendencies) : 0
            }
        }
    }
}
