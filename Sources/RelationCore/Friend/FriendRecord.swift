package import Protobuf
package import RelationModel

/// One user in another's friend list.
///
/// Its fields are those of the contract's `Friend`, one by one, so that a page of friends consists
/// of stored bytes that no code decodes. A test compares the two descriptions.
package struct FriendRecord: CodedMessage, Equatable {
    package var userID = ""
    package var remark = ""
    package var groups: [String] = []
    package var source = ""
    package var wording = ""
    package var addTimeMs: Int64 = 0
    package var remarkTimeMs: Int64 = 0
    /// The owner's sequence at the last change of this row.
    package var sequence: Int64 = 0
    /// The values of custom fields, in the order of their keys; no element is without a value.
    package var custom: [CustomValue] = []
    package var starred = false
    /// The position among the pinned friends; 0 if the friend is not pinned.
    package var pinOrder: Int32 = 0
    package var muteUntilMs: Int64 = 0
    package var ignored = false

    package init() {}

    /// Whether the friend is muted, perhaps no longer, or ignored.
    ///
    /// Then the friend's own rows mention it: see ``Mention/List/muting``.
    package var isMuting: Bool { muteUntilMs != 0 || ignored }

    /// Whether the friend is muted at that time.
    package func isMuted(at now: Timestamp) -> Bool { muteUntilMs > now.milliseconds }

    package static let schema = Schema("relation.store.Friend", FriendRecord.self)

    /// The number of `custom`.
    package static let customNumber: UInt32 = 9

    /// As many bytes as the encoding has, or a few more, whatever the sequence becomes.
    ///
    /// A count of the exact number would visit all fields.
    var bytesBound: Int {
        guard custom.isEmpty else {
            var row = self
            row.sequence = .max
            return row.bytesAtMost
        }
        let hasMarks = starred || pinOrder != 0 || isMuting
        let numbers = 3 * 11 + (hasMarks ? 22 : 0)
        let texts = [userID, remark, source, wording].reduce(0) {
            $0 + EncodedFields.bytes(ofField: $1)
        }
        return groups.reduce(numbers + texts) { $0 + 6 + $1.utf8.count }
    }

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "source", &source)
        visitor.field(5, "wording", &wording)
        visitor.field(6, "add_time_ms", &addTimeMs)
        visitor.field(7, "remark_time_ms", &remarkTimeMs)
        visitor.field(8, "sequence", &sequence)
        visitor.field(Self.customNumber, "custom", &custom)
        visitor.field(13, "starred", &starred)
        visitor.field(14, "pin_order", &pinOrder)
        visitor.field(15, "mute_until_ms", &muteUntilMs)
        visitor.field(16, "ignored", &ignored)
    }
}

/// The numbers of a ``FriendRecord`` by which lists are put in order, and its marks.
struct FriendSortKey {
    private(set) var addTimeMs: Int64 = 0
    private(set) var sequence: Int64 = 0
    private var starred = false
    private(set) var pinOrder: Int64 = 0
    private var muteUntilMs: Int64 = 0
    private var ignored = false

    /// The numbers in an encoded row; nil if the bytes are not a row.
    ///
    /// A walk finds them: to order a list costs one step for each of its rows, and to decode them
    /// would cost ten times as much.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var walk = FieldWalk(bytes)
        do throws(CodecError) {
            while let field = try walk.next() {
                guard case .varint(let value) = field.value else { continue }
                switch field.number {
                case 6: addTimeMs = Int64(bitPattern: value)
                case 8: sequence = Int64(bitPattern: value)
                case 13: starred = value != 0
                case 14: pinOrder = Int64(bitPattern: value)
                case 15: muteUntilMs = Int64(bitPattern: value)
                case 16: ignored = value != 0
                default: break
                }
            }
        } catch {
            return nil
        }
    }

    /// Whether the row has the mark at that time; each row has no mark, ``FriendMark/unspecified``.
    func has(_ mark: FriendMark, at now: Timestamp) -> Bool {
        switch mark {
        case .starred: starred
        case .pinned: pinOrder != 0
        case .muted: muteUntilMs > now.milliseconds
        case .ignored: ignored
        default: true
        }
    }
}

/// The beginning of a ``FriendRecord``, for readers that need nothing else of it.
package struct FriendNameRecord: CodedMessage, Equatable {
    package var userID = ""
    package var remark = ""

    package init() {}

    package static let schema = Schema("relation.store.FriendName", FriendNameRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "remark", &remark)
    }
}
