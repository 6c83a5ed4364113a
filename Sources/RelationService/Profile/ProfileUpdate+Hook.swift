import RelationAPI
import RelationCalls
import RelationCore
import RelationHooks
import RelationModel

extension ProfileHandlers {
    /// The part of UpdateProfile that a hook is asked about: the user itself, with the texts that
    /// the call writes.
    static func subject(
        _ request: UpdateProfileRequest, _ call: Call, _ judgement: HookJudgement
    ) -> HookSubject? {
        var fieldViolations = Violations()
        let update = ProfileUpdate(request, call, &fieldViolations, judgement)
        guard fieldViolations.isEmpty, update.violations.isEmpty else { return nil }
        return HookSubject(.updateProfile, call, [[0]]) { _ in
            var item = HookAsk.Item(call.user.text)
            item.texts = update.texts
            item.fields = update.fields.map(\.name)
            item.fields += update.customKeys.map { CustomPath.prefix + $0 }
            return item
        }
    }
}

extension ProfileUpdate {
    /// Reads the update that a request asks for, with the texts that a hook gives it.
    init(
        _ request: UpdateProfileRequest, _ call: Call, _ fieldViolations: inout Violations,
        _ judgement: HookJudgement
    ) {
        self.init(request, call, &fieldViolations)
        guard fieldViolations.isEmpty, violations.isEmpty, let texts = judgement.texts[0] else {
            return
        }
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { replace(name, by: text) }
    }

    /// The texts that the update writes, by the paths of their fields; one that it clears is empty.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        for field in fields {
            guard let text = text(of: field) else { continue }
            texts[field.name] = text
        }
        let custom = customKeys.map { key in
            var value = CustomValue()
            value.key = key
            value.value = values.custom.first { $0.key.isExactly(key) }?.value
            return value
        }
        return texts.merging(settings.texts(of: custom, .profile)) { _, text in text }
    }

    /// The text of a field; nil if the field has none, or bytes that are not text.
    private func text(of field: ProfileField) -> String? {
        switch field {
        case .nick: values.nick ?? ""
        case .faceURL: values.faceURL ?? ""
        case .location: String(validating: values.location ?? [], as: UTF8.self)
        case .selfSignature: String(validating: values.selfSignature ?? [], as: UTF8.self)
        case .email: values.email ?? ""
        case .birthdayText: values.birthdayText ?? ""
        case .locationText: values.locationText ?? ""
        case .name: values.name ?? ""
        case .firstName: values.firstName ?? ""
        case .middleName: values.middleName ?? ""
        case .lastName: values.lastName ?? ""
        case .link: values.link ?? ""
        case .username: values.username ?? ""
        case .pictureURL: values.pictureURL ?? ""
        default: nil
        }
    }
}
