import RelationAPI
import RelationModel
import TextFiles

/// The rules of an import, by the app and the custom fields with which an export begins.
///
/// The server checks the same: changes that were made under other settings may have texts that are
/// longer, and fields that are not defined.
struct RowRules {
    private let limits: AppLimitsMessage
    private let highest: AppLimitsMessage
    private let preset: AppLimits
    private let keepsTIMValues: Bool
    private var friendFields: [String: CustomFieldType] = [:]
    private var profileFields: [String: CustomFieldType] = [:]

    /// A field of a row, and the rule that it breaks.
    typealias Finding = (field: String, rule: PlainText)

    init(_ beginning: ExportBeginning) {
        let app = beginning.app
        limits = app.settings?.limits ?? AppLimitsMessage()
        highest = app.highest?.limits ?? AppLimitsMessage()
        preset = app.preset == .rongCloud ? .rongCloud : .tim
        keepsTIMValues =
            app.settings?.keepsTIMValues ?? false || app.highest?.keepsTIMValues ?? false
        for field in beginning.customFields {
            if field.owner == .friend {
                friendFields[field.key] = field.valueType
            } else {
                profileFields[field.key] = field.valueType
            }
        }
    }

    /// Names the rows that break a rule, each with its fields.
    ///
    /// - Returns: How many there are.
    func named(_ rows: Set<ExportAppResponse>) -> Int64 {
        let broken = rows.map { (position: ExportPosition($0, isLast: false), row: $0) }
            .map { ($0.position, Self.name(of: $0.row), findings(in: $0.row)) }
            .filter { !$0.2.isEmpty }
            .sorted { $0.0 < $1.0 }
        for (_, name, findings) in broken {
            for finding in findings {
                StandardError.print("apply-changes: \(name): \(finding.field): \(finding.rule)")
            }
        }
        return Int64(broken.count)
    }

    private static func name(of row: ExportAppResponse) -> PlainText {
        switch row.row {
        case .profile(let row): "the profile of user \(row.profile?.userID ?? "")"
        case .group(let row): "the group \(row.group?.name ?? "") of user \(row.userID)"
        case .friendEntry(let row): "the friend \(row.entry?.userID ?? "") of user \(row.userID)"
        case .application(let row):
            "the application of user \(row.userID) with \(row.application?.userID ?? "")"
        default: "a row"
        }
    }

    /// The rules that a row of a history breaks.
    private func findings(in row: ExportAppResponse) -> [Finding] {
        switch row.row {
        case .profile(let row): findings(in: row.profile ?? Profile())
        case .group(let row): tooLong("group.name", row.group?.name ?? "", groupName)
        case .friendEntry(let row): findings(in: row.entry ?? Friend())
        case .application(let row):
            tooLong("application.wording", row.application?.wording ?? "", wording)
                + wrongSource("application.source", row.application?.source ?? "")
        default: []
        }
    }

    private func findings(in friend: Friend) -> [Finding] {
        var found = tooLong("entry.remark", friend.remark, limit(\.remark, preset.remark))
        found += tooLong("entry.wording", friend.wording, wording)
        found += wrongSource("entry.source", friend.source)
        let most = highest.groups ?? limits.groups ?? UInt32(preset.groups)
        if friend.groups.count > most {
            found.append(("entry.groups", "are more than the \(most) that the app allows"))
        }
        return found + findings(in: friend.custom, friendFields, "entry.custom")
    }

    private func findings(in profile: Profile) -> [Finding] {
        let nick = limit(\.nick, preset.nick)
        let address = limit(\.faceURL, preset.faceURL)
        let texts: [(String, String, TextLimit)] = [
            ("nick", profile.nick, nick), ("face_url", profile.faceURL, address),
            ("unique_id", profile.uniqueID, limit(\.uniqueID, preset.uniqueID)),
            ("email", profile.email, limit(\.email, preset.email)),
            ("birthday_text", profile.birthdayText, limit(\.birthdayText, preset.birthdayText)),
            ("location_text", profile.locationText, limit(\.locationText, preset.locationText)),
            ("name", profile.name, nick), ("first_name", profile.firstName, nick),
            ("middle_name", profile.middleName, nick), ("last_name", profile.lastName, nick),
            ("link", profile.link, address), ("username", profile.username, nick),
            ("picture_url", profile.pictureURL, address),
        ]
        var found = texts.flatMap { tooLong("profile.\($0)", $1, $2) }
        let signature = limit(\.selfSignature, preset.selfSignature).count
        let location = limit(\.locationBytes, .bytes(preset.locationBytes)).count
        for (field, count, most) in [
            ("profile.self_signature", profile.selfSignature.count, signature),
            ("profile.location", profile.location.count, location),
        ] where count > most {
            found.append((field, "is longer than the \(most) bytes that the app allows"))
        }
        let isDay = profile.birthday == 0 || CalendarDay(yyyymmdd: profile.birthday) != nil
        if !isDay, !keepsTIMValues { found.append(("profile.birthday", "is not a day")) }
        return found + findings(in: profile.custom, profileFields, "profile.custom")
    }

    private func findings(
        in values: [CustomValue], _ fields: [String: CustomFieldType], _ path: String
    ) -> [Finding] {
        let most = limit(\.customValue, preset.customValue)
        return values.flatMap { value -> [Finding] in
            let path = "\(path).\(value.key)"
            guard let type = fields[value.key] else {
                return [(path, "is a field that the app has not defined")]
            }
            switch (type, value.value) {
            case (.string, .text(let text)): return tooLong(path, text, most)
            case (.string, .data(let bytes)):
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    return [(path, "is not a text")]
                }
                return tooLong(path, text, most)
            case (.bytes, .data(let bytes)):
                guard bytes.count > most.count else { return [] }
                return [(path, "is longer than the \(most.count) bytes that the app allows")]
            case (.uint64, .number): return []
            default: return [(path, "has a value of another kind than the app has defined")]
            }
        }
    }

    // MARK: Limits

    private var wording: TextLimit { limit(\.wording, preset.wording) }
    private var groupName: TextLimit { limit(\.groupName, preset.groupName) }

    /// The highest length that a text ever had in the app.
    private func limit(
        _ name: KeyPath<AppLimitsMessage, UInt32?>, _ preset: TextLimit
    ) -> TextLimit {
        guard let count = highest[keyPath: name] ?? limits[keyPath: name] else { return preset }
        return preset.counting(Int(count))
    }

    private func tooLong(_ field: String, _ text: String, _ limit: TextLimit) -> [Finding] {
        guard !limit.allows(text) else { return [] }
        let unit: PlainText = limit.unit == .bytes ? "bytes" : "characters"
        return [(field, "is longer than the \(limit.count) \(unit) that the app allows")]
    }

    private func wrongSource(_ field: String, _ source: String) -> [Finding] {
        guard AddSource.stored(source, keepsTIMValues ? .texts : .letters) == nil else { return [] }
        guard !keepsTIMValues else {
            return [(field, "is not AddSource_Type_ and 1 to 8 bytes without control characters")]
        }
        return [(field, "is not AddSource_Type_ and 1 to 8 letters")]
    }
}
