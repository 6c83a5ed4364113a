import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

// Lists that show names: sorted by them, searched, or joined with profiles. They run on the
// readers, since a list whose names are not in memory is read as a whole.

extension FriendHandlers {
    static func listJoinedFriends(
        _ request: ListFriendsRequest, _ names: NameCache, _ profiles: StoredProfiles,
        _ call: Call, _ violations: inout Violations
    ) -> Reading<ListFriendsResponseView> {
        request.checkJoin(&violations)
        // The read versions of both caches are taken before the view of the store.
        let page = FriendPage(
            call, FriendMask(request.readMask, "read_mask", call, &violations),
            request.withProfiles
                ? ProfileMask(request.profileMask, "profile_mask", call.app.settings, &violations)
                : nil, profiles)
        let readVersion = names.clock.readVersion()
        if let order = request.nameOrder {
            return listByName(request, order, page, names, readVersion, &violations)
        }
        let query = request.query(call)
        let asked = Page(request.pageSize, request.pageToken, of: query, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let scanned = try request.scan(asked, call, in: transaction)
            var friends = scanned.friends
            if request.displayOrder != .unspecified {
                try Self.name(&friends, request.displayOrder, names, readVersion, call, transaction)
            }
            var response = ListFriendsResponseView()
            response.friends = try page.rows(of: friends[...], in: transaction)
            let count = response.friends.count
            if count > 0, scanned.hasMore || count < friends.count {
                let last = friends[count - 1]
                let position = TimedUser(timeMs: last.timeMs, user: last.user)
                response.nextPageToken = PageToken(position).text(of: query)
            }
            response.totalSize = Int32(scanned.total ?? Int(userRecord.friendCount))
            response.sequence = userRecord.friendsSequence
            return response
        }
    }

    private static func listByName(
        _ request: ListFriendsRequest, _ order: NameOrder, _ page: FriendPage,
        _ names: NameCache, _ readVersion: ReadVersion, _ violations: inout Violations
    ) -> Reading<ListFriendsResponseView> {
        let call = page.call
        let count = Page.rows(request.pageSize, &violations)
        let query = request.query(call)
        let token = NameToken.read(request.pageToken, of: query, &violations)
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            let namedFriends = try names.namedFriends(
                of: call.user, app: call.app, at: readVersion, in: transaction)
            let sorted = namedFriends.sorted(by: order)
            let inGroup = try request.members(of: namedFriends, call, in: transaction)
            var rows = sorted.rows(after: token?.nameKey, descending: request.isDescending)
            if let inGroup { rows.removeAll { !inGroup[$0.member] } }
            let friends = rows.prefix(count).map { row in
                let member = namedFriends.members[row.member]
                return NamedFriend(
                    user: member.user, displayName: member.displayName(request.displayOrder),
                    section: sorted.letter(of: row))
            }
            var response = ListFriendsResponseView()
            response.friends = try page.rows(of: friends[...], in: transaction)
            let answered = response.friends.count
            if answered > 0, answered < rows.count {
                let last = sorted.nameKey(of: rows[answered - 1])
                response.nextPageToken = NameToken(last).text(of: query)
            }
            let listed = inGroup.map { inGroup in sorted.rows.filter { inGroup[$0.member] } }
            let sections = listed.map(sorted.sections) ?? sorted.sections
            response.sections = sections.map { section in
                var answer = FriendSection()
                answer.letter = section.letter
                answer.count = Int32(section.count)
                return answer
            }
            response.totalSize = Int32((listed ?? sorted.rows).count)
            response.sequence = userRecord.friendsSequence
            return response
        }
    }

    /// Adds the profiles that the caller sees to friends that are sorted by other things than
    /// names.
    private static func name(
        _ friends: inout [NamedFriend], _ order: DisplayOrder, _ names: NameCache,
        _ readVersion: ReadVersion, _ call: Call, _ transaction: any ReadTransaction
    ) throws(StorageError) {
        let users = friends.map(\.user)
        let known = try names.names(
            of: users, for: call.user, app: call.app, at: readVersion, in: transaction)
        let rows = try FriendList.nameRecords(
            of: users, of: call.user, app: call.app, in: transaction)
        for index in friends.indices {
            let member = NamedFriendList.Member(
                user: users[index], remark: rows[index]?.remark ?? "", names: known[index])
            friends[index].displayName = member.displayName(order)
        }
    }

    // MARK: SearchFriends

    static func searchFriends(
        _ request: SearchFriendsRequest, _ names: NameCache, _ profiles: StoredProfiles,
        _ call: Call, _ violations: inout Violations
    ) -> Reading<SearchFriendsResponseView> {
        violations.known(request.searchMatch, "search_match")
        violations.known(request.displayOrder, "display_order")
        violations.checkJoin(request)
        let search = request.search(&violations)
        let page = FriendPage(
            call, FriendMask(request.readMask, "read_mask", call, &violations),
            request.withProfiles
                ? ProfileMask(request.profileMask, "profile_mask", call.app.settings, &violations)
                : nil, profiles)
        let count = Page.rows(request.pageSize, &violations)
        let query = request.query(call)
        let token = NameToken.read(request.pageToken, of: query, &violations)
        let readVersion = names.clock.readVersion()
        return reading(call) { (userRecord, transaction) throws(StorageError) in
            var response = SearchFriendsResponseView()
            response.sequence = userRecord.friendsSequence
            // A request without a search has been refused already.
            guard let search else { return response }
            let namedFriends = try names.namedFriends(
                of: call.user, app: call.app, at: readVersion, in: transaction)
            let sorted = namedFriends.sorted(by: .displayName(request.displayOrder.orFirst))
            let hits = search.hits(in: namedFriends, sortedBy: sorted)
            let rest = token.map { token in
                hits.drop { hit in
                    hit.found.rawValue < token.part
                        || hit.found.rawValue == token.part
                            && sorted.compare(hit.row, token.nameKey) <= 0
                }
            }
            let next = rest ?? hits[...]
            let friends = next.prefix(count).map { hit in
                let member = namedFriends.members[hit.row.member]
                return NamedFriend(
                    user: member.user, displayName: member.displayName(request.displayOrder))
            }
            response.friends = try page.rows(of: friends[...], in: transaction)
            let answered = response.friends.count
            if answered > 0, answered < next.count {
                let last = next[next.startIndex + answered - 1]
                response.nextPageToken = NameToken(
                    part: last.found.rawValue, sorted.nameKey(of: last.row)
                ).text(of: query)
            }
            response.totalSize = Int32(hits.count)
            return response
        }
    }
}

