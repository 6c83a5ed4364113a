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

    package init() {}

    package static let schema = Schema("relation.store.Friend", FriendRecord.self)

    /// The number of `custom`, which stands last in a row.
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
        let numbers = 3 * 11
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
    }
}

/// The numbers of a ``FriendRecord`` by which lists are put in order.
struct FriendSortKey {
    private(set) var addTimeMs: Int64 = 0
    private(set) var sequence: Int64 = 0

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
                default: break
                }
            }
        } catch {
            return nil
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
