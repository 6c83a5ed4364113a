/// The list of all users of a RongCloud app, page by page.
package struct RongCloudListing: Sendable {
    private let calls: RongCloudRequests
    private let most: Int

    /// - Parameter most: The users that are read.
    package init(_ calls: RongCloudRequests, atMost most: Int = MigrationLimits.accounts) {
        self.calls = calls
        self.most = most
    }

    /// All users, in the order of their registration; each page is handed on as it comes.
    ///
    /// A user of whom two pages tell is handed on twice: users that are deleted meanwhile move the
    /// others up.
    ///
    /// - Parameter body: Gets the users of a page, and how many the app has in all.
    /// - Throws: ``MigrationError`` if a call is refused, or if pages lie.
    package func read(
        _ body: (_ users: [RongCloudAccount], _ total: Int64) throws -> Void
    ) async throws {
        var known: Set<String> = []
        var last: [RongCloudAccount] = []
        let pages = most / MigrationLimits.rongCloudUsersAtOnce
        for page in 1...pages + 1 {
            let answer = try await calls.answer(
                "user/query",
                [
                    ("page", "\(page)"), ("pageSize", "\(MigrationLimits.rongCloudUsersAtOnce)"),
                    ("order", "0"),
                ])
            guard let items = answer.objects("users") else {
                throw MigrationError("user/query answers no list of users on page \(page)")
            }
            let users = items.map { item in
                var account = RongCloudAccount(item.text("userId"))
                account.name = item.text("userName")
                account.portrait = item.text("userPortrait")
                account.registration = item.text("regTime")
                return account
            }
            let total = answer.number("total") ?? 0
            if users.isEmpty {
                guard known.count >= total else {
                    throw MigrationError(
                        "user/query lists \(known.count) users on \(page - 1) pages, and counts "
                            + "\(total)")
                }
                return
            }
            guard page <= pages else { break }
            guard users != last else {
                throw MigrationError("user/query answers page \(page) as the one before it")
            }
            last = users
            for user in users { known.insert(user.id) }
            try body(users, total)
        }
        throw MigrationError("user/query lists more than \(most) users")
    }
}
