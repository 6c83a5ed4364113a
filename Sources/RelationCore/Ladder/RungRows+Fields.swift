import Protobuf
import RelationModel
import Storage

/// The rows and settings behind the rungs about the fields of the peer's profile.
extension RungRows {
    /// The field of that path as the caller sees it by `view`, with its rungs.
    func explained(
        _ path: String, seenBy view: ProfileView, hasValue: Bool
    ) throws(StorageError) -> FieldExplanation {
        var ladder = NotedRungs()
        let isSeen = view.isVisible(path: path, app.settings, noting: &ladder)
        var state = FieldAccessState.unspecified
        if !isSeen {
            state = view.hiddenState(path: path, app.settings)
        } else if !hasValue {
            state = .notSet
        }
        return try explained(path, state: state, hasValue: hasValue, by: ladder)
    }

    /// The field of that path after its ladder, which tells of reviews and values too.
    func explained(
        _ path: String, state: FieldAccessState, hasValue: Bool, by ladder: NotedRungs
    ) throws(StorageError) -> FieldExplanation {
        var (ladder, rows) = (ladder, self)
        (rows.field, rows.hasValue) = (path, hasValue)
        if profile != nil { _ = ladder.records(.fieldReview, rows.review != nil) }
        _ = ladder.records(.fieldValue, hasValue)
        return FieldExplanation(
            path: path, state: state, rungs: try rows.explanation(of: state, by: ladder).rungs)
    }

    /// The review of the field, if one is open.
    private var review: ReviewRecord? {
        profile?.reviews.first { $0.field.isExactly(field) }
    }

    /// The users for whom the field is, by a rule of its own.
    private var audience: FieldAudience? {
        profile.flatMap { FieldRules(of: $0, app.settings)?.audience(of: field) }
    }

    /// The row of the profile; only its version is shown, and no value.
    private func profileRow(of user: UserID) throws(StorageError) -> ExplainedRow {
        try profile(of: user).row
    }

    func addFieldFacts(
        about peer: UserID, to rung: inout ExplainedRung
    ) throws(StorageError) {
        switch rung.kind {
        case .fieldChoice:
            rung.rows = [try profileRow(of: peer)]
            guard let audience, audience.isChosen else { return }
            rung.value = audience.visibility.name ?? ""
            rung.rows += try members(of: audience.visibility, audience.groups, of: peer)
        case .fieldDefault:
            guard let audience, !audience.isChosen else { return }
            rung.value = audience.visibility.name ?? ""
            rung.setting = (FieldDefaults.setting(of: audience.visibility), true)
            rung.rows = try members(of: audience.visibility, [], of: peer)
            guard audience.isBounded, let profile else { return }
            rung.rows += try members(of: profile.visibility, [], of: peer)
        case .profileAudience:
            rung.rows = [try profileRow(of: peer)]
            let chosen = profile?.visibility ?? .notSet
            let visibility = app.settings.visibility(chosen: chosen)
            if chosen == .notSet { rung.setting = ("default_visibility", true) }
            rung.value = visibility.name ?? ""
            rung.rows += try members(of: visibility, [], of: peer)
        case .fieldReview:
            rung.rows = [try profileRow(of: peer)]
            rung.value = review?.state.name ?? ""
        case .fieldValue:
            rung.value = hasValue ? "" : FieldAccessState.notSet.name ?? ""
        case .loggedEvent:
            let record = try userRecord(of: peer)
            rung.bound = (sequence, record?.sequence ?? 0)
            rung.rows = [try self.record(of: peer)]
        case .eventKind: rung.value = eventKind.name ?? ""
        case .eventReceiver:
            rung.rows = [try friend(peer, of: caller), try subscription(to: peer)]
        default: return
        }
    }

    /// The rows by which the caller is one of the users for whom something of `owner` is.
    private func members(
        of visibility: Visibility, _ groups: [UInt32], of owner: UserID
    ) throws(StorageError) -> [ExplainedRow] {
        switch visibility {
        case .friends: return [try friend(caller, of: owner)]
        case .followers: return [try follow(of: owner, by: caller)]
        case .groups:
            let partition = app.partition(of: owner)
            let sequence = try userRecord(of: owner)?.groupsSequence ?? 0
            return try groups.map { (group) throws(StorageError) in
                let isMember = try Tables.groupMembers.contains(
                    partition, GroupMember(group: group, user: caller), in: transaction)
                return ExplainedRow(
                    owner: owner, other: caller, isPresent: isMember, sequence: sequence)
            }
        default: return []
        }
    }

    /// The caller's subscription to the peer's profile; one that has expired is not present.
    private func subscription(to peer: UserID) throws(StorageError) -> ExplainedRow {
        let found = try Subscriptions.records(
            of: caller, to: [peer], .userProfile, at: now, app: app, in: transaction)
        let row = found.first ?? nil
        return ExplainedRow(
            owner: caller, other: peer, isPresent: row != nil,
            sequence: try userRecord(of: caller)?.subscriptionsSequence ?? 0,
            addTimeMs: row?.subscribeTimeMs ?? 0, endTimeMs: row?.expireTimeMs ?? 0)
    }
}

extension FieldDefaults {
    /// The name of the setting that lists fields for those users.
    fileprivate static func setting(of visibility: Visibility) -> String {
        switch visibility {
        case .everyone: "field_defaults.everyone"
        case .friends: "field_defaults.friends"
        case .followers: "field_defaults.followers"
        default: "field_defaults.oneself"
        }
    }
}

extension ProfileView {
    /// The reason for which the viewer does not see the field of that path.
    fileprivate func hiddenState(path: String, _ settings: AppSettings) -> FieldAccessState {
        if let field = ProfileField(named: path) { return hiddenState(field) }
        guard let key = CustomPath.key(in: path),
            let field = settings.customField(key, of: .profile)
        else { return .hidden }
        return hiddenState(field)
    }
}