extension ListFriendsRequest {
    /// The order of names; nil if names do not decide the order.
    var nameOrder: NameOrder? {
        switch order {
        case .firstName: .firstName
        case .lastName: .lastName
        case .displayName: .displayName(displayOrder.orFirst)
        default: nil
        }
    }

    func checkJoin(_ violations: inout Violations) {
        if !group.isEmpty, !GroupNames.mayExist(group) {
            violations.add("group", "is longer than the name of any group")
        }
        violations.known(order, "order")
        violations.known(direction, "direction")
        violations.known(displayOrder, "display_order")
        violations.known(relation, "relation")
        if relation == .otherUni { violations.add("relation", "is that of no friend") }
        violations.known(mark, "mark")
        violations.checkJoin(self)
    }

    /// Whether the last row comes first; not, unless the request says so.
    var isDescending: Bool { direction == .descending }

    /// The query of a page token: the user whose list it is, and the order.
    func query(_ call: Call) -> String {
        let order = order == .unspecified ? FriendOrder.userID : order
        let query =
            "ListFriends \(mark: call.app) \(call.user) \(order.rawValue) "
            + "\(displayOrder.orFirst.rawValue) \(isDescending)"
        var whole = nameOrder == nil ? query : query + " " + SortedNames.version
        if relation != .none || mark != .unspecified {
            whole += " of \(relation.rawValue) \(mark.rawValue)"
        }
        if call.isPast { whole += " at \(call.now.milliseconds)" }
        // No list of all friends has a line break in its query.
        return group.isEmpty ? whole : whole + "\n" + group
    }

