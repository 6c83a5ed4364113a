import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// The profiles that a read joins to its rows, each as GetProfiles answers it to the caller.
struct JoinedProfiles {
    private let call: Call
    private let mask: ProfileMask
    private let stored: StoredProfiles
    /// The read version of ``stored`` before the view of the store was taken.
    private let readVersion: ReadVersion

    /// Nil if the request asks for no profiles.
    init?(
        _ request: some JoiningRequest, _ stored: StoredProfiles, _ call: Call,
        _ violations: inout Violations
    ) {
        violations.checkJoin(request)
        guard request.withProfiles else { return nil }
        self.call = call
        self.stored = stored
        mask = ProfileMask(request.profileMask, "profile_mask", call.app.settings, &violations)
        readVersion = stored.readVersion()
    }

    /// The profiles of `users`, in their order.
    ///
    /// They are put together in the memory of the call. A user that is no longer an account has
    /// a profile with its id alone.
    func encoded(
        of users: [UserID], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Encoded<Profile>] {
        let splicer = ProfileSplicer(mask, call.app, on: CalendarDay(of: call.now), call.arena)
        var profiles: [Encoded<Profile>] = []
        profiles.reserveCapacity(users.count)
        try stored.readVisible(
            users, by: call.user, isAdmin: call.isAdmin, app: call.app, at: readVersion,
            in: transaction
        ) { (index, seen) throws(StorageError) in
            do throws(CodecError) {
                guard let seen else {
                    var unknown = Profile()
                    unknown.userID = users[index].text
                    return profiles.append(try call.arena.encode(unknown))
                }
                profiles.append(
                    try splicer.profile(of: users[index], seen, splicer.age(of: seen)))
            } catch {
                throw FriendPage.outOfMemory
            }
        }
        return profiles
    }

    /// The profiles of `users`, in their order, as messages.
    func decoded(
        of users: [UserID], in transaction: any ReadTransaction
    ) throws(StorageError) -> [Profile] {
        try encoded(of: users, in: transaction).map { (profile) throws(StorageError) in
            try decoded(profile)
        }
    }

    /// A profile as a message.
    func decoded(_ profile: Encoded<Profile>) throws(StorageError) -> Profile {
        do throws(CodecError) {
            return try profile.decoded(call.arena)
        } catch {
            throw FriendPage.outOfMemory
        }
    }

    /// The profiles of the first of `users`: of all of them, unless the bytes of the page are full
    /// before.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the page so far, which grow by those of each row.
    ///   - isFirst: Whether the page has no row yet: then one row fits always.
    ///   - rowBytes: The bytes of a row without its profile.
    func page(
        of users: [UserID], _ bytes: inout Int, isFirst: Bool = true,
        in transaction: any ReadTransaction, rowBytes: (Int) -> Int
    ) throws(StorageError) -> [Encoded<Profile>] {
        var page: [Encoded<Profile>] = []
        page.reserveCapacity(users.count)
        // Small reads, so that a page that ends by its bytes has read only a few rows too many.
        let profilesPerRead = RowSizes(call.app.settings).profilesPerRead
        var rest = users[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(profilesPerRead))
            rest = rest.dropFirst(part.count)
            for profile in try encoded(of: part, in: transaction) {
                let size = profile.count + Self.prefixBytes + rowBytes(page.count)
                let isOnlyOne = isFirst && page.isEmpty
                guard isOnlyOne || bytes + size <= Limits.pageBytes else { return page }
                bytes += size
                page.append(profile)
            }
        }
        return page
    }

    /// The bytes of the tags and the lengths of a profile and of its row, at most.
    private static let prefixBytes = 10
}

extension Violations {
    /// Checks that a mask of profiles comes with the wish for profiles.
    mutating func checkJoin(_ request: some JoiningRequest) {
        checkJoin(request.withProfiles, hasMask: request.profileMask != nil)
    }

    mutating func checkJoin(_ withProfiles: Bool, hasMask: Bool) {
        if hasMask && !withProfiles {
            add("profile_mask", "may be given only if with_profiles is set")
        }
    }
}
