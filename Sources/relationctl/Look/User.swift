import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct User: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a user is: profile, lists with their counts, and what others see.",
        discussion: """
            relationctl user alice
            relationctl user alice --rows 50
            relationctl user alice --output json

            With --as-of, the profile and the friends of a past moment, in an app that keeps a \
            history; this needs the scope admin:

            relationctl user alice --as-of 2026-11-29T18:00:00Z
            """)

    @OptionGroup var connection: Connection

    @OptionGroup var form: DataOutput

    @Argument(help: "The user.")
    var user: String

    @Option(help: "The rows of each list to show.")
    var rows = 10

    @Option(help: "A past moment, as in 2026-11-29T18:00:00Z or in milliseconds since 1970.")
    var asOf: Moment?

    func validate() throws {
        guard (0...Limits.userRows).contains(rows) else {
            throw ValidationError("--rows takes a number from 0 to \(Limits.userRows)")
        }
    }

    func run() async throws {
        let parts = try await connection.calling { client in
            var page = UserPage(user: user, rows: Int32(rows), client: client)
            if let asOf {
                page.options = ReadOptions.with { $0.asOfMs = asOf.milliseconds }
                return [try await page.pastProfile(), try await page.friends()]
            }
            return [
                try await page.profile(), try await page.presence(), try await page.views(),
                try await page.friends(),
                try await page.groups(), try await page.applications(),
                try await page.blacklist(), try await page.following(),
                try await page.followers(), try await page.subscriptions(),
                try await page.invitations(), try await page.dismissals(),
            ]
        }
        try form.show(parts.map(\.text).joined("\n")) { maker in
            .object(
                [("userId", .string(user))]
                    + (try parts.map { (key: $0.name, value: try maker.message($0.answer)) }))
        }
    }
}

/// A part of the page of a user: with its heading for people, and the server's answer for programs.
private struct UserPart {
    /// The name for programs.
    let name: String
    let text: PlainText
    let answer: (any Message)?
}

/// The parts of the page of a user.
private struct UserPage {
    let user: String
    let rows: Int32
    let client: Client
    var options: ReadOptions?

    func profile() async throws -> UserPart {
        let answer = try await client.call(
            ProfileMethods.getSelfProfile, GetSelfProfileRequest.with { $0.userID = user })
        return try part(of: answer.profile)
    }

    /// The profile at the moment of the options.
    func pastProfile() async throws -> UserPart {
        let answer = try await client.call(
            ProfileMethods.getProfiles,
            GetProfilesRequest.with {
                $0.userID = user
                $0.userIDs = [user]
                $0.options = options
            })
        return try part(of: answer.results.first?.profile)
    }

    private func part(of profile: Profile?) throws -> UserPart {
        let json = try profile?.json() ?? "{}"
        var rows: [[String]] = []
        if case .object(let members) = try JSONValue(parsing: json) {
            rows = members.filter { $0.key != "userId" }.map { [$0.key, Self.words(of: $0.value)] }
        }
        return UserPart(name: "profile", text: section("profile of \(user)", rows), answer: profile)
    }

    private static func words(of value: JSONValue) -> String {
        guard case .string(let text) = value else { return JSONText(value).compact }
        guard text.count > Limits.valueCharacters else { return text }
        return "\(text.prefix(Limits.valueCharacters))… (\(text.utf8.count) bytes)"
    }

    /// Whether the user is online, and its custom status.
    func presence() async throws -> UserPart {
        let answer = try await client.call(
            PresenceMethods.getPresence,
            GetPresenceRequest.with {
                $0.userID = user
                $0.userIDs = [user]
            })
        let presence = answer.results.first?.presence ?? Presence()
        let devices = presence.devices
        let online = devices.count(where: \.online)
        let ends = presence.statusExpireTimeMs
        let text = section(
            "presence",
            [
                ["online", presence.online ? "yes, with \(online) devices" : "no"],
                ["status", presence.statusText.isEmpty ? "none" : presence.statusText]
                    + (ends > 0 ? ["until \(DayClock.text(ends))"] : []),
            ]
                + devices.map { device in
                    [
                        "device \(device.deviceID)",
                        device.platform.isEmpty ? "of no kind" : device.platform,
                        (device.online ? "online since " : "last seen ")
                            + DayClock.text(device.changeTimeMs),
                    ]
                })
        return UserPart(name: "presence", text: text, answer: presence)
    }

    /// The part that others may read, by the user's own choice or the app's.
    func views() async throws -> UserPart {
        let answer = try await client.call(
            ProfileMethods.getVisibility, GetVisibilityRequest.with { $0.userID = user })
        let little = "id, nick and face URL"
        let much = "the fields that are public"
        let (friend, follower, unrelated) =
            switch answer.effective {
            case .everyone: (much, much, much)
            case .friends: (much, little, little)
            case .followers: (little, much, little)
            default: (little, little, little)
            }
        let choice = answer.userLevel == .notSet ? "the app's default" : "the user's choice"
        let paths = answer.fields.map(\.field)
        let defaults = answer.appFields.filter { !paths.contains($0.field) }
        let fields =
            answer.fields.map { ["\($0.field) is for", $0.words] }
            + defaults.map { ["\($0.field) is for", "\($0.words), by the app's default"] }
        let text = section(
            "seen by others",
            [
                ["a friend", friend], ["a follower", follower], ["another user", unrelated],
                ["decided by", "\(choice), \(answer.effective.words)"],
                ["one on the blacklist", little],
            ] + fields)
        return UserPart(name: "visibility", text: text, answer: answer)
    }

