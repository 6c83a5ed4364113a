import Protobuf
import RPC
import RelationAPI
import RelationModel

/// The commands of `sns` about friend groups.
enum GroupCommands {
    /// Makes groups, and puts friends into all of them.
    ///
    /// If a name is refused, the request is, and no group is made. A member that fails in one group
    /// comes into none of them, and holds no other member back.
    static func add(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = CreateFriendGroupsRequest()
        message.userID = try request.actor
        message.names = try request.body.texts("GroupName", atMost: Limits.groupNames)
        let users = try request.body.textsIfAny("To_Account", atMost: Limits.groupMembers) ?? []
        message.options = WriteOptions()
        message.options?.allOrNothing = true
        return try await add(users, message, in: request.body.service) {
            (message) throws(TIMError) in
            try await request.calls.write(GroupMethods.createFriendGroups, message)
        }
    }

    /// Makes the groups of a message with those of the users that no attempt refuses.
    ///
    /// - Parameter call: Makes the call of the message.
    /// - Throws: ``TIMError`` of a name that is refused, or of ``TIMService/conflict`` if each of
    ///   ``TIMLimits/groupAttempts`` refuses another member.
    static func add(
        _ users: [String], _ message: CreateFriendGroupsRequest, in service: TIMService,
        by call: (CreateFriendGroupsRequest) async throws(TIMError) -> CreateFriendGroupsResponse
    ) async throws(TIMError) -> TIMAnswer {
        var message = message
        var results = users.map { TIMResult($0, 0, "") }
        // Where the members that no attempt has refused stand among all.
        var left = Array(users.indices)
        for _ in 0..<TIMLimits.groupAttempts {
            message.userIDs = left.map { users[$0] }
            let answer = try await call(message)
            if let refused = answer.results.first(where: { ($0.code ?? .success) != .success }) {
                throw TIMError(TIMResult.code(of: refused.code), refused.info)
            }
            for (position, result) in zip(left, members(of: answer, message.userIDs)) {
                results[position] = result
            }
            left = left.filter { results[$0].code == 0 }
            guard left.count == message.userIDs.count else { continue }
            var made = users.isEmpty ? TIMAnswer() : TIMAnswer("ResultItem", results)
            made.add("CurrentSequence", .whole(answer.sequence.clientSequence))
            return made
        }
        throw TIMError(
            service.conflict, "members change meanwhile: send the request again",
            .aborted)
    }

    /// One result for each member: its first failure in any of the groups.
    private static func members(
        of answer: CreateFriendGroupsResponse, _ users: [String]
    ) -> [TIMResult] {
        users.indices.map { index in
            let outcomes = answer.results.compactMap { group in
                group.members.indices.contains(index) ? group.members[index] : nil
            }
            let failure = outcomes.first { ($0.code ?? .success) != .success }
            return failure.map(TIMResult.init) ?? TIMResult(users[index], 0, "")
        }
    }

    /// Removes groups; a name that no group has is passed over.
    static func delete(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = DeleteFriendGroupsRequest()
        message.userID = try request.actor
        message.names = try request.body.texts("GroupName", atMost: Limits.groupNames)
        let answer = try await request.calls.write(
            GroupMethods.deleteFriendGroups, message)
        return TIMAnswer([("CurrentSequence", .whole(answer.sequence.clientSequence))])
    }

    static func get(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = GetFriendGroupsRequest()
        message.userID = try request.actor
        message.names =
            try request.body.textsIfAny("GroupName", atMost: Limits.groupNames) ?? []
        let words = ["Need_Friend_Type_Yes": true, "Need_Friend_Type_No": false]
        message.withMembers = try request.body.word("NeedFriend", words) ?? false
        _ = try request.body.numberIfAny("LastSequence")
        let answer = try await request.calls.call(GroupMethods.getFriendGroups, message)
        var groups: [JSONValue] = []
        for result in answer.results {
            guard let group = result.group else { continue }
            var members: [TIMAnswer.Member] = [
                ("GroupName", .string(group.name)), ("FriendNumber", .whole(group.memberCount)),
            ]
            if message.withMembers {
                let users = try await users(of: result, as: message, request)
                members.append(("To_Account", .texts(users)))
            }
            groups.append(.object(members))
        }
        return TIMAnswer([
            ("ResultItem", .array(groups)),
            ("CurrentSequence", .whole(answer.sequence.clientSequence)),
        ])
    }

    /// All members of a group, of which the first answer may have some only.
    private static func users(
        of first: GetFriendGroupResult, as message: GetFriendGroupsRequest, _ request: TIMRequest
    ) async throws(TIMError) -> [String] {
        var users = first.userIDs
        var message = message
        message.names = [first.name]
        message.pageToken = first.nextPageToken
        while !message.pageToken.isEmpty {
            let answer = try await request.calls.call(
                GroupMethods.getFriendGroups, message)
            users += answer.results.first?.userIDs ?? []
            message.pageToken = answer.results.first?.nextPageToken ?? ""
        }
        return users
    }
}
