import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel

/// The commands of `sns` that write friends.
enum FriendCommands {
    // MARK: friend_add

    static func add(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let body = request.body
        let actor = try request.actor
        let type = try body.word("AddType", addTypes) ?? .both
        let forces = try body.numberIfAny("ForceAddFlags") == 1
        let items = try body.objects("AddFriendItem", atMost: TIMLimits.items)
            .map { (item) throws(TIMError) in try friend(item, request.settings) }
        let results = try await TIMPieces.results(
            of: items, by: Limits.addFriendsItems, user: \.userID
        ) { (piece) throws(TIMError) in
            var message = AddFriendsRequest()
            message.userID = actor
            message.items = piece
            message.addType = type
            message.force = forces
            let answer = try await request.calls.write(FriendMethods.addFriends, message)
            guard answer.results.count == piece.count else { throw .lacksResults(of: request) }
            return answer.results.map(TIMResult.init)
        }
        return TIMAnswer("ResultItem", results)
    }

    private static let addTypes: [String: AddType] = [
        "Add_Type_Single": .single, "Add_Type_Both": .both,
    ]

    private static func friend(
        _ item: TIMBody, _ settings: AppSettings
    ) throws(TIMError) -> AddFriend {
        var friend = AddFriend()
        friend.userID = try item.text("To_Account")
        friend.source = try source(item, settings)
        friend.remark = try item.textIfAny("Remark") ?? ""
        friend.group = try item.textIfAny("GroupName") ?? ""
        friend.wording = try item.textIfAny("AddWording") ?? ""
        return friend
    }

    /// The source of an item, which TIM asks for with its prefix.
    ///
    /// The calls behind take one without the prefix, or none. In an app that keeps what TIM keeps
    /// they may; in others such a source becomes one that they refuse, so that the item fails with
    /// TIM's code.
    private static func source(
        _ item: TIMBody, _ settings: AppSettings
    ) throws(TIMError) -> String {
        let text = try item.text("AddSource")
        let isTaken = settings.keepsTIMValues || text.hasPrefix(sourcePrefix)
        return isTaken ? text : sourcePrefix + "-"
    }

    private static let sourcePrefix = "AddSource_Type_"

    // MARK: friend_import

    static func importRows(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let actor = try request.actor
        let rows = try request.body.objects("AddFriendItem", atMost: TIMLimits.items)
            .map { (item) throws(TIMError) in try row(item, of: actor, request.settings) }
        try await request.requireAccount(actor)
        let outcome = try await TIMPieces.imported(
            rows, \ImportFriendsRequest.row, by: MaintenanceMethods.importFriends, request.calls)
        if let error = outcome.error, !outcome.hasDone { throw error }
        let results = rows.enumerated().map { index, row in
            if index >= outcome.answered, let error = outcome.error {
                return TIMResult(row.friendUserID, error.code, error.words)
            }
            let report = outcome.results[index]
            return TIMResult(
                row.friendUserID, report.map { TIMResult.code(of: $0.code) } ?? 0,
                report?.info ?? "")
        }
        return TIMAnswer("ResultItem", results)
    }

    private static func row(
        _ item: TIMBody, of owner: String, _ settings: AppSettings
    ) throws(TIMError) -> FriendRow {
        var row = FriendRow()
        row.userID = owner
        row.friendUserID = try item.text("To_Account")
        row.source = try source(item, settings)
        row.remark = try item.textIfAny("Remark")
        row.wording = try item.textIfAny("AddWording")
        row.addTimeMs = try milliseconds(item, "AddTime")
        row.remarkTimeMs = try milliseconds(item, "RemarkTime")
        row.groups = try item.textsIfAny("GroupName", atMost: TIMLimits.items).map(StringList.init)
        let custom = try item.objectsIfAny("CustomItem", atMost: TIMLimits.tags) ?? []
        row.custom = try custom.map { (field) throws(TIMError) in
            let tag = try field.text("Tag")
            guard let key = TIMTag.key(of: tag, after: TIMTag.friendPrefix) else {
                throw field.wrong("Tag", "a tag of a custom field")
            }
            return CustomValue(key: key, value: try TIMTag.custom(field))
        }
        return row
    }

