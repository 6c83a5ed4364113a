package import RelationModel

/// The values of a friend's row that a caller chooses.
///
/// A row that exists keeps its own value in the place of a nil; a new row has none there.
package struct FriendValues {
    package var remark: String?
    /// The time of the remark; nil is the time at which it changes.
    package var remarkTimeMs: Int64?
    /// The groups that replace the row's.
    package var groups: [String]?
    /// In the stored form, once the values have been checked.
    package var source: String?
    package var wording: String?
    /// The time of the friendship; nil is the time at which the row is made.
    package var addTimeMs: Int64?
    /// Custom values that replace those of the same keys; one without a value removes its key.
    package var custom: [CustomValue] = []
    package var starred: Bool?
    package var pinOrder: Int32?
    package var muteUntilMs: Int64?
    package var ignored: Bool?

    package init() {}

    /// The first group; empty if there is none.
    package var group: String {
        get { groups?.first ?? "" }
        set { groups = newValue.isEmpty ? [] : [newValue] }
    }

    /// Whether a text holds a word that the app forbids.
    func areForbidden(by settings: AppSettings) -> Bool {
        if let remark, settings.forbids(remark) { return true }
        if let wording, settings.forbids(wording) { return true }
        if let groups, groups.contains(where: { settings.forbids($0) }) { return true }
        return !custom.isEmpty && custom.texts.contains(where: { settings.forbids($0) })
    }
}

extension FriendValues: Equatable {
    /// Whether the values are the same bytes: an absent text differs from an empty one.
    package static func == (one: FriendValues, other: FriendValues) -> Bool {
        one.remark.isExactly(other.remark) && one.source.isExactly(other.source)
            && one.wording.isExactly(other.wording) && one.groups.isExactly(other.groups)
            && one.remarkTimeMs == other.remarkTimeMs && one.addTimeMs == other.addTimeMs
            && one.custom == other.custom && one.starred == other.starred
            && one.pinOrder == other.pinOrder && one.muteUntilMs == other.muteUntilMs
            && one.ignored == other.ignored
    }
}

extension FriendRecord {
    /// A new row of `friend` with these values; times that they lack are `now`.
    package init(_ friend: UserID, _ values: FriendValues, at now: Timestamp) {
        self.init()
        userID = friend.text
        addTimeMs = now.milliseconds
        apply(values, at: now)
    }

    /// Takes the values that are given, and keeps its own where there is none.
    ///
    /// A remark that differs is one of `now`, unless the values have a time for it.
    mutating func apply(_ values: FriendValues, at now: Timestamp) {
        if let remark = values.remark, !remark.isExactly(self.remark) {
            self.remark = remark
            remarkTimeMs = now.milliseconds
        }
        if let timeMs = values.remarkTimeMs { remarkTimeMs = timeMs }
        if let groups = values.groups { self.groups = groups }
        if let source = values.source { self.source = source }
        if let wording = values.wording { self.wording = wording }
        if let timeMs = values.addTimeMs { addTimeMs = timeMs }
        custom = custom.changed(by: values.custom)
        if let starred = values.starred { self.starred = starred }
        if let pinOrder = values.pinOrder { self.pinOrder = pinOrder }
        if let timeMs = values.muteUntilMs { muteUntilMs = timeMs }
        if let ignored = values.ignored { self.ignored = ignored }
    }
}
