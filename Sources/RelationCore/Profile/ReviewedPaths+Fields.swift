extension ReviewedPaths {
    /// Whether the field of that path may be reviewed: a custom field need not be defined yet.
    package static func allows(_ path: String) -> Bool {
        if let key = CustomPath.key(in: path) { return !key.isEmpty }
        return ProfileField(named: path).map { ReviewedValue.mayBe(of: $0) } ?? false
    }

    /// Whether the field of that path of a friend's row may be reviewed.
    package static func allowsOfFriend(_ path: String) -> Bool {
        if let key = CustomPath.key(in: path) { return !key.isEmpty }
        return path.isExactly(FriendRecord.remarkPath) || path.isExactly(FriendRecord.wordingPath)
    }
}
