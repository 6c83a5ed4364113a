import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import Storage

/// The fields of a friend that a read mask can name.
enum FriendField: String, CaseIterable {
    case userID = "user_id"
    case remark
    case groups
    case addSource = "add_source"
    case addWording = "add_wording"
    case addTime = "add_time_ms"
    case remarkTime = "remark_time_ms"
    case sequence
    case custom
    case displayName = "display_name"
    case section
    case profile
}

/// The visible part of friends' rows in an answer: the fields of the read mask, without the custom
/// values that the caller may not read.
struct FriendMask {
    /// The fields of the read mask; nil for an empty mask, which means all fields.
    private let fields: Set<FriendField>?
    /// The keys of stored custom fields that the caller does not see: fields that are retired, and
    /// fields that only administrators read.
    private let hidden: [String]

    init(_ mask: FieldMask?, _ field: String, _ call: Call, _ faults: inout Violations) {
        let paths = mask?.paths ?? []
        if paths.count > Limits.maskPaths {
            faults.add(
                field, "names \(paths.count) paths; at most \(Limits.maskPaths) may be named")
        }
        var named: Set<FriendField> = []
        for path in paths {
            if let field = FriendField(rawValue: path) {
                named.insert(field)
            } else {
                faults.add(field, "a friend has no field \"\(path.echoed(atMost: 64))\"")
            }
        }
        self.init(fields: paths.isEmpty ? nil : named, call)
    }

    /// - Parameter fields: The fields to show of a row; nil shows all.
    init(fields: Set<FriendField>? = nil, _ call: Call) {
        self.fields = fields
        hidden = call.app.settings.customFields
            .filter { $0.owner == .friend && ($0.isRetired || !($0.isReadable || call.isAdmin)) }
            .map(\.key)
    }

    static func withoutCustom(_ call: Call) -> FriendMask {
        FriendMask(fields: Set(FriendField.allCases).subtracting([.custom]), call)
    }

    func contains(_ field: FriendField) -> Bool {
        fields?.contains(field) ?? true
    }

    /// The custom values that the caller may read.
    func visible(_ custom: [CustomValue]) -> [CustomValue] {
        guard contains(.custom) else { return [] }
        return custom.filter { custom in !hidden.contains { $0.isExactly(custom.key) } }
    }

    /// Returns the stored rows as the answer shows them.
    ///
    /// A row is decoded only if the mask hides a part of it.
    func apply(
        to rows: [Encoded<Friend>], _ arena: Arena
    ) throws(StorageError) -> [Encoded<Friend>] {
        guard fields != nil || !hidden.isEmpty else { return rows }
        let coder = Coder(Friend.self)
        var masked: [Encoded<Friend>] = []
        masked.reserveCapacity(rows.count)
        for row in rows {
            let record = row.withBytes { Tables.friends.decode($0, in: arena) }
            guard let record else {
                throw StorageError(.corrupted, "a friend's row does not decode")
            }
            do throws(CodecError) {
                masked.append(try arena.encoded(try coder.bytes(Friend(record, self), arena)))
            } catch {
                throw StorageError(.failed, "a friend's row does not encode: \(error)")
            }
        }
        return masked
    }
}

extension Friend {
    /// The record as the contract shows it; the id is always set, to tell rows apart.
    init(_ record: FriendRecord, _ mask: FriendMask) {
        self.init()
        userID = record.userID
        if mask.contains(.remark) { remark = record.remark }
        if mask.contains(.groups) { groups = record.groups }
        if mask.contains(.addSource) { addSource = record.addSource }
        if mask.contains(.addWording) { addWording = record.addWording }
        if mask.contains(.addTime) { addTimeMs = record.addTimeMs }
        if mask.contains(.remarkTime) { remarkTimeMs = record.remarkTimeMs }
        if mask.contains(.sequence) { sequence = record.sequence }
        custom = mask.visible(record.custom)
    }
}
