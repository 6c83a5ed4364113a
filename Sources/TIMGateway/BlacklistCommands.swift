import Protobuf
import RelationAPI
import RelationModel

/// The commands of `sns` about blacklists.
enum BlacklistCommands {
    static func add(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = AddToBlacklistRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.items)
        let answer = try await request.calls.write(BlacklistMethods.addToBlacklist, message)
        return TIMAnswer("ResultItem", answer.results.map(TIMResult.init))
    }

    static func delete(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = RemoveFromBlacklistRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.items)
        let answer = try await request.calls.write(BlacklistMethods.removeFromBlacklist, message)
        return TIMAnswer("ResultItem", answer.results.map(TIMResult.init))
    }

    /// Answers the entries from any index on; the entries before them are read and left out.
    static func get(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let start = try request.body.number("StartIndex")
        let most = try request.body.number("MaxLimited")
        _ = try request.body.numberIfAny("LastSequence")
        guard most > 0 else { throw request.body.wrong("MaxLimited", "at least 1") }
        var message = ListBlacklistRequest()
        message.userID = try request.actor
        message.pageSize = Int32(Limits.maxPageRows)
        var entries: [BlacklistEntry] = []
        var page: ListBlacklistResponse
        repeat {
            page = try await request.calls.call(BlacklistMethods.listBlacklist, message)
            entries += page.entries
            message.pageToken = page.nextPageToken
        } while !page.nextPageToken.isEmpty && entries.count - start < most
        let shown = entries.dropFirst(start).prefix(most)
        let isLast = page.nextPageToken.isEmpty && shown.endIndex >= entries.endIndex
        let rows = shown.map { entry in
            JSONValue.object([
                ("To_Account", .string(entry.userID)),
                ("AddBlackTimeStamp", .whole(entry.addTimeMs / 1_000)),
            ])
        }
        let sequence = JSONValue.whole(page.sequence.clientSequence)
        return TIMAnswer([
            ("BlackListItem", .array(rows)),
            ("StartIndex", .whole(isLast ? 0 : start + shown.count)),
            // The vendor spells the first so, and some clients read the second.
            ("CurruentSequence", sequence),
            ("CurrentSequence", sequence),
        ])
    }

    static func check(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = CheckBlacklistRequest()
        message.userID = try request.actor
        message.userIDs = try request.users(atMost: TIMLimits.items)
        guard let type = try request.body.word("CheckType", checkTypes) else {
            throw request.body.missing("CheckType")
        }
        message.checkType = type
        let answer = try await request.calls.call(BlacklistMethods.checkBlacklist, message)
        let results = answer.results.map { result in
            let word = relations[(result.relation ?? .none).rawValue] ?? "NO"
            return TIMResult(
                result.userID, TIMResult.code(of: result.code), result.info,
                [("Relation", .string("BlackCheckResult_Type_\(word)"))])
        }
        return TIMAnswer("BlackListCheckItem", results)
    }

    private static let checkTypes: [String: BlacklistCheckType] = [
        "BlackCheckResult_Type_Single": .single, "BlackCheckResult_Type_Both": .both,
    ]

    private static let relations: [Int32: String] = [
        BlacklistRelation.none.rawValue: "NO", BlacklistRelation.aWithB.rawValue: "AWithB",
        BlacklistRelation.bWithA.rawValue: "BWithA", BlacklistRelation.bothWay.rawValue: "BothWay",
    ]
}
