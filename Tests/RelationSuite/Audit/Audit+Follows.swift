import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks the follows of all users: their rows, both indexes, the counters, and the sequences
    /// of the lists.
    mutating func checkFollows() throws(StorageError) {
        var times: [UserID: [UserID: Int64]] = [:]
        for user in users {
            for row in try world.rows(of: Tables.follows, of: user) {
                expectSame(row.record.userID, row.key.text, user, "the user of a follow")
                expect(row.key != user, user, "follows itself")
                times[user, default: [:]][row.key] = row.record.followTimeMs
            }
        }
        for user in users {
            let mine = times[user] ?? [:]
            var wanted: Set<ListedFollow> = []
            var counts = FollowCountRecord()
            for (other, timeMs) in mine {
                wanted.insert(ListedFollow(.following, timeMs: timeMs, user: other))
                guard let theirs = times[other]?[user] else { continue }
                wanted.insert(ListedFollow(.mutual, timeMs: max(timeMs, theirs), user: other))
                counts.mutual += 1
            }
            for (other, follows) in times {
                guard let timeMs = follows[user] else { continue }
                wanted.insert(ListedFollow(.followers, timeMs: timeMs, user: other))
                counts.followers += 1
            }
            let found = try world.rows(of: Tables.followsByTime, of: user).map(\.key)
            expectSame(Set(found), wanted, user, "the follows by time")
            let known = try world.rows(of: Tables.followCounts, of: user).first?.record
            expectSame(known ?? FollowCountRecord(), counts, user, "the counts of follows")
            guard let userRecord = try world.userRecord(of: user) else { continue }
            expectSame(Int(userRecord.followingCount), mine.count, user, "the count of followings")
            expect(mine.count <= limits.followings, user, "follows more than the limit")
            try checkLast(user, userRecord)
        }
    }

    private mutating func checkLast(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        let log = try world.log(of: user)
        expectLast(
            log.last { $0.1.kind == .followingChanged }?.sequence, userRecord.followingSequence,
            userRecord, user, "followings")
        expectLast(
            log.last { $0.1.kind == .followersChanged }?.sequence, userRecord.followersSequence,
            userRecord, user, "followers")
    }
}

extension Audit {
    /// Checks the dismissed suggestions of all users: their rows, their index, and their counts.
    mutating func checkDismissals() throws(StorageError) {
        var dismissers: [UserID: Set<UserID>] = [:]
        for user in users {
            let rows = try world.rows(of: Tables.dismissals, of: user)
            for row in rows {
                expectSame(row.record.userID, row.key.text, user, "the user of a dismissal")
                expect(row.key != user, user, "has dismissed itself")
                dismissers[row.key, default: []].insert(user)
            }
            guard let userRecord = try world.userRecord(of: user) else { continue }
            expectSame(
                Int(userRecord.dismissalCount), rows.count, user, "the count of dismissals")
            expect(
                rows.count <= limits.dismissedSuggestions, user,
                "has dismissed more users than the limit")
            let last = try world.log(of: user).last { $0.1.kind == .dismissalsChanged }
            expectLast(
                last?.sequence, userRecord.dismissalsSequence, userRecord, user, "dismissals")
        }
        for user in users {
            let found = try world.rows(of: Tables.dismissers, of: user).map(\.key)
            expectSame(Set(found), dismissers[user] ?? [], user, "the users that dismissed it")
        }
    }

    /// Checks the stored devices of the user: that readers know of them, and their order.
    mutating func checkSeenDevices(_ user: UserID) throws(StorageError) {
        let devices = try world.rows(of: Tables.seenDevices, of: user).flatMap(\.record.devices)
        expectSame(
            Int(try world.userRecord(of: user)?.seenDeviceCount ?? 0), devices.count, user,
            "the count of devices")
        expect(devices.count <= Limits.devicesPerUser, user, "has more devices than the limit")
        let ids = devices.map { Array($0.deviceID.utf8) }
        expect(
            zip(ids, ids.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }, user,
            "has devices out of order, or twice")
    }

    /// Checks that the user's custom status is one that the app allows.
    mutating func checkStatus(_ user: UserID) throws(StorageError) {
        let userRecord = try world.userRecord(of: user)
        for row in try world.rows(of: Tables.statuses, of: user) {
            expect(userRecord?.lacksStatus == false, user, "has a status that no reader looks up")
            expect(!row.record.text.isEmpty, user, "has an empty status")
            expect(limits.status.allows(row.record.text), user, "has a status that is too long")
        }
    }
}
