import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks the lists of applications that wait, their counters and indexes.
    mutating func checkPendencies(_ user: UserID, _ userRecord: UserRecord) throws(StorageError) {
        let rows = try world.rows(of: Tables.pendencies, of: user)
        let comeIn = rows.filter { $0.key.type == .comeIn }
        expectSame(Int(userRecord.comeInCount), comeIn.count, user, "the count of COME_IN")
        expectSame(
            Int(userRecord.sendOutCount), rows.count - comeIn.count, user, "the count of SEND_OUT")
        let hidden = try world.rows(of: Tables.mentions, of: user).map(\.key).filter {
            $0.list == .comeIn
        }
        expectSame(Int(userRecord.hiddenSentCount), hidden.count, user, "the count of what it hid")
        let limit = limits.pendencies
        let cutoff = world.settings.expiryCutoffMs(at: world.now)
        for type in [PendencyType.comeIn, .sendOut] {
            var waiting = rows.count { $0.key.type == type && $0.record.timeMs > cutoff }
            for mention in hidden where type == .sendOut {
                let record = try world.pendency(.comeIn, with: user, of: mention.owner)
                if record.map({ $0.timeMs > cutoff }) == true { waiting += 1 }
            }
            expect(waiting <= limit, user, "more applications than the limit")
        }
        expectSame(
            Int(userRecord.unreadCount), comeIn.count { $0.record.timeMs > userRecord.readMarkMs },
            user,
            "the count of unread applications")
        let times = rows.map(\.record.timeMs)
        expectSame(Set(times).count, times.count, user, "different times of applications")
        expect(
            times.allSatisfy { $0 <= userRecord.lastPendencyMs }, user,
            "an application is newer than the newest")
        expect(
            userRecord.readMarkMs <= userRecord.lastPendencyMs, user,
            "the read mark is past the newest")
        expect(
            times.allSatisfy { 1...$0 ~= userRecord.oldestPendencyMs }, user,
            "an application is older than the oldest")
        let index = try world.rows(of: Tables.pendenciesByTime, of: user).map {
            "\($0.key.timeMs) \($0.key.key.type.rawValue) \($0.key.key.user)"
        }
        let wanted = rows.map {
            "\($0.record.timeMs) \($0.key.type.rawValue) \($0.key.user)"
        }
        expectSame(Set(index), Set(wanted), user, "the applications by time")
        for row in rows { try checkSides(of: row.record, row.key, user) }
    }

    /// Checks that the other side has the same application, or took it off its list.
    private mutating func checkSides(
        of record: PendencyRecord, _ key: PendencyKey, _ user: UserID
    ) throws(StorageError) {
        expectSame(record.userID, key.user.text, user, "the id in an application")
        let mirror: PendencyType = key.type == .comeIn ? .sendOut : .comeIn
        if var other = try world.pendency(mirror, with: user, of: key.user) {
            other.userID = record.userID
            expectSame(other, record, user, "both sides of an application")
            return
        }
        // The event that tells that it was hidden may be trimmed.
        guard try world.userRecord(of: key.user)?.logFloor == 0 else { return }
        let wasHidden = try world.events(of: key.user).contains { event in
            guard event.kind == .deleteFriendRequest else { return false }
            return event.items.compactMap(\.application).contains { application in
                application.status == .unhandled && application.pendencyType == mirror
                    && application.applicationID == record.applicationID
            }
        }
        expect(wasHidden, user, "the application with \(key.user) has one side")
    }

    /// Checks that the history has the applications that ended by the log: the latest of them, for
    /// as long as they are kept.
    mutating func checkHistory(_ user: UserID, _ userRecord: UserRecord) throws(StorageError) {
        let rows = try world.rows(of: Tables.handledApplications, of: user)
        expectSame(Int(userRecord.handledCount), rows.count, user, "the count of the history")
        expect(rows.count <= Limits.handledApplications, user, "more history than the limit")
        expect(
            rows.allSatisfy { 1...$0.key.timeMs ~= userRecord.oldestHandledMs }, user,
            "history is older than the oldest")
        var listed: [String] = []
        let horizon = world.now.milliseconds - Limits.handledApplicationMilliseconds
        var isRecent = true
        for event in try world.events(of: user) where event.kind == .deleteFriendRequest {
            isRecent = isRecent && event.timeMs > horizon
            for application in event.items.compactMap(\.application)
            where application.status != .unhandled {
                listed.append(
                    "\(application.pendencyType.rawValue) \(application.status?.rawValue ?? -1) "
                        + "\(application.userID) \(application.applicationID)")
            }
        }
        let kept = rows.map {
            "\($0.key.type.rawValue) \($0.key.status.rawValue) \($0.key.user) "
                + $0.record.applicationID
        }
        if userRecord.logFloor == 0 {
            expectSame(
                Set(kept).subtracting(listed), [], user, "history that no event has")
        }
        if isRecent, userRecord.logFloor == 0 {
            expectSame(
                kept.count, min(listed.count, Limits.handledApplications), user,
                "what ended and is kept")
        }
        for row in rows {
            expectSame(row.record.userID, row.key.user.text, user, "the id in the history")
            expect(row.record.timeMs < row.key.timeMs, user, "it ended before it began")
            expect(
                row.record.remark.isEmpty && row.record.groups.isEmpty && row.record.custom.isEmpty,
                user,
                "history keeps what an applicant noted for itself")
        }
    }

    /// Checks that the index of applications that may have expired names each user at the time in
    /// its user record.
    mutating func checkExpiries() throws(StorageError) {
        var found: [String] = []
        for bucket in 0..<EndIndex.applicationBuckets {
            let rows = try world.rows(
                of: Tables.expiries, in: world.app.partition(ofExpiryBucket: bucket))
            for row in rows {
                found.append("\(row.key.timeMs) \(row.key.user)")
                expectSame(
                    UserBuckets.of(row.key.user) % EndIndex.applicationBuckets, bucket,
                    row.key.user, "the bucket of the oldest application")
            }
        }
        var wanted: [String] = []
        for user in users {
            guard let userRecord = try world.userRecord(of: user), userRecord.oldestPendencyMs != 0
            else { continue }
            wanted.append("\(userRecord.oldestPendencyMs) \(user)")
        }
        if Set(found) != Set(wanted) {
            findings.append("the index of expiry: is \(found), should be \(wanted)")
        }
    }
}
