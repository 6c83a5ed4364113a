import Protobuf
import RelationAPI
import RelationModel

// The requests of a caller, and what their answers say.

extension SimulatedCaller {
    func request(of task: Task) -> (String, [UInt8]) {
        var options = WriteOptions()
        options.requestID = task.requestID ?? ""
        switch task.operation {
        case .befriend(let one, let other):
            let request = AddFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.options = options
                $0.items = [AddFriend.with { $0.userID = Book.name(other) }]
                $0.addType = .both
                $0.force = true
            }
            return encoded(FriendMethods.addFriends, request)
        case .part(let one, let other):
            let request = DeleteFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.options = options
                $0.userIDs = [Book.name(other)]
                $0.deleteType = .both
            }
            return encoded(FriendMethods.deleteFriends, request)
        case .rename(let user):
            let request = UpdateProfileRequest.with {
                $0.userID = Book.name(user)
                $0.options = options
                $0.profile = Profile.with { $0.nick = "n\(task.name)" }
            }
            return encoded(ProfileMethods.updateProfile, request)
        case .check(let one, let other):
            let request = CheckFriendsRequest.with {
                $0.userID = Book.name(one)
                $0.userIDs = [Book.name(other)]
                $0.checkType = .bidirection
                $0.options = readOptions(of: task)
            }
            return encoded(FriendMethods.checkFriends, request)
        case .name(let viewer, let user):
            let request = GetProfilesRequest.with {
                $0.userID = Book.name(viewer)
                $0.userIDs = [Book.name(user)]
                $0.options = readOptions(of: task)
            }
            return encoded(ProfileMethods.getProfiles, request)
        case .list(let user):
            let request = ListFriendsRequest.with {
                $0.userID = Book.name(user)
                $0.options = readOptions(of: task)
            }
            return encoded(FriendMethods.listFriends, request)
        case .report, .presence, .revoke: return otherRequest(of: task, options)
        case .log(let user):
            let request = ListChangesRequest.with {
                $0.userID = Book.name(user)
                $0.pageSize = 500
            }
            return encoded(ChangeMethods.listChanges, request)
        }
    }

    private func otherRequest(of task: Task, _ options: WriteOptions) -> (String, [UInt8]) {
        switch task.operation {
        case .report(let user, let isOnline):
            let request = ReportPresenceRequest.with {
                $0.items = [
                    PresenceReport.with {
                        $0.userID = Book.name(user)
                        $0.deviceID = "phone"
                        $0.online = isOnline
                        $0.leaseSeconds = WorldLimits.presenceSeconds
                        $0.reportTimeMs = book.devices.time(of: task.report ?? 0, user)
                    }
                ]
            }
            return encoded(PresenceMethods.reportPresence, request)
        case .presence(let user):
            let request = GetPresenceRequest.with {
                $0.userIDs = [Book.name(user)]
                $0.unmasked = true
            }
            return encoded(PresenceMethods.getPresence, request)
        case .revoke(let holder):
            let request = RevokeCredentialRequest.with {
                $0.options = options
                $0.credentialID = Holders.id(holder, task.revoked ?? 0)
            }
            return encoded(AppMethods.revokeCredential, request)
        default: preconditionFailure("another function makes this request")
        }
    }

    private func encoded<Request: CodedMessage, Response>(
        _ method: Protobuf.Method<Request, Response>, _ request: Request
    ) -> (String, [UInt8]) {
        (method.path, world.wire.bytes(request, method.requestCoder))
    }

    func answered(_ task: Task) {
        guard !task.isSeen else { return }
        let isUnderstood =
            switch task.operation {
            case .befriend, .part, .rename: answeredWrite(task)
            case .report, .revoke, .presence: answeredOther(task)
            case .check, .name, .list, .log: answeredRead(task)
            }
        if !isUnderstood {
            world.find(.answer, "\(task.name): \(task.operation) has a strange answer")
        }
    }

    private func answeredWrite(_ task: Task) -> Bool {
        switch task.operation {
        case .befriend(let one, let other):
            let coder = FriendMethods.addFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder),
                let result = answer.results.first
            else { return false }
            written(task, answer.write, result.changed)
            guard !result.changed else { return result.code == .success }
            book.seePair(one, other, Book.together, since: task.start)
            return result.code == .invalidParameter
        case .part(let one, let other):
            let coder = FriendMethods.deleteFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder),
                let result = answer.results.first
            else { return false }
            written(task, answer.write, result.changed)
            guard !result.changed else { return result.code == .success }
            book.seePair(one, other, Book.apart, since: task.start)
            return result.code == .notFriend
        case .rename:
            let coder = ProfileMethods.updateProfile.responseCoder
            guard let answer = world.wire.message(task.message, coder) else { return false }
            written(task, answer.write, answer.write.applied)
            return answer.code == .success && answer.write.applied
        case .check, .name, .list, .log, .presence, .report, .revoke: return false
        }
    }

    private func answeredOther(_ task: Task) -> Bool {
        switch task.operation {
        case .report(let user, _):
            let coder = PresenceMethods.reportPresence.responseCoder
            guard let result = world.wire.message(task.message, coder)?.results.first,
                let number = task.report
            else { return false }
            if result.changed {
                book.devices.answered(number, of: user)
            } else {
                world.met(.outdatedReport)
                if !book.devices.isOutdated(number, of: user) {
                    world.find(.presence, "a report of \(Book.name(user)) is not the last")
                }
            }
            return result.code == .success
        case .presence(let user):
            let coder = PresenceMethods.getPresence.responseCoder
            guard let presence = world.wire.message(task.message, coder)?.results.first?.presence
            else {
                return false
            }
            book.seePresence(user, presence.online, since: task.floor)
            return true
        case .revoke(let holder):
            let coder = AppMethods.revokeCredential.responseCoder
            guard world.wire.message(task.message, coder) != nil else { return false }
            if let key = task.revoked { book.holders.revoked(key, of: holder, at: world.now) }
            return true
        case .befriend, .part, .rename, .check, .name, .list, .log: return false
        }
    }

    private func written(_ task: Task, _ outcome: WriteOutcome, _ changed: Bool) {
        if outcome.replayed { world.met(.replayed) }
        if let earlier = task.earlier {
            world.met(.echoed)
            if !outcome.replayed || outcome.sequence != earlier.sequence || !changed {
                world.find(.otherAnswer, "\(task.name): \(task.operation)")
            }
            return
        }
        if changed {
            task.outcome = outcome
            noteToken(task, outcome.sequence)
        }
        if let id = task.requestID { book.end(id, isApplied: changed) }
        if changed {
            change(task) { $0.end($1, .done, at: world.now) }
        } else {
            change(task) { $0.withdraw($1) }
        }
    }

    /// Keeps the sequence of an answered write for reads.
    private func noteToken(_ task: Task, _ sequence: Int64) {
        guard let user = task.operation.user, let write = task.write else { return }
        book.note(
            Token(
                user: user, sequence: sequence, start: task.start, write: write,
                other: task.operation.other))
    }

    private func answeredRead(_ task: Task) -> Bool {
        let (start, token) = (task.attemptStart, task.token)
        switch task.operation {
        case .check(let one, let other):
            let coder = FriendMethods.checkFriends.responseCoder
            guard let result = world.wire.message(task.message, coder)?.results.first,
                let relation = result.relation
            else { return false }
            guard relation == .bothWay || relation == .none else {
                world.find(.halfPair, "\(Book.name(one)) and \(Book.name(other))")
                return true
            }
            book.seePair(
                one, other, relation == .bothWay ? Book.together : Book.apart, since: start,
                token)
        case .name(_, let user):
            let coder = ProfileMethods.getProfiles.responseCoder
            guard let profile = world.wire.message(task.message, coder)?.results.first?.profile
            else {
                return false
            }
            book.seeNick(user, profile.nick, since: start, token)
        case .list(let user):
            let coder = FriendMethods.listFriends.responseCoder
            guard let answer = world.wire.message(task.message, coder) else { return false }
            book.seeFriends(user, Set(answer.friends.map(\.userID)), since: start, token)
        case .log(let user):
            let coder = ChangeMethods.listChanges.responseCoder
            guard let answer = world.wire.message(task.message, coder), answer.nextPageToken.isEmpty
            else { return false }
            let events = answer.events.map {
                Book.Event(
                    sequence: $0.sequence, kind: $0.kind.rawValue, requestID: $0.requestID)
            }
            book.note(events, of: user)
            book.noteFriends(answer.events, of: user)
        case .befriend, .part, .rename, .report, .revoke, .presence: return false
        }
        return true
    }
}
