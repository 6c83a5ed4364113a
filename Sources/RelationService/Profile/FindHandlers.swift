import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The calls of ProfileService by which users are found.
enum FindHandlers {
    static func register(in router: Router) {
        router.read(ProfileMethods.findUsers, findUsers)
        router.write(ProfileMethods.setFindSettings, setFindSettings)
        router.read(ProfileMethods.getFindSettings, getFindSettings)
    }

    // MARK: FindUsers

    static func findUsers(
        _ request: FindUsersRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<FindUsersResponse> {
        let search = request.search(&violations)
        let rows = Page.rows(request.pageSize, &violations, atMost: Limits.foundUsersPerPage)
        let query =
            "FindUsers \(mark: call.app) \(call.user) \(call.isAdmin) \(UserSearch.version) "
            + request.keyword
        let token = request.pageToken
        let cursor = token.isEmpty ? nil : PageToken.cursor(token, of: query)
        if cursor == nil && !token.isEmpty { violations.pageToken() }
        let viewer = UserSearch.Viewer(call.user, isAdmin: call.isAdmin, at: call.now)
        return reading(call) { (_, transaction) throws(StorageError) in
            var response = FindUsersResponse()
            // A request without a search has been refused already.
            guard let search else { return response }
            let page = try search.page(
                for: viewer, app: call.app, after: cursor.map { UserSearch.Position($0) },
                limit: rows, in: transaction)
            response.users = page.hits.map { FoundUser($0) }
            response.nextPageToken = page.next.map { PageToken.text($0.bytes, of: query) } ?? ""
            response.indexIncomplete = !page.isComplete
            return response
        }
    }

    // MARK: FindSettings

    static func setFindSettings(
        _ request: SetFindSettingsRequest, _ call: Call, _ violations: inout Violations
    ) -> Work<SetFindSettingsResponse> {
        let chosen = FindSettingsRecord(request.settings ?? FindSettings())
        if chosen == FindSettingsRecord() {
            violations.add("settings", "at least one choice must be given")
        }
        for (way, name) in FindWay.names {
            if let choice = chosen[way] { violations.known(choice, "settings.\(name)") }
        }
        let user = call.user
        var work = Work<SetFindSettingsResponse>(
            .one { (ledger) throws(StorageError) in
                let changed = try FindSettingsRules.set(
                    chosen, of: user, in: ledger)
                let record = try ledger.userRecord(of: user) ?? UserRecord()
                var response = SetFindSettingsResponse()
                response.settings = FindSettings(record.findSettings)
                response.effective = FindSettings(record.effective(ledger.settings))
                return .success(WriteResult(response: response, applied: changed))
            })
        FindSettingsRules.keysForSetting(user, app: call.app, into: &work.keys)
        return work
    }

    static func getFindSettings(
        _ request: GetFindSettingsRequest, _ call: Call, _ violations: inout Violations
    ) -> Reading<GetFindSettingsResponse> {
        let settings = call.app.settings
        return reading(call) { (userRecord, _) throws(StorageError) in
            var response = GetFindSettingsResponse()
            response.settings = FindSettings(userRecord.findSettings)
            response.appLevel = settings.defaultFindability
            response.effective = FindSettings(userRecord.effective(settings))
            return response
        }
    }
}

extension FindUsersRequest {
    fileprivate func search(_ violations: inout Violations) -> UserSearch? {
        let count = keyword.unicodeScalars.count
        guard (1...Limits.keywordCharacters).contains(count) else {
            violations.add(
                "keyword",
                "has \(count) characters; it must have 1 to \(Limits.keywordCharacters)")
            return nil
        }
        if let search = UserSearch(keyword) { return search }
        violations.add("keyword", "has no visible character")
        return nil
    }
}

extension FoundUser {
    fileprivate init(_ hit: UserSearch.Hit) {
        self.init()
        userID = hit.user.text
        nick = hit.profile.nick ?? ""
        faceURL = hit.profile.faceURL ?? ""
        foundBy = hit.by
    }
}

extension FindWay {
    /// Each with the name of its field in the contract's `FindSettings`.
    static let names: [(way: FindWay, name: String)] = [
        (.id, "by_id"), (.uniqueID, "by_unique_id"), (.name, "by_name"), (.phone, "by_phone"),
        (.email, "by_email"),
    ]
}

extension FindSettings {
    init(_ record: FindSettingsRecord) {
        self.init()
        byID = record.byID
        byUniqueID = record.byUniqueID
        byName = record.byName
        byPhone = record.byPhone
        byEmail = record.byEmail
    }
}

extension FindSettingsRecord {
    init(_ settings: FindSettings) {
        self.init()
        byID = settings.byID
        byUniqueID = settings.byUniqueID
        byName = settings.byName
        byPhone = settings.byPhone
        byEmail = settings.byEmail
    }
}
