import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// Fields of ``Friend``, as read masks name them: a bit for the number of each.
struct FriendFields: OptionSet {
    let rawValue: UInt64

    static let userID = known("user_id")
    static let custom = known("custom")
    static let displayName = known("display_name")
    static let section = known("section")
    static let profile = known("profile")
    static let all = FriendFields(rawValue: .max)
    /// The fields that only lists and searches answer.
    static let ofLists: FriendFields = [.displayName, .section]

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The field of that name; nil if a friend has no such field.
    init?(named name: String) {
        let field = Friend.schema.fields.first { $0.name.isExactly(name) }
        guard let field else { return nil }
        rawValue = 1 << UInt64(field.number)
    }

    private static func known(_ name: String) -> FriendFields {
        guard let field = FriendFields(named: name) else {
            preconditionFailure("a friend has no field \(name)")
        }
        return field
    }
}

/// The visible part of friends' rows in an answer: the fields of the read mask, without the custom
/// values that the caller may not read.
struct FriendMask {
    /// The fields of the read mask; nil for an empty mask, which means all fields.
    private let fields: FriendFields?
    /// The keys of stored custom fields that the caller does not see: fields that are retired, and
    /// fields that only administrators read.
    private let hidden: [String]
    private let texts: CustomTexts

    /// - Parameters:
    ///   - field: The mask's own name in the request.
    ///   - answered: The fields that the call answers if they are asked for.
    init(
        _ mask: FieldMask?, _ field: String, of answered: FriendFields = .all, _ call: Call,
        _ violations: inout Violations
    ) {
        let paths = violations.paths(of: mask, field)
        var named: FriendFields = []
        for path in paths {
            switch FriendFields(named: path) {
            case let one? where answered.contains(one): named.insert(one)
            case .some: violations.add(field, "\"\(path)\" is a field that only lists answer")
            case nil:
                violations.add(path: path, in: field, "is not a field of a friend") {
                    FriendFields(named: $0) != nil
                }
            }
        }
        self.init(fields: paths.isEmpty ? nil : named, call)
    }

    /// - Parameter fields: The fields to show of a row; nil shows all.
    init(fields: FriendFields? = nil, _ call: Call) {
        self.fields = fields
        hidden = call.app.customFields
            .filter { $0.owner == .friend && ($0.isRetired || !($0.isReadable || call.isAdmin)) }
            .map(\.key)
        texts = CustomTexts(of: .friend, call.app.settings)
    }

    static func withoutCustom(_ call: Call) -> FriendMask {
        FriendMask(fields: .all.subtracting(.custom), call)
    }

    func contains(_ field: FriendFields) -> Bool {
        fields?.contains(field) ?? true
    }

    /// Empties the fields that the answer does not show; it always shows the id, to tell rows
    /// apart.
    func apply(to friend: inout Friend) {
        if let fields { friend.eraseFields(except: fields.union(.userID).rawValue) }
        if !hidden.isEmpty {
            friend.custom.removeAll { value in hidden.contains { $0.isExactly(value.key) } }
        }
        texts.show(in: &friend.custom)
    }

    /// Returns the stored rows as the answer shows them.
    ///
    /// A row is decoded only if the mask hides a part of it.
    func apply(
        to rows: [Encoded<Friend>], _ arena: Arena
    ) throws(StorageError) -> [Encoded<Friend>] {
        guard fields != nil || !hidden.isEmpty else { return try showTexts(in: rows, arena) }
        let coder = Coder(Friend.self)
        var masked: [Encoded<Friend>] = []
        masked.reserveCapacity(rows.count)
        for row in rows {
            let record = row.withBytes { FriendList.record($0, in: arena) }
            guard let record else {
                throw StorageError.damaged("a friend's row does not decode")
            }
            do throws(CodecError) {
                masked.append(try arena.encoded(try coder.bytes(Friend(record, self), arena)))
            } catch {
                throw StorageError.unanswerable("a friend's row does not encode: \(error)")
            }
        }
        return masked
    }

    /// The whole rows, with their texts shown.
    private func showTexts(
        in rows: [Encoded<Friend>], _ arena: Arena
    ) throws(StorageError) -> [Encoded<Friend>] {
        guard !texts.isEmpty else { return rows }
        var shown = rows
        for index in rows.indices {
            do throws(CodecError) {
                let bytes = try rows[index].withBytes { (bytes) throws(CodecError) in
                    try texts.shown(bytes, path: [FriendRecord.customNumber], arena)
                }
                if let bytes { shown[index] = Encoded(borrowing: bytes) }
            } catch {
                throw StorageError.unanswerable("a friend's row cannot be shown: \(error)")
            }
        }
        return shown
    }
}

extension Friend {
    /// The record with all stored fields.
    init(whole record: FriendRecord) {
        self.init()
        userID = record.userID
        remark = record.remark
        groups = record.groups
        source = record.source
        wording = record.wording
        addTimeMs = record.addTimeMs
        remarkTimeMs = record.remarkTimeMs
        sequence = record.sequence
        custom = record.custom
        starred = record.starred
        pinOrder = record.pinOrder
        muteUntilMs = record.muteUntilMs
        ignored = record.ignored
    }

    /// The record as an answer with `mask` shows it.
    init(_ record: FriendRecord, _ mask: FriendMask) {
        self.init(whole: record)
        mask.apply(to: &self)
    }
}