    func friends() async throws -> UserPart {
        let answer = try await client.call(
            FriendMethods.listFriends,
            ListFriendsRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
                $0.displayOrder = .firstName
                $0.options = options
            })
        let shown = answer.friends.prefix(Int(rows)).map {
            [$0.userID, $0.displayName, $0.groups.joined(separator: ", ")]
        }
        return list(answer, "friends", Int(answer.totalSize), shown)
    }

    func groups() async throws -> UserPart {
        let answer = try await client.call(
            GroupMethods.getFriendGroups, GetFriendGroupsRequest.with { $0.userID = user })
        let shown = answer.results.compactMap(\.group).prefix(Int(rows)).map {
            [$0.name, "\($0.memberCount) members"]
        }
        return list(answer, "groups", Int(answer.totalSize), Array(shown))
    }

    func applications() async throws -> UserPart {
        let answer = try await client.call(
            ApplicationMethods.listApplications,
            ListApplicationsRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        let shown = answer.applications.prefix(Int(rows)).map { application in
            [
                application.pendencyType == .comeIn ? "from" : "to", application.userID,
                application.stateWord, DayClock.text(application.operationTimeMs),
                application.wording,
            ]
        }
        let unread = answer.unreadCount > 0 ? ", \(answer.unreadCount) unread" : ""
        return list(answer, "applications", Int(answer.totalSize), shown, after: unread)
    }

    func blacklist() async throws -> UserPart {
        let answer = try await client.call(
            BlacklistMethods.listBlacklist,
            ListBlacklistRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        return list(
            answer, "blacklist", Int(answer.totalSize),
            answer.entries.prefix(Int(rows)).map { [$0.userID] }
        )
    }

    func following() async throws -> UserPart {
        let answer = try await client.call(
            FollowMethods.listFollowing,
            ListFollowingRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        return list(
            answer, "following", Int(answer.totalSize),
            answer.entries.prefix(Int(rows)).map(Self.words))
    }

    func followers() async throws -> UserPart {
        let answer = try await client.call(
            FollowMethods.listFollowers,
            ListFollowersRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        return list(
            answer, "followers", Int(answer.totalSize),
            answer.entries.prefix(Int(rows)).map(Self.words))
    }

    private static func words(_ entry: FollowEntry) -> [String] {
        [entry.userID, "since \(DayClock.text(entry.followTimeMs))"]
    }

    func subscriptions() async throws -> UserPart {
        let answer = try await client.call(
            SubscriptionMethods.listSubscriptions,
            ListSubscriptionsRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        let shown = answer.subscriptions.prefix(Int(rows)).map {
            [$0.userID, $0.subscribeType.words, "until \(DayClock.text($0.expireTimeMs))"]
        }
        return list(answer, "subscriptions", Int(answer.totalSize), shown)
    }

    func invitations() async throws -> UserPart {
        let answer = try await client.call(
            InvitationMethods.listInvitations,
            ListInvitationsRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        let shown = answer.invitations.prefix(Int(rows)).map { invitation in
            [
                invitation.invitationID, invitation.stateWord,
                "\(invitation.useCount) of \(invitation.maxUses) uses",
                "until \(DayClock.text(invitation.expireTimeMs))", invitation.text,
            ]
        }
        return list(answer, "invitations", Int(answer.totalSize), shown)
    }

    func dismissals() async throws -> UserPart {
        let answer = try await client.call(
            FriendMethods.listDismissedSuggestions,
            ListDismissedSuggestionsRequest.with {
                $0.userID = user
                $0.pageSize = max(1, rows)
            })
        let shown = answer.users.prefix(Int(rows)).map {
            [$0.userID, "since \(DayClock.text($0.dismissTimeMs))"]
        }
        return list(answer, "dismissed suggestions", Int(answer.totalSize), shown)
    }

    // MARK: Text

    private func list(
        _ answer: any Message, _ name: String, _ all: Int, _ shown: [[String]],
        after words: String = ""
    ) -> UserPart {
        let cut = shown.count < all ? ", the first \(shown.count) of them" : ""
        let text = section("\(name): \(all)\(words)\(cut)", shown)
        // Its own answer names them in two words, as a heading does.
        let key = name == "dismissed suggestions" ? "dismissedSuggestions" : name
        return UserPart(name: key, text: text, answer: answer)
    }

    private func section(_ heading: String, _ rows: [[String]]) -> PlainText {
        let cells = rows.map { row -> [PlainText] in [""] + row.map { "\($0)" } }
        return "\(Paint.heading("\(heading)"))\n\(PlainTable(rows: cells).text)"
    }
}

extension FieldVisibility {
    fileprivate var words: String {
        let level = visibility ?? .notSet
        guard level == .groups else { return level.words }
        return "the groups \(groupNames.joined(separator: ", "))"
    }
}

extension Visibility {
    fileprivate var words: String {
        switch self {
        case .everyone: "everyone"
        case .friends: "friends"
        case .followers: "followers"
        case .invisible: "invisible"
        default: name ?? "\(rawValue)"
        }
    }
}

extension FriendApplication {
    /// The state in one word; one that this program does not know is an end.
    fileprivate var stateWord: String {
        switch status ?? .unhandled {
        case .unhandled: "waits"
        case .accepted: "accepted"
        case .refused: "refused"
        case .expired: "expired"
        case .withdrawn: "withdrawn"
        default: "ended"
        }
    }
}

extension Invitation {
    /// The state in one word; one that this program does not know is an end.
    fileprivate var stateWord: String {
        switch state {
        case .active: "active"
        case .revoked: "revoked"
        case .usedUp: "used up"
        case .expired: "expired"
        default: "ended"
        }
    }
}
