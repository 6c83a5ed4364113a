import RelationModel

/// A value of a field, of a profile or of a friend's row, that people can read: a text, or bytes
/// that may be one.
package struct ReviewedValue: Equatable, Sendable {
    package var text = ""
    /// Bytes that are not text; empty if the value is one.
    package var data: [UInt8] = []

    package init(text: String = "", data: [UInt8] = []) {
        (self.text, self.data) = (text, data)
    }

    package init(bytes: [UInt8]) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self.init(text: text)
        } else {
            self.init(data: bytes)
        }
    }

    /// The value of a custom field, empty if it has none; nil if it is a number.
    init?(_ value: CustomValue.Value?) {
        switch value {
        case .data(let bytes): self.init(bytes: bytes)
        case .text(let text): self.init(text: text)
        case .number: return nil
        case nil: self.init()
        }
    }

    package var bytes: [UInt8] { data.isEmpty ? Array(text.utf8) : data }
    package var isEmpty: Bool { text.isEmpty && data.isEmpty }

    /// Two texts of the same letters in other bytes are two values.
    package static func == (one: ReviewedValue, other: ReviewedValue) -> Bool {
        one.bytes == other.bytes
    }

    /// Whether the values of the field are such values.
    package static func mayBe(of field: ProfileField) -> Bool {
        field == .selfSignature || path(of: field) != nil
    }

    /// The value of the field of that path in `record`, empty if it has none; nil if the field has
    /// values of other kinds.
    package init?(of path: String, in record: ProfileRecord) {
        if let key = CustomPath.key(in: path) {
            self.init(record.custom.value(of: key))
        } else if let field = ProfileField(named: path), Self.mayBe(of: field) {
            if let text = Self.path(of: field) {
                self.init(text: record[keyPath: text] ?? "")
            } else {
                self.init(bytes: record.selfSignature ?? [])
            }
        } else {
            return nil
        }
    }

    /// Makes it the value of the field of that path.
    package func set(at path: String, into record: inout ProfileRecord) {
        if let key = CustomPath.key(in: path) {
            record.custom.set(isEmpty ? nil : .data(bytes), of: key)
        } else if let field = ProfileField(named: path), Self.mayBe(of: field) {
            if let text = Self.path(of: field) {
                record[keyPath: text] = isEmpty ? nil : self.text
            } else {
                record.selfSignature = isEmpty ? nil : bytes
            }
        }
    }

    private static func path(of field: ProfileField) -> WritableKeyPath<ProfileRecord, String?>? {
        switch field {
        case .nick: \.nick
        case .faceURL: \.faceURL
        case .email: \.email
        case .birthdayText: \.birthdayText
        case .locationText: \.locationText
        case .name: \.name
        case .firstName: \.firstName
        case .middleName: \.middleName
        case .lastName: \.lastName
        case .link: \.link
        case .username: \.username
        case .pictureURL: \.pictureURL
        case .allowType, .gender, .birthday, .location, .language, .level, .role, .selfSignature,
            .msgSettings, .adminForbidType, .uniqueID, .locale, .ageRange:
            nil
        }
    }
}
