package import RelationCore
package import RelationModel
import StorageSuite

/// A random history of all calls: few users and small limits, so that calls meet.
package struct RelationHistory {
    /// Ids that are hard to sort: prefixes of each other, blanks, the longest one.
    package static let users: [UserID] = [
        "a", "ab", "a b", "b", "~", UserID(stored: String(repeating: "x", count: 64).utf8),
    ]
    /// A well-formed id that is not an account.
    package static let ghost: UserID = "ghost"

    private var numbers: SeededNumbers
    /// How many invitations were made, or refused.
    private var invitations = 0
    private let mix: Mix

    package struct Mix: Sendable {
        /// Whether most calls are AddFriends, to walk through its table.
        package var mostlyAdds = false
        package var hasImports = true
        /// Whether every import tells each row; otherwise half of them do.
        package var alwaysNotifies = false
        /// Whether some calls decide about remarks, in an app that reviews them.
        package var reviewsRemarks = false
        /// Whether some calls choose who sees a profile, or note that a user was online.
        package var looks = false
        /// Whether some calls take entries of the history back, or are about groups of friends.
        package var undoes = false

        package init() {}
    }

    package init(seed: UInt64, _ mix: Mix = Mix()) {
        numbers = SeededNumbers(seed: seed)
        self.mix = mix
    }

    /// Settings with limits that calls reach all the time.
    package static func settings(
        defaultAllowType: AllowType = .needConfirm, keepsFriendships: Bool = false
    ) -> AppSettings {
        var settings = AppSettings.tim
        settings.limits.friends = 3
        settings.limits.blacklistedUsers = 2
        settings.limits.groups = 2
        settings.limits.pendencies = 2
        settings.limits.subscriptions = 2
        settings.limits.subscribers = 2
        settings.limits.followings = 3
        settings.limits.followers = 3
        settings.limits.mutualFollows = 1
        settings.limits.dismissedSuggestions = 2
        settings.limits.invitations = 2
        settings.limits.status = .characters(5)
        settings.applicationsPerDay = 1
        settings.defaultAllowType = defaultAllowType
        settings.keepsFriendshipOnBlacklist = keepsFriendships
        settings.forbiddenWords = ["bad"]
        settings.reviewedFields.held = ["self_signature"]
        settings.reviewedFields.shown = ["link", "custom.Note"]
        settings.limits.reviews = 3
        return settings
    }

    package mutating func next() -> RelationStep {
        var step = RelationStep(account(), action())
        switch number(40) {
        case 0: step.pauseMs = 7 * 3_600_000
        case 1..<12: step.pauseMs = 0
        default: step.pauseMs = Int64(number(5_000))
        }
        step.fails = number(25) == 0
        return step
    }

    private mutating func action() -> RelationStep.Action {
        if mix.mostlyAdds, number(2) == 0 { return add() }
        if mix.reviewsRemarks, number(6) == 0 {
            return .decideRemark(account(), of: other(), approve: number(2) == 0)
        }
        if mix.looks, number(12) == 0 { return read() }
        if mix.undoes, number(4) == 0 { return number(5) == 0 ? group() : undo() }
        switch number(110) {
        case 0..<30: return add()
        case 30..<45:
            let type = [FriendResponseType.agree, .agreeAndAdd, .reject][number(3)]
            return .respond(items(), type)
        case 45..<54: return .delete(others(), number(2) == 0 ? .single : .both)
        case 54..<57: return subscription()
        case 57..<60: return .mark(other(), marks())
        case 60..<63: return number(3) > 0 ? .follow(others()) : .unfollow(others())
        case 63..<68:
            return .update(
                other(), remark: number(3) == 0 ? nil : text(),
                groups: number(3) == 0 ? nil : groups())
        case 68..<73: return .block(others())
        case 73..<79: return .unblock(others())
        case 79..<81: return number(3) > 0 ? .dismiss(others()) : .restore(others())
        case 81..<88: return mix.hasImports ? importRow() : add()
        case 88..<93: return .allow([.allowAny, .needConfirm, .denyAny][number(3)])
        case 93..<94: return .mayNotSend(number(4) == 0)
        case 94..<95: return .setStatus(text(), seconds: [0, 60, 90_000][number(3)])
        case 95..<97: return invitation()
        case 97..<98: return number(3) > 0 ? suspension() : .report(other())
        case 98..<99: return .keepAnswer("r\(number(30))")
        case 99..<100: return review()
        case 106..<107: return .resolve(other())
        case 107..<109: return showMail()
        case 109..<110:
            return .endSessions(other(), seconds: [-3_600, -1, 0, 0, 30][number(5)])
        default: return finding()
        }
    }

    private mutating func read() -> RelationStep.Action {
        guard number(2) == 0 else {
            return .wasSeen(
                on: "d\(number(4))", seconds: Int64(number(4) * 40), isOffline: number(3) > 0)
        }
        let levels = [Visibility.notSet, .invisible, .everyone, .friends, .followers]
        return .showProfile(levels[number(levels.count)])
    }

    private mutating func group() -> RelationStep.Action {
        switch number(4) {
        case 0: .createGroup(name())
        case 1: .deleteGroup(name())
        default: .renameGroup(name(), to: name())
        }
    }

    /// One of the last entries about a user, or of those about one to three pairs.
    private mutating func undo() -> RelationStep.Action {
        guard number(4) > 0 else {
            return .undo([RelationStep.UndoTarget([account()], back: number(2))])
        }
        var targets: [RelationStep.UndoTarget] = []
        for _ in 0...number(3) {
            let user = number(Self.users.count)
            let other = (user + 1 + number(Self.users.count - 1)) % Self.users.count
            let users = [Self.users[user], Self.users[other]]
            targets.append(RelationStep.UndoTarget(users, back: number(3)))
        }
        return .undo(targets)
    }

    private mutating func add() -> RelationStep.Action {
        .add(items(), number(3) == 0 ? .single : .both, force: number(6) == 0)
    }

    private mutating func subscription() -> RelationStep.Action {
        let type = SubscribeType.stored[number(2)]
        guard number(3) > 0 else { return .unsubscribe(others(), type) }
        return .subscribe(others(), type, seconds: [60, 120, 90_000][number(3)])
    }

    /// An invitation that is made, or one of the last few that is used or revoked.
    private mutating func invitation() -> RelationStep.Action {
        let choice = number(5)
        if choice < 2, invitations < 255 {
            invitations += 1
            return .invite(
                invitations, uses: Int32(1 + number(2)), preApproved: number(2) == 0, text: text(),
                seconds: [60, 3_600, 90_000][number(3)])
        }
        let known = max(0, invitations - number(4))
        guard choice < 4 else { return .revoke(known) }
        var item = RelationStep.Item(Self.ghost)
        (item.remark, item.wording, item.source) = (text(), text(), source())
        item.groups = number(2) == 0 ? [] : groups()
        return .accept(known, item)
    }

    /// A user is reinstated more often than suspended, so that most users do what they like.
    private mutating func suspension() -> RelationStep.Action {
        guard number(3) == 0 else { return .reinstate(other()) }
        let level = [SuspensionLevel.limited, .suspended, .banned][number(3)]
        return .suspend(other(), level, seconds: [0, 60, 90_000][number(3)])
    }

    private mutating func finding() -> RelationStep.Action {
        let kind: ContactKind = number(2) == 0 ? .phone : .email
        switch number(7) {
        case 0..<2: return .rename(FoundNick.all[number(FoundNick.all.count)].nick)
        case 2..<4:
            let way = FindWay.allCases[number(FindWay.allCases.count)]
            return .letFind(way, [.notSet, .noUser, .everyone][number(3)])
        case 4..<6: return .setContacts(digests(atLeast: 0), kind)
        default: return .findContacts(digests(atLeast: 1), kind)
        }
    }

    private mutating func showMail() -> RelationStep.Action {
        let levels = [Visibility.invisible, .everyone, .friends, .followers, .groups]
        let level = levels[number(levels.count)]
        guard level == .groups else { return .showMail(level, []) }
        let groups = groups()
        return .showMail(level, groups.isEmpty ? [name()] : groups)
    }

    /// Some of three digests, in any order.
    private mutating func digests(atLeast least: Int) -> [Int] {
        var left = [1, 2, 3]
        var digests: [Int] = []
        for _ in 0..<least + number(4 - least) {
            digests.append(left.remove(at: number(left.count)))
        }
        return digests
    }

    /// A new value of a reviewed text, or a decision about one.
    private mutating func review() -> RelationStep.Action {
        let text = [ReviewedText.signature, .link][number(2)]
        guard number(3) == 0 else { return .write(text, self.text()) }
        return .decide(other(), text, approve: number(2) == 0)
    }

    private mutating func importRow() -> RelationStep.Action {
        var row = FriendImport.Row(owner: number(20) == 0 ? Self.ghost : account(), friend: other())
        row.bothWays = number(2) == 0
        row.values.addTimeMs = number(2) == 0 ? nil : Int64(number(1_000))
        row.values.remark = number(2) == 0 ? nil : text()
        row.values.remarkTimeMs = number(3) == 0 ? Int64(number(1_000)) : nil
        row.values.groups = number(2) == 0 ? nil : groups()
        row.values.source = number(2) == 0 ? nil : source()
        row.values.wording = number(2) == 0 ? nil : text()
        if number(3) == 0 { row.values.apply(marks()) }
        return .importRow(row, notify: mix.alwaysNotifies || number(2) == 0)
    }

    /// Marks, one of which may be a mute that is over, or one for good.
    private mutating func marks() -> RowMarks {
        var marks = RowMarks()
        marks.starred = number(2) == 0
        marks.pinOrder = Int32(number(3))
        marks.muteUntilMs = [0, 1, .max][number(3)]
        marks.ignored = number(3) == 0
        return marks
    }

    private mutating func items() -> [RelationStep.Item] {
        others().map { user in
            var item = RelationStep.Item(user)
            item.remark = text()
            item.wording = text()
            item.source = source()
            item.groups = number(2) == 0 ? [] : groups()
            item.meant = [.whichever, .theOneThatWaits, .another, .whichever][number(4)]
            return item
        }
    }

    /// One user, seldom several different ones.
    private mutating func others() -> [UserID] {
        guard number(4) == 0 else { return [other()] }
        var users: [UserID] = []
        for _ in 0..<4 {
            let user = other()
            if !users.contains(user) { users.append(user) }
        }
        return users
    }

    private mutating func account() -> UserID { Self.users[number(Self.users.count)] }

    /// Another user, seldom one that is not an account; the actor itself comes up too.
    private mutating func other() -> UserID { number(25) == 0 ? Self.ghost : account() }

    private mutating func text() -> String {
        ["", "", "dear", "naïve", "a\u{0}b", "Bad luck", "hello", "x"][number(8)]
    }

    private mutating func source() -> String {
        ["", "AddSource_Type_Web", "AddSource_Type_Android"][number(3)]
    }

    private mutating func name() -> String { ["work", "home", "chess", "badge"][number(4)] }

    private mutating func groups() -> [String] {
        var names: [String] = []
        for _ in 0..<number(4) {
            let name = name()
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private mutating func number(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &numbers)
    }
}