    /// The row of the group to list; nil if there is no such group.
    func record(
        _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> GroupRecord? {
        guard GroupNames.mayExist(group) else { return nil }
        return try Groups.record(group, of: call.user, app: call.app, in: transaction)
    }

    /// For each member of the list, whether it is in the group to list; nil if all are listed.
    fileprivate func members(
        of list: NamedFriendList, _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool]? {
        guard !group.isEmpty || isSelected else { return nil }
        guard let selection = try selection(call, in: transaction) else {
            return list.members.map { _ in false }
        }
        let members = try selection.users(of: call.user, app: call.app, in: transaction)
        return list.members.map { members.contains($0.user) }
    }

    /// The choice of the friends to list; nil if the group to list does not exist.
    private func selection(
        _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> FriendSelection? {
        var selection = FriendSelection(at: call.now)
        selection.relation = relation
        selection.mark = mark
        selection.order = order
        guard !group.isEmpty else { return selection }
        guard let record = try record(call, in: transaction) else { return nil }
        selection.group = record.number
        return selection
    }

    /// Calls `body` with the first rows of a page of chosen friends, or of pinned ones first.
    ///
    /// - Returns: How many friends all pages list.
    func scanSelected(
        _ page: Page, _ call: Call, in transaction: any ReadTransaction,
        _ body: (TimedUser, UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) -> Int {
        guard let selection = try selection(call, in: transaction) else { return 0 }
        return try selection.scan(
            of: call.user, after: page.position, ScanOrder(isDescending: isDescending),
            limit: page.rows + 1, app: call.app, in: transaction, body)
    }

    /// The first friends of a page in an order without names, with their rows.
    ///
    /// They end when there are as many as the page asks for, or when the bytes of their rows are
    /// full: one row fits always.
    fileprivate func scan(
        _ page: Page, _ call: Call, in transaction: any ReadTransaction
    ) throws(StorageError) -> ScannedFriends {
        var scanned = ScannedFriends(page, call.arena)
        let order = ScanOrder(isDescending: isDescending)
        if isSelected {
            let total = try scanSelected(page, call, in: transaction) { key, row in
                scanned.add(row, of: key.user, at: key.timeMs)
            }
            scanned.total = total
        } else if !group.isEmpty {
            let record = try record(call, in: transaction)
            scanned.total = Int(record?.memberCount ?? 0)
            guard let record else { return scanned }
            try FriendList.scanGroup(
                record.number, byTime: self.order == .addTime, of: call.user,
                after: page.position, order, limit: page.rows + 1, app: call.app, in: transaction
            ) { key, row in scanned.add(row, of: key.user, at: key.timeMs) }
        } else if self.order == .addTime {
            try FriendList.scanByTime(
                of: call.user, after: page.position, order, limit: page.rows + 1, app: call.app,
                in: transaction
            ) { key, row in scanned.add(row, of: key.user, at: key.timeMs) }
        } else {
            try FriendList.scanByID(
                of: call.user, after: page.position?.user, order, limit: page.rows + 1,
                app: call.app, in: transaction
            ) { user, row in scanned.add(row, of: user) }
        }
        if scanned.isOutOfMemory { throw FriendPage.outOfMemory }
        return scanned
    }
}

/// The friends of a page as a scan finds them.
private struct ScannedFriends {
    private let page: Page
    private let arena: Arena
    private var bytes = 0
    private(set) var friends: [NamedFriend] = []
    /// Whether another friend comes after them.
    private(set) var hasMore = false
    private(set) var isOutOfMemory = false
    /// How many friends all pages list, if not all are listed.
    var total: Int?

    init(_ page: Page, _ arena: Arena) {
        self.page = page
        self.arena = arena
    }

    mutating func add(
        _ row: UnsafeRawBufferPointer, of user: UserID, at timeMs: Int64 = 0
    ) -> ScanStep {
        bytes += row.count
        guard friends.count < page.rows, friends.isEmpty || bytes <= Limits.pageBytes else {
            hasMore = true
            return .enough
        }
        guard let copy = arena.copy(row) else {
            isOutOfMemory = true
            return .enough
        }
        friends.append(
            NamedFriend(user: user, row: Encoded(borrowing: copy), timeMs: timeMs))
        return .next
    }
}

extension SearchFriendsRequest {
    fileprivate func search(_ violations: inout Violations) -> FriendSearch? {
        let count = keyword.unicodeScalars.count
        guard (1...Limits.keywordCharacters).contains(count) else {
            violations.add(
                "keyword",
                "has \(count) characters; it must have 1 to \(Limits.keywordCharacters)")
            return nil
        }
        if let search = FriendSearch(keyword, searchMatch) { return search }
        violations.add("keyword", "has no visible character")
        return nil
    }

    /// The query of a page token: the user whose list it is, and the words that are looked for.
    fileprivate func query(_ call: Call) -> String {
        let match = searchMatch == .unspecified ? SearchMatch.substring : searchMatch
        return "SearchFriends \(mark: call.app) \(call.user) \(match.rawValue) "
            + "\(displayOrder.orFirst.rawValue) \(SortedNames.version) "
            + "\(FriendSearch.version) \(keyword)"
    }
}

extension DisplayOrder {
    /// The display order; an unspecified one means the first.
    fileprivate var orFirst: DisplayOrder { self == .unspecified ? .firstName : self }
}
