import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

extension GroupHandlers {
    static func get(
        _ request: GetFriendGroupsRequest, _ profiles: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) -> Reading<GetFriendGroupsResponse> {
        let names = request.names
        let withMembers = request.withMembers
        violations.count(names.count, "names", 0...Limits.groupNames)
        let page = MemberPage(request, call, &violations)
        let joined = JoinedProfiles(request, profiles, call, &violations)
        if joined != nil, !withMembers {
            violations.add("with_profiles", "may be given only if with_members is set")
        }
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var response = GetFriendGroupsResponse()
            response.totalSize = Int32(userRecord.groupCount)
            response.sequence = userRecord.groupsSequence
            var bytes = 0
            var numbers: [UInt32?] = []
            for (name, record) in try groups(names, call, in: transaction) {
                response.results.append(GetFriendGroupResult(name, record))
                numbers.append(record?.number)
                bytes += 2 * name.utf8.count + Self.groupBytes
            }
            guard withMembers else { return response }
            var hasProfile = false
            for (index, number) in numbers.enumerated() {
                guard let number else { continue }
                try page.addMembers(
                    of: number, joining: joined, to: &response.results[index], &bytes,
                    &hasProfile, call, in: transaction)
            }
            return response
        }
    }

    /// The size of a group in an answer beside its name: a generous bound, with one member and a
    /// token.
    private static let groupBytes = 320

    /// The named groups, or all groups of the caller; nil for a name without a group.
    private static func groups(
        _ names: [String], _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> [(name: String, record: GroupRecord?)] {
        guard !names.isEmpty else {
            return try Groups.all(of: call.user, app: call.app, in: transaction)
                .map { (name: $0.name, record: $0.record) }
        }
        let legal = names.filter(GroupNames.mayExist)
        var records = try Groups.records(legal, of: call.user, app: call.app, in: transaction)
            .makeIterator()
        return names.map { name in
            (name: name, record: GroupNames.mayExist(name) ? records.next() ?? nil : nil)
        }
    }
}

/// The members of each group that a request asks for.
private struct MemberPage {
    private let limit: Int
    /// The last member of the previous page; if it is set, the request names one group only.
    private let position: UserID?

    init(_ request: GetFriendGroupsRequest, _ call: Call, _ violations: inout Violations) {
        let rows = Page.rows(request.pageSize, &violations)
        limit = request.pageSize == 0 ? .max : rows
        guard !request.pageToken.isEmpty else {
            position = nil
            return
        }
        let token =
            request.names.count == 1 && request.withMembers
            ? PageToken(request.pageToken, of: Self.query(request.names[0], call)) : nil
        if token == nil {
            violations.add(
                "page_token", "is not a token of the members of the one named group",
                reason: .invalidPageToken)
        }
        position = token.flatMap { $0.position.timeMs == 0 ? $0.position.user : nil }
    }

    /// Adds members to a group's result, until the whole answer has its bytes.
    ///
    /// It adds at least one member if the group has any. With profiles, only the first group of
    /// which this is true has one for certain: a thousand long profiles would not be a message.
    func addMembers(
        of number: UInt32, joining joined: JoinedProfiles?, to result: inout GetFriendGroupResult,
        _ bytes: inout Int, _ hasProfile: inout Bool, _ call: Call,
        in transaction: any ReadTransaction
    ) throws(StorageError) {
        let atOnce = joined == nil ? .max : RowSizes(call.app.settings).profilesPerRead
        var last = position
        var hasMore = true
        while hasMore, result.userIDs.count < limit {
            let isFirst = joined == nil ? result.userIDs.isEmpty : !hasProfile
            var size = bytes
            let members = try self.members(
                of: number, after: last, most: min(atOnce, limit - result.userIDs.count), &size,
                isFirst: isFirst, &hasMore, call, in: transaction)
            guard !members.isEmpty else { break }
            var taken = members[...]
            if let joined {
                let profiles = try joined.page(
                    of: members, &bytes, isFirst: isFirst, in: transaction
                ) { members[$0].text.utf8.count + 2 }
                for profile in profiles { result.profiles.append(try joined.decoded(profile)) }
                taken = members.prefix(profiles.count)
                hasProfile = hasProfile || !profiles.isEmpty
            } else {
                bytes = size
            }
            result.userIDs += taken.map(\.text)
            last = taken.last ?? last
            guard taken.count == members.count else {
                hasMore = true
                break
            }
            if joined == nil { break }
        }
        guard hasMore else { return }
        let token = last.map { TimedUser(timeMs: 0, user: $0) }
        result.nextPageToken = PageToken(token ?? Self.beginning(call)).text(
            of: Self.query(result.name, call))
    }

    /// The first members after `last` that have room for their ids.
    private func members(
        of number: UInt32, after last: UserID?, most: Int, _ bytes: inout Int, isFirst: Bool,
        _ hasMore: inout Bool, _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var members: [UserID] = []
        hasMore = false
        try Groups.scanMembers(
            of: number, of: call.user, after: last, app: call.app, in: transaction
        ) { user in
            let size = user.text.utf8.count + 2
            let isOnlyOne = isFirst && members.isEmpty
            guard members.count < most, isOnlyOne || bytes + size <= Limits.pageBytes else {
                hasMore = true
                return .enough
            }
            members.append(user)
            bytes += size
            return .next
        }
        return members
    }

    /// The position before the first member, of a group that had no room for any: its time, which
    /// no other position has, says so.
    private static func beginning(_ call: Call) -> TimedUser {
        TimedUser(timeMs: 1, user: call.user)
    }

    /// A user's id has no line break, so no two groups share a query.
    private static func query(_ name: String, _ call: Call) -> String {
        "GetFriendGroups \(mark: call.app) \(call.user)\n\(name)"
    }
}

extension GetFriendGroupResult: OutcomeMessage {
    fileprivate init(_ name: String, _ record: GroupRecord?) {
        self.init()
        self.name = name.echoed()
        if let record {
            var group = FriendGroup()
            group.name = name
            group.memberCount = Int32(record.memberCount)
            group.createTimeMs = record.createdMs
            self.group = group
            set(.success)
        } else {
            set(
                .invalidParameter,
                GroupNames.mayExist(name)
                    ? Reason.GroupUpdate.groupNotExist : Reason.GroupUpdate.nameIllegal)
        }
    }
}
