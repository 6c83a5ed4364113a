import Protobuf
import RelationAPI
import RelationModel

/// The commands of `profile`.
enum ProfileCommands {
    /// Changes all the given fields, or none.
    ///
    /// The call behind it would make the account of an unknown user, so that is looked up before.
    static func set(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        var message = UpdateProfileRequest()
        message.userID = try request.actor
        let items = try request.body.objects("ProfileItem", atMost: Limits.tagValues)
        message.tags = try items.map { (item) throws(TIMError) in
            try TIMTag.value(item, request.settings, .profile)
        }
        try await request.requireAccount(message.userID)
        try await request.update(message)
        return TIMAnswer()
    }

    static func get(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        guard request.body.has("To_Account") else {
            throw TIMError(40002, "To_Account is missing")
        }
        let users = try request.users(atMost: TIMLimits.readUsers)
        let tags = Set(try request.body.texts("TagList", atMost: TIMLimits.tags))
        for tag in tags where !TIMTag.isKnown(tag, request.settings, of: .profile) {
            throw TIMError(40009, "Err_Profile_PortraitGet_Tag_Not_Exist")
        }
        var results: [TIMResult] = []
        for user in users {
            guard UserID(user) != nil else {
                results.append(TIMResult(user, 40001, "Err_Profile_PortraitGet_UserId_Illegal"))
                continue
            }
            guard let profile = try await request.profile(of: user) else {
                results.append(
                    TIMResult(user, 40003, "Err_Profile_PortraitGet_Account_Not_Exist"))
                continue
            }
            let shown = TIMTag.values(of: profile)
                .filter { tags.contains($0.tag) }.map { JSONValue.tag($0, $1) }
            results.append(TIMResult(user, 0, "", [("ProfileItem", .array(shown))]))
        }
        return TIMAnswer("UserProfileItem", results)
    }
}

extension TIMRequest {
    /// - Parameter endsRepeat: Whether the account was found by a repeated stream, so that the
    ///   update may begin after the time of the request.
    /// - Throws: The code of the first field that is refused.
    func update(
        _ message: UpdateProfileRequest, endsRepeat: Bool = false
    ) async throws(TIMError) {
        let answer = try await calls.write(
            ProfileMethods.updateProfile, message, endsRepeat: endsRepeat)
        guard let code = answer.code, code != .success else { return }
        let first = answer.violations.first
        throw TIMError(Int((first?.code ?? code).rawValue), first?.info ?? answer.info)
    }
}