    private static func milliseconds(
        _ item: TIMBody, _ name: String
    ) throws(TIMError) -> Int64? {
        guard let seconds = try item.numberIfAny(name) else { return nil }
        // Milliseconds would be a time in tens of thousands of years.
        guard let seconds = UInt32(exactly: seconds) else {
            throw item.wrong(name, "a time in seconds")
        }
        return Int64(seconds) * 1_000
    }

    // MARK: friend_update

    static func update(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let actor = try request.actor
        let items = try request.body.objects("UpdateItem", atMost: TIMLimits.items)
        var updates: [FriendUpdate] = []
        var indices: [String: Int] = [:]
        // Where the tags of each friend stand: the last value of a tag counts.
        var tagIndices: [[String: Int]] = []
        // One update for each friend: the service takes none twice in a call.
        var order: [Int] = []
        for item in items {
            let user = try item.text("To_Account")
            let updateIndex = indices[user] ?? updates.count
            if updateIndex == updates.count {
                var update = FriendUpdate()
                update.userID = user
                updates.append(update)
                tagIndices.append([:])
                indices[user] = updateIndex
            }
            order.append(updateIndex)
            for field in try item.objects("SnsItem", atMost: TIMLimits.tags) {
                let tag = try TIMTag.value(field, request.settings, .friend)
                if let known = tagIndices[updateIndex][tag.tag] {
                    updates[updateIndex].tags[known] = tag
                } else {
                    tagIndices[updateIndex][tag.tag] = updates[updateIndex].tags.count
                    updates[updateIndex].tags.append(tag)
                }
            }
        }
        let results = try await TIMPieces.results(
            of: updates, by: Limits.updateFriendsItems, user: \.userID
        ) { (piece) throws(TIMError) in
            var message = UpdateFriendsRequest()
            message.userID = actor
            message.items = piece
            let answer = try await request.calls.write(FriendMethods.updateFriends, message)
            guard answer.results.count == piece.count else { throw .lacksResults(of: request) }
            return answer.results.map(TIMResult.init)
        }
        return TIMAnswer("ResultItem", order.map { results[$0] })
    }

    // MARK: friend_delete, friend_delete_all

    private static let deleteTypes: [String: DeleteType] = [
        "Delete_Type_Single": .single, "Delete_Type_Both": .both,
    ]

    static func delete(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = DeleteFriendsRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.items)
        message.deleteType = try request.body.word("DeleteType", deleteTypes) ?? .single
        let answer = try await request.calls.write(FriendMethods.deleteFriends, message)
        return TIMAnswer("ResultItem", answer.results.map(TIMResult.init))
    }

    static func deleteAll(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = DeleteAllFriendsRequest()
        message.userID = try request.actor
        message.deleteType = try request.body.word("DeleteType", deleteTypes) ?? .single
        _ = try await request.calls.write(FriendMethods.deleteAllFriends, message)
        return TIMAnswer()
    }
}

extension TIMError {
    /// A write answered fewer results than it had items, which may be done all the same.
    static func lacksResults(of request: TIMRequest) -> TIMError {
        TIMError(request.body.service.internalError, "an answer lacks results", .internalError)
            .asOfWrite
    }
}

extension TIMRequest {
    /// Which of at most 100 users are accounts.
    func accounts(_ users: [String]) async throws(TIMError) -> [CheckAccountResult] {
        var message = CheckAccountsRequest()
        message.userIDs = users
        return try await calls.call(AccountMethods.checkAccounts, message).results
    }

    /// - Throws: The service's code for a user that is not an account.
    func requireAccount(_ user: String) async throws(TIMError) {
        guard try await accounts([user]).first?.status == .imported else {
            throw TIMError(
                body.service.accountUnknown, "there is no such account", .notFound)
        }
    }
}
