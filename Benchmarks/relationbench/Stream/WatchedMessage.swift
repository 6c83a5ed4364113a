import Protobuf
import RelationModel

/// The parts of one message of a stream of changes that a measurement needs.
///
/// They are looked up in the encoding. To decode it would cost the load's processor more than the
/// server spends.
struct WatchedMessage: Equatable {
    /// Whether it has a token to go on from.
    ///
    /// The last message of the present state has one, and so has every later message.
    var hasToken = false
    var kind = ChangeKind.unspecified
    /// The event's number in its user's log; 0 for an event that is in no log.
    var sequence: Int64 = 0

    /// - Throws: ``FloodError`` if the bytes are not an encoding of a message.
    init(_ bytes: UnsafeRawBufferPointer) throws(FloodError) {
        do throws(CodecError) {
            var fields = FieldWalk(bytes)
            while let field = try fields.next() {
                switch (field.number, field.value) {
                case (1, .bytes(let text)): hasToken = !text.isEmpty
                case (2, .bytes(let event)): try readEvent(event)
                default: break
                }
            }
        } catch { throw FloodError("a message of a stream: \(error)") }
    }

    private mutating func readEvent(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        var fields = FieldWalk(bytes)
        while let field = try fields.next() {
            switch (field.number, field.value) {
            case (1, .varint(let value)):
                kind = ChangeKind(rawValue: Int32(truncatingIfNeeded: value))
            case (8, .varint(let value)): sequence = Int64(truncatingIfNeeded: value)
            default: break
            }
        }
    }
}
