import Protobuf
import RelationAPI
import RelationModel

/// The commands of `im_open_login_svc`.
enum AccountCommands {
    // MARK: account_import, multiaccount_import

    static func importOne(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let row = try row(request.body)
        if let failure = try await importRows([row], request)[0] { throw failure }
        return TIMAnswer()
    }

    /// Takes the accounts as texts, as they once were, as objects, or as both.
    static func importMany(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let body = request.body
        var rows =
            try body.objectsIfAny("AccountList", atMost: TIMLimits.accounts)?
            .map { (item) throws(TIMError) in try row(item) } ?? []
        let known = Set(rows.map(\.userID))
        // An account of both lists is imported once, by the row that says more of it.
        for user in try body.userIDsIfAny("Accounts", atMost: TIMLimits.accounts) ?? []
        where !known.contains(user) {
            var row = AccountRow()
            row.userID = user
            rows.append(row)
        }
        guard !rows.isEmpty else { throw body.missing("AccountList") }
        guard rows.count <= TIMLimits.accounts else {
            throw TIMError(
                body.service.badParameter,
                "AccountList and Accounts have more than \(TIMLimits.accounts) items")
        }
        let errors = try await importRows(rows, request)
        let failed = zip(rows, errors).filter { $1 != nil }.map(\.0.userID)
        return TIMAnswer([("FailAccounts", .texts(failed))])
    }

    private static func row(_ item: TIMBody) throws(TIMError) -> AccountRow {
        var row = AccountRow()
        row.userID = try item.userID()
        row.nick = try item.textIfAny("Nick") ?? ""
        row.faceURL = try item.textIfAny("FaceUrl") ?? ""
        return row
    }

    /// Makes the accounts that are none yet, and gives the others the nicks and faces of their
    /// rows.
    ///
    /// - Returns: For each row why it was refused, or not done; or nil.
    /// - Throws: The error before which no row was done.
    private static func importRows(
        _ rows: [AccountRow], _ request: TIMRequest
    ) async throws(TIMError) -> [TIMError?] {
        var errors: [TIMError?] = rows.map { row in
            (1...TIMLimits.userIDBytes).contains(row.userID.utf8.count) ? nil : .badUserID
        }
        let taken = rows.indices.filter { errors[$0] == nil }
        guard !taken.isEmpty else { return errors }
        let outcome = try await TIMPieces.imported(
            taken.map { rows[$0] }, \ImportAccountsRequest.row,
            by: AccountMethods.importAccounts, request.calls)
        var end = outcome.error
        var isDone = false
        var existing: [(index: Int, wasRepeated: Bool)] = []
        for (position, index) in taken.enumerated() {
            let result = outcome.results[position]
            if position >= outcome.answered {
                errors[index] = end
            } else if result?.reason == .existed {
                existing.append((index, outcome.wasRepeated(position)))
            } else if outcome.isDone(position) {
                isDone = true
            } else {
                errors[index] = result.map(failure)
            }
        }
        for (index, wasRepeated) in existing {
            guard let message = update(of: rows[index]) else { continue }
            do throws(TIMError) {
                if let end { throw end }
                errors[index] = try await send(message, request, endsRepeat: wasRepeated)
                if errors[index] == nil { isDone = true }
            } catch {
                // One rule holds for all requests of several calls: see `TIMPieces`. The first
                // stream may have made the account with all that its row has.
                let error = wasRepeated ? error.asOfWrite : error
                (end, errors[index]) = (error, error)
            }
        }
        if let end, !isDone { throw end }
        return errors
    }

    private static func failure(of result: ImportRowResult) -> TIMError {
        let code =
            switch result.info {
            case "Err_Account_Import_Nick_Illegal", "Err_Account_Import_FaceUrl_Illegal": 40601
            case "Err_Account_Import_Sensitive_Text": 40005
            case "Err_Account_Import_Deletion_Running": 70399
            default: 70402
            }
        return TIMError(code, result.info)
    }

    /// The request that gives an account the nick and the face of its row; nil if it has none.
    private static func update(of row: AccountRow) -> UpdateProfileRequest? {
        var message = UpdateProfileRequest()
        message.userID = row.userID
        let fields = [("Tag_Profile_IM_Nick", row.nick), ("Tag_Profile_IM_Image", row.faceURL)]
        for (name, text) in fields where !text.isEmpty {
            var tag = TagValue()
            tag.tag = name
            tag.value = .text(text)
            message.tags.append(tag)
        }
        return message.tags.isEmpty ? nil : message
    }

    /// Makes an update.
    ///
    /// - Parameter endsRepeat: Whether a repeated stream has found the account.
    /// - Returns: Why the account or a value of it was refused; nil if they were taken.
    /// - Throws: ``TIMError`` that any account would have.
    private static func send(
        _ message: UpdateProfileRequest, _ request: TIMRequest, endsRepeat: Bool
    ) async throws(TIMError) -> TIMError? {
        do throws(TIMError) {
            try await request.update(message, endsRepeat: endsRepeat)
            return nil
        } catch {
            let isOfRow = error.code == request.body.service.accountSuspended
            guard isOfRow || (40000..<41000).contains(error.code) else { throw error }
            return error
        }
    }

    // MARK: account_delete, account_check, kick

    /// The users of a list of objects, which each have a `UserID`.
    private static func users(
        _ name: String, _ request: TIMRequest
    ) throws(TIMError) -> [String] {
        try request.body.objects(name, atMost: TIMLimits.accounts)
            .map { (item) throws(TIMError) in try item.userID() }
    }

    static func delete(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = DeleteAccountsRequest()
        message.userIDs = try users("DeleteItem", request)
        message.endSessions = true
        let answer = try await request.calls.write(AccountMethods.deleteAccounts, message)
        let results = answer.results.map { result in
            switch result.code ?? .success {
            case .success: TIMResult(result.userID, 0, "")
            case .accountNotFound: TIMResult(result.userID, 70107, TIMError.noAccount)
            default: TIMResult(result.userID, 70402, result.info)
            }
        }
        return TIMAnswer([("ResultItem", .array(results.map { $0.json("UserID") }))])
    }

    static func check(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let results = try await request.accounts(try users("CheckItem", request))
        let shown = results.map { result in
            let isImported = result.status == .imported
            let word = isImported ? "Imported" : "NotImported"
            let isGood = (result.code ?? .success) == .success
            return TIMResult(
                result.userID, isGood ? 0 : 70402, result.info,
                [("AccountStatus", .string(word))])
        }
        return TIMAnswer([("ResultItem", .array(shown.map { $0.json("UserID") }))])
    }

    /// Ends the signatures that were made of a user so far.
    static func endSessions(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        let user = try request.body.userID()
        guard UserID(user) != nil else { throw .badUserID }
        try await request.requireAccount(user)
        var message = RevokeUserSessionsRequest()
        message.userIDs = [user]
        let answer = try await request.calls.write(AccountMethods.revokeUserSessions, message)
        if let result = answer.results.first, (result.code ?? .success) != .success {
            throw TIMError(70402, result.info)
        }
        return TIMAnswer()
    }
}

extension TIMError {
    /// The words of the vendor for a user that is not an account.
    static let noAccount = "Err_TLS_PT_Open_Login_Account_Not_Exist"

    static let badUserID = TIMError(
        70402, "the UserID has not 1 to \(TIMLimits.userIDBytes) bytes of printable ASCII")
}
