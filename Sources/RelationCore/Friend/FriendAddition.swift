package import RelationModel

/// One user to add, as the caller wrote it; only `source` is already in the stored form.
package struct FriendAddition: Equatable {
    package let user: UserID
    package var remark = ""
    package var wording = ""
    package var source = ""
    package var group = ""
    package var custom: [CustomValue] = []

    package init(user: UserID) {
        self.user = user
    }

    private var texts: [String] { [remark, wording, source, group] }

    package static func == (one: FriendAddition, other: FriendAddition) -> Bool {
        one.user == other.user && one.texts.isExactly(other.texts)
            && one.custom == other.custom
    }
}
