package import Memory
package import Protobuf
package import RelationModel
import Storage

/// A profile in the form from which answers are put together: encoded fields, and the facts that
/// decide which of them a viewer sees.
///
/// The codec has checked the row before, so nothing here is malformed.
package final class StoredProfile: Sendable {
    /// The end of one field in ``bytes``.
    package struct Part: Sendable {
        package let number: UInt32
        package let end: Int
    }

    /// A custom value, and its field as a profile has it on the wire.
    package struct Custom: Sendable {
        package let value: CustomValue
        package let bytes: [UInt8]
        /// Where the tag of the value stands in ``bytes``, if the value is UTF-8.
        fileprivate let tagOfText: Int?

        /// Appends the field as answers show it.
        package func append(as field: CustomField, to splice: inout Splice) {
            bytes.withUnsafeBytes { bytes in
                guard field.type == .string, let tagOfText else { return splice.append(bytes) }
                splice.append(UnsafeRawBufferPointer(rebasing: bytes[..<tagOfText]))
                withUnsafeBytes(of: CustomTag.text) { splice.append($0) }
                splice.append(UnsafeRawBufferPointer(rebasing: bytes[(tagOfText + 1)...]))
            }
        }
    }

    /// The visibility that the user chose.
    package let choice: Visibility
    package let versions: ProfileVersions
    /// The fields that have or had a choice of their own.
    package var fieldChoices: [FieldChoiceRecord] { versions.fields }
    package let birthday: UInt32?
    /// The fields that have a value; the age is never among them.
    package let fields: ProfileFields
    /// The fields of the contract's `Profile` that are stored, without the version and the custom
    /// values, in the order of their numbers.
    ///
    /// A field without presence is not here if its value is that of an absent field.
    package let bytes: [UInt8]
    /// The fields in ``bytes``.
    package let parts: [Part]
    /// The fields that have a part.
    package let written: ProfileFields
    /// The end of the fields that come before the version.
    package let versionOffset: Int
    /// The custom values, those of retired fields included.
    package let custom: [Custom]

    /// The profile of a user that never set anything.
    package static let empty = StoredProfile()

    private init() {
        choice = .notSet
        versions = ProfileVersions(own: 0, open: nil, card: nil, fields: [])
        birthday = nil
        (fields, written) = ([], [])
        (bytes, parts, custom) = ([], [], [])
        versionOffset = 0
    }

    /// - Throws: ``StorageError`` if the record does not encode.
    package init(_ record: ProfileRecord, _ arena: Arena) throws(StorageError) {
        choice = record.visibility
        versions = record.versions
        birthday = record.birthday
        fields = record.setFields
        bytes = try Tables.profiles.encode(record.withoutAbsent(), in: arena)
        parts = Self.parts(of: bytes)
        var written: UInt32 = 0
        for part in parts { written |= 1 << part.number }
        self.written = ProfileFields(rawValue: written)
        versionOffset = parts.last { $0.number < Self.versionNumber }?.end ?? 0
        var custom: [Custom] = []
        for value in record.custom {
            var row = ProfileRecord()
            row.custom = [value]
            let bytes = try Tables.profiles.encode(row, in: arena)
            custom.append(
                Custom(value: value, bytes: bytes, tagOfText: Self.tagOfText(value, in: bytes)))
        }
        self.custom = custom
    }

    /// Where the tag of a text stands in the field that has it; nil for a value that is not text.
    ///
    /// The text stands last, after its tag and its length.
    private static func tagOfText(_ value: CustomValue, in bytes: [UInt8]) -> Int? {
        guard let count = value.value?.countOfText else { return nil }
        var lengthBytes = 1
        while count >> (7 * lengthBytes) > 0 { lengthBytes += 1 }
        return bytes.count - count - lengthBytes - 1
    }

    /// The number of a profile's version.
    private static let versionNumber: UInt32 = 14

    private static func parts(of bytes: [UInt8]) -> [Part] {
        bytes.withUnsafeBytes { bytes in
            var parts: [Part] = []
            var walk = FieldWalk(bytes)
            // The codec wrote the bytes, so the walk does not fail.
            while let field = try? walk.next() {
                parts.append(Part(number: field.number, end: walk.offset))
            }
            return parts
        }
    }

    /// The memory that it takes, roughly.
    package var cost: Int {
        let choices = fieldChoices.reduce(0) {
            $0 + 120 + $1.path.utf8.count + 4 * ($1.groups.count + $1.formerGroups.count)
        }
        return custom.reduce(300 + bytes.count + 16 * parts.count + choices) {
            $0 + 160 + 2 * $1.bytes.count
        }
    }
}

extension ProfileRecord {
    /// The fields that have a value.
    fileprivate var setFields: ProfileFields {
        let today = CalendarDay(of: Timestamp(milliseconds: 0))
        return ProfileFields(ProfileField.stored.filter { $0.isSet(in: self, on: today) })
    }

    /// The fields that answers show, but for version and custom values, and without those that an
    /// answer does not show because their value is that of an absent field.
    fileprivate func withoutAbsent() -> ProfileRecord {
        var shown = ProfileRecord()
        for field in ProfileField.stored { field.copy(from: self, to: &shown) }
        if shown.birthday == 0 { shown.birthday = nil }
        if shown.location == [] { shown.location = nil }
        if shown.selfSignature == [] { shown.selfSignature = nil }
        for text in Self.texts where shown[keyPath: text] == "" { shown[keyPath: text] = nil }
        return shown
    }

    private static var texts: [WritableKeyPath<ProfileRecord, String?>] {
        [
            \.nick, \.faceURL, \.uniqueID, \.email, \.birthdayText, \.locationText, \.name,
            \.firstName, \.middleName, \.lastName, \.link, \.username, \.locale, \.pictureURL,
        ]
    }
}
