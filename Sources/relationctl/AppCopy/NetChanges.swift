import Protobuf
import RelationAPI
import RelationModel
import TextFiles

/// The changes of a file of export-changes: what each row became in the end.
///
/// It is kept in memory: a row that was changed often costs no more than one that was changed once.
struct NetChanges {
    /// The keys of custom fields whose values an export has as texts, and a history as bytes.
    struct Texts {
        var friends: Set<String> = []
        var profiles: Set<String> = []

        mutating func add(_ field: CustomFieldMessage) {
            guard field.valueType == .string else { return }
            if field.owner == .friend {
                friends.insert(field.key)
            } else {
                profiles.insert(field.key)
            }
        }
    }

    var texts = Texts()
    let header: ChangesHeader
    private var users: [String: UserChanges] = [:]

    /// - Parameter beginning: That of the export which the changes bring to a later moment.
    /// - Throws: ``Failure`` if the file cannot be read, is longer than ``Limits/changesBytes``, or
    ///   does not begin with a header. The same if it is of another app than the export, begins
    ///   after it, or ends before it. The same if a line is not an entry, the latest entry is not
    ///   first, entries are missing, or the file goes on after its end or has none.
    init(_ path: String, since beginning: ExportBeginning) throws {
        let input = try InputFile.opened(path)
        try Self.checkLength(of: input)
        var reader = LineReader(input)
        guard let first = try reader.next(), let header = ChangesHeader(line: first.text) else {
            throw Failure(
                "\(input.name): does not begin with the line that export-changes writes first")
        }
        try Self.check(header, beginning, first.location)
        self.header = header
        var last = Int64.max
        var count: Int64 = 0
        var isComplete = false
        while let line = try reader.next() {
            guard !isComplete else {
                throw Failure("\(line.location): stands after the end of the changes")
            }
            guard let entry = try Self.entry(line.text, line.location) else {
                guard ChangesEnd.entries(line: line.text) == count else {
                    throw Failure(
                        "\(line.location): the file has \(count) entries, and its end tells another"
                            + " number")
                }
                isComplete = true
                continue
            }
            guard entry.position > 0, entry.position < last else {
                throw Failure("\(line.location): the latest entry must come first")
            }
            last = entry.position
            count += 1
            try add(entry)
        }
        guard isComplete else {
            throw Failure(
                "\(input.name): does not end with the line that export-changes writes last: the"
                    + " file was cut")
        }
    }

    private static func checkLength(of input: InputFile) throws {
        let next = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { next.deallocate() }
        guard try input.read(at: Limits.changesBytes, into: next) == 0 else {
            throw Failure("\(input.name): has more than \(Limits.changesBytes) bytes")
        }
    }

    /// The entry that a line has; nil if the line is the end of the file.
    private static func entry(_ text: String, _ location: String) throws -> HistoryEntry? {
        do throws(MessageError) {
            return try HistoryEntry(json: text)
        } catch {
            if ChangesEnd.entries(line: text) != nil { return nil }
            throw Failure("\(location): is not an entry of ListHistory: \(error.description)")
        }
    }

    /// Looks whether the changes lead from the export to a later moment, without a gap.
    private static func check(
        _ header: ChangesHeader, _ beginning: ExportBeginning, _ location: String
    ) throws {
        let (app, moment) = (beginning.app, beginning.point.timeMs)
        guard (header.appID, header.appCreateTimeMs) == (app.appID, app.createTimeMs) else {
            throw Failure(
                "\(location): the changes are of app \(header.appID), made at"
                    + " \(header.appCreateTimeMs), and the export is of app \(app.appID), made at"
                    + " \(app.createTimeMs)")
        }
        guard header.sinceTimeMs <= moment else {
            throw Failure(
                "\(location): the changes begin at \(header.sinceTimeMs), and the export is of"
                    + " \(moment): changes between these are missing")
        }
        guard header.untilTimeMs >= moment else {
            throw Failure(
                "\(location): the changes end at \(header.untilTimeMs), before the moment of the"
                    + " export, \(moment)")
        }
    }

