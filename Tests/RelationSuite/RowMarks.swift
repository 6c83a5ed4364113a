package import RelationCore

/// The marks of a friend's row, as an oracle keeps them.
package struct RowMarks: Equatable, Sendable {
    package var starred = false
    package var pinOrder: Int32 = 0
    package var muteUntilMs: Int64 = 0
    package var ignored = false

    package init() {}

    init(_ record: FriendRecord) {
        starred = record.starred
        pinOrder = record.pinOrder
        muteUntilMs = record.muteUntilMs
        ignored = record.ignored
    }

    /// Takes the marks that `values` give.
    mutating func apply(_ values: FriendValues) {
        starred = values.starred ?? starred
        pinOrder = values.pinOrder ?? pinOrder
        muteUntilMs = values.muteUntilMs ?? muteUntilMs
        ignored = values.ignored ?? ignored
    }
}

extension FriendValues {
    /// Gives all of `marks`.
    package mutating func apply(_ marks: RowMarks) {
        starred = marks.starred
        pinOrder = marks.pinOrder
        muteUntilMs = marks.muteUntilMs
        ignored = marks.ignored
    }
}