    /// The users whose rows have changed, in the order of exports.
    var names: [String] {
        users.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private mutating func add(_ entry: HistoryEntry) throws {
        var groups: [String: GroupReplay.Entry] = [:]
        for change in entry.changes {
            try add(change, at: entry.timeMs)
            let named = Self.groups(change)
            if !named.isEmpty {
                groups[change.ownerUserID, default: GroupReplay.Entry(timeMs: entry.timeMs)]
                    .changes += named
            }
        }
        for (owner, entry) in groups { users[owner]?.groups.append(entry) }
    }

    /// The changes of groups that a change is, or that stand in a friend's row.
    private static func groups(_ change: HistoryChange) -> [GroupReplay.Change] {
        switch (change.groupBefore, change.groupAfter) {
        case ("", ""):
            // A group that is made for a friend has no change of its own, and outlives the friend.
            (change.friendAfter?.groups ?? []).map { .named($0) }
        case ("", let after): [.made(after)]
        case (let before, ""): [.deleted(before)]
        case (let before, let after): [.renamed(before, to: after)]
        }
    }

    private mutating func add(_ change: HistoryChange, at timeMs: Int64) throws {
        let owner = change.ownerUserID
        users[owner, default: UserChanges()].firstMs = timeMs
        // Both are accounts.
        if !change.otherUserID.isEmpty {
            users[change.otherUserID, default: UserChanges()].firstMs = timeMs
        }
        if !change.profileFields.isEmpty {
            try users[owner]?.addProfile(change)
        } else if let (row, isThere) = Self.row(change) {
            let position = ExportPosition(row, isLast: false)
            if users[owner]?.rows[position] == nil {
                users[owner]?.rows.updateValue(isThere ? row : nil, forKey: position)
            }
        }
    }

    /// The row after the change, or the one before it if it is gone.
    private static func row(_ change: HistoryChange) -> (ExportAppResponse, isThere: Bool)? {
        let owner = change.ownerUserID
        if let entry = change.friendAfter ?? change.friendBefore {
            let row = ExportedFriend.with { ($0.userID, $0.entry) = (owner, entry) }
            return (ExportAppResponse(.friendEntry(row)), change.friendAfter != nil)
        }
        if let entry = change.blacklistAfter ?? change.blacklistBefore {
            let row = ExportedBlacklistEntry.with { ($0.userID, $0.entry) = (owner, entry) }
            return (ExportAppResponse(.blacklistEntry(row)), change.blacklistAfter != nil)
        }
        if let entry = change.followAfter ?? change.followBefore {
            let row = ExportedFollow.with { ($0.userID, $0.entry) = (owner, entry) }
            return (ExportAppResponse(.follow(row)), change.followAfter != nil)
        }
        if var entry = change.applicationAfter ?? change.applicationBefore {
            (entry.status, entry.operationTimeMs) = (.unhandled, entry.addTimeMs)
            let row = ExportedApplication.with { ($0.userID, $0.application) = (owner, entry) }
            return (ExportAppResponse(.application(row)), change.applicationAfter != nil)
        }
        return nil
    }

    /// The rows of a user at the end of the changes, in the order of exports.
    ///
    /// - Parameter rows: The rows of the user in the export; none if it was not an account then.
    func applied(to rows: [ExportAppResponse], of user: String) throws -> [ExportAppResponse] {
        guard let changes = users[user] else { return rows }
        var kept: [ExportPosition: ExportAppResponse] = [:]
        for row in rows { kept[ExportPosition(row, isLast: false)] = row }
        if rows.isEmpty {
            let account = ExportAppResponse(
                .account(
                    ExportedAccount.with {
                        ($0.userID, $0.createTimeMs) = (user, changes.firstMs)
                    }))
            kept[ExportPosition(account, isLast: false)] = account
        }
        for (position, row) in changes.rows { kept[position] = row?.keeping(kept[position], texts) }
        try changes.applyProfile(to: &kept, of: user, texts)
        changes.applyGroups(to: &kept, of: user)
        return kept.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// The rows of one user after the changes.
private struct UserChanges {
    /// The time of the earliest change.
    var firstMs: Int64 = 0
    /// The rows at the end; nil for one that is gone.
    var rows: [ExportPosition: ExportAppResponse?] = [:]
    /// The entries with changes of groups, the latest first.
    var groups: [GroupReplay.Entry] = []
    /// The fields of the profile at the end, by their names in JSON; nil for one without a value.
    private var fields: [String: JSONValue?] = [:]
    private var custom: [String: CustomValue?] = [:]

    private static let customPrefix = "custom."

    /// Adds a change of the profile; of each field the first one that is added counts.
    mutating func addProfile(_ change: HistoryChange) throws {
        let after = change.profileAfter ?? Profile()
        guard case .object(let members) = try JSONValue(parsing: try after.json()) else { return }
        for path in change.profileFields {
            if path.hasPrefix(Self.customPrefix) {
                let key = String(path.dropFirst(Self.customPrefix.count))
                guard custom[key] == nil else { continue }
                custom.updateValue(after.custom.first { $0.key == key }, forKey: key)
            } else {
                let name = Self.jsonName(path)
                guard fields[name] == nil else { continue }
                fields.updateValue(members.first { $0.key == name }?.value, forKey: name)
            }
        }
    }

    /// The name that a field has in JSON: `face_url` is `faceUrl`.
    private static func jsonName(_ path: String) -> String {
        let words = path.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }

    func applyProfile(
        to kept: inout [ExportPosition: ExportAppResponse], of user: String,
        _ texts: NetChanges.Texts
    ) throws {
        guard !fields.isEmpty || !custom.isEmpty else { return }
        let new = ExportAppResponse(
            .profile(ExportedProfile.with { $0.profile = Profile.with { $0.userID = user } }))
        let position = ExportPosition(new, isLast: false)
        guard case .profile(var row)? = (kept[position] ?? new).row else { return }
        let old = try (row.profile ?? Profile()).json()
        guard case .object(var members) = try JSONValue(parsing: old) else { return }
        members.removeAll { fields[$0.key] != nil }
        for (name, value) in fields { if let value { members.append((name, value)) } }
        var profile = try Profile(json: JSONText(.object(members)).compact)
        for (key, value) in custom {
            profile.custom.removeAll { $0.key == key }
            if let value { profile.custom.append(value.shown(texts.profiles)) }
        }
        profile.custom.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        row.profile = profile
        kept[position] = ExportAppResponse(.profile(row))
    }

    /// Makes, renames and deletes the groups, makes those that friends are in, and counts members.
    func applyGroups(to kept: inout [ExportPosition: ExportAppResponse], of user: String) {
        var known: [ExportedGroup] = []
        // By their bytes: names that look alike to Unicode are names of different groups.
        var members: [[UInt8]: Int32] = [:]
        for (position, row) in kept {
            switch row.row {
            case .group(let group):
                known.append(group)
                kept[position] = nil
            case .friendEntry(let friend):
                for name in friend.entry?.groups ?? [] {
                    members[Array(name.utf8), default: 0] += 1
                }
            default: break
            }
        }
        var replay = GroupReplay(of: user, known)
        replay.apply(groups.reversed())
        for name in members.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            replay.make(String(decoding: name, as: UTF8.self), at: firstMs)
        }
        for var group in replay.all {
            let name = Array((group.group?.name ?? "").utf8)
            group.group?.memberCount = members[name] ?? 0
            let row = ExportAppResponse(.group(group))
            kept[ExportPosition(row, isLast: false)] = row
        }
    }
}

extension ExportAppResponse {
    /// The row with all that no history has, from the row of the export.
    fileprivate func keeping(
        _ old: ExportAppResponse?, _ texts: NetChanges.Texts
    ) -> ExportAppResponse {
        switch row {
        case .friendEntry(var friend):
            let custom = friend.entry?.custom ?? []
            friend.entry?.custom = custom.map { $0.shown(texts.friends) }
            if case .friendEntry(let old)? = old?.row { friend.reviews = old.reviews }
            return ExportAppResponse(.friendEntry(friend))
        case .application(var application):
            if case .application(let old)? = old?.row,
                old.application?.applicationID == application.application?.applicationID
            {
                (application.remark, application.group) = (old.remark, old.group)
                (application.groups, application.custom) = (old.groups, old.custom)
                application.reviews = old.reviews
            }
            return ExportAppResponse(.application(application))
        default: return self
        }
    }
}

extension CustomValue {
    /// The value as an export has it.
    fileprivate func shown(_ texts: Set<String>) -> CustomValue {
        guard texts.contains(key), case .data(let bytes)? = value,
            let text = String(validating: bytes, as: UTF8.self)
        else { return self }
        var shown = self
        shown.value = .text(text)
        return shown
    }
}

extension Substring {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
