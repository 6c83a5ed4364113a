import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// Answers that are put together from stored bytes are those that the codec makes of the plain
/// messages, byte by byte.
@Suite struct SplicedProfileTests {
    private static let users: [UserID] = ["A", "B", "C", "D", "E"]

    /// A world of random profiles, friendships, blacklists and settings.
    private static func harness(_ numbers: inout SeededNumbers) throws -> ServiceHarness {
        var settings = Bool.random(using: &numbers) ? AppSettings.tim : .rongCloud
        settings.keepsFriendshipOnBlacklist = true
        settings.makesAccountsImplicitly = Bool.random(using: &numbers)
        settings.customFields = customFields(&numbers)
        if Bool.random(using: &numbers) {
            settings.fieldDefaults.friends = ["email", "custom.Bb"]
            settings.fieldDefaults.oneself = ["birthday"]
        }
        let world = try World(settings: settings)
        try world.create(users)
        for user in users {
            for other in users where other != user {
                if Bool.random(using: &numbers) { _ = try world.add(other, to: user, .single) }
                if Int.random(in: 0..<6, using: &numbers) == 0 {
                    _ = try world.block(other, by: user)
                }
            }
            let fields = ProfileField.stored.filter { _ in
                Int.random(in: 0..<3, using: &numbers) > 0
            }
            var profile = profile(&numbers)
            profile.uniqueID = "u\(user)"
            _ = try world.setProfile(of: user, fields, customKeys: keys) { [profile] in
                $0 = profile
            }
            _ = try world.show(user, to: visibilities.randomElement(using: &numbers)!)
            try choose(of: user, in: world, &numbers)
        }
        // Values of fields that were retired, closed or of another type when they were written.
        world.settings.customFields = customFields(&numbers)
        let harness = ServiceHarness(world)
        harness.isAdmin = Int.random(in: 0..<4, using: &numbers) == 0
        return harness
    }

    /// Chooses at random who sees some fields.
    private static func choose(
        of user: UserID, in world: World, _ numbers: inout SeededNumbers
    ) throws {
        let paths = ProfileField.allCases.filter(\.hasChoice).map(\.name) + ["custom.Aa"]
        for path in paths where Int.random(in: 0..<8, using: &numbers) == 0 {
            let choices: [Visibility] = [.invisible, .everyone, .friends, .followers]
            let choice = choices.randomElement(using: &numbers)!
            try world.show(user, [Profiles.FieldChoice(path, choice)])
        }
    }

    private static let visibilities: [Visibility] = [.notSet, .invisible, .everyone, .friends]
    private static let keys = ["Aa", "Bb", "Cc"]

    private static func customFields(_ numbers: inout SeededNumbers) -> [CustomField] {
        var fields: [CustomField] = []
        for key in keys where Bool.random(using: &numbers) {
            let types: [CustomFieldType] = [.uint64, .bytes, .string]
            var field = CustomField(.profile, key, types.randomElement(using: &numbers)!)
            field.isReadable = Bool.random(using: &numbers)
            field.isRetired = Int.random(in: 0..<4, using: &numbers) == 0
            fields.append(field)
        }
        return fields
    }

    /// Every field has a value, sometimes that of an absent field.
    private static func profile(_ numbers: inout SeededNumbers) -> ProfileRecord {
        var profile = ProfileRecord.full
        profile.nick = ["", "n", "王小明", String(repeating: "x", count: 300)]
            .randomElement(using: &numbers)!
        profile.email = ["", "o@example.org"].randomElement(using: &numbers)!
        profile.birthday = [0, 2000_01_01, 2008_05_06, 2011_01_01, 2024_01_01]
            .randomElement(using: &numbers)!
        profile.location = Bool.random(using: &numbers) ? [] : [0, 255]
        profile.allowType = Bool.random(using: &numbers) ? .allowAny : .denyAny
        profile.level = ([0, 1, .max] as [UInt32]).randomElement(using: &numbers)!
        for key in keys {
            let values: [CustomValue.Value] = [
                .number(0), .number(.max), .data([1]), .data([0xFF]), .data(Array("text".utf8)),
            ]
            profile.custom.append(CustomValue(key, values.randomElement(using: &numbers)!))
        }
        return profile
    }

    private static func mask(_ numbers: inout SeededNumbers, _ world: World) -> FieldMask? {
        guard Bool.random(using: &numbers) else { return nil }
        var paths = ProfileField.allCases.map(\.name) + ["user_id", "version", "custom"]
        for key in keys where world.settings.customField(key, of: .profile) != nil {
            paths.append("custom.\(key)")
        }
        return FieldMask(paths.filter { _ in Int.random(in: 0..<4, using: &numbers) == 0 })
    }

    // MARK: The plain way

    private static func plain(
        _ request: GetProfilesRequest, _ harness: ServiceHarness
    ) throws -> GetProfilesResponse {
        let settings = harness.world.settings
        var violations = Violations()
        let mask = ProfileMask(request.readMask, "read_mask", settings, &violations)
        let today = CalendarDay(of: harness.world.now)
        let ids = request.userIDs.compactMap { UserID($0) }
        let seen = try harness.world.read { (transaction) throws(StorageError) in
            try Profiles.visible(
                ids, by: UserID(request.userID)!, isAdmin: harness.isAdmin,
                app: harness.world.app, in: transaction)
        }
        var response = GetProfilesResponse.with { $0.cacheSeconds = settings.profileCacheSeconds }
        for (id, seen) in zip(ids, seen) {
            var result = GetProfileResult.with {
                $0.userID = id.text
                $0.code = .success
            }
            guard let seen else {
                result.set(.accountNotFound, Reason.ProfileGet.accountNotExist)
                response.results.append(result)
                continue
            }
            result.viewVersion = version(of: seen, mask, request, settings, today)
            if request.knownVersions[id.text] == result.viewVersion {
                result.notModified = true
            } else {
                let answer = ProfileAnswer(
                    seen, mask, settings, withUnset: request.withUnsetFields, on: today)
                result.profile = answer.profile
                result.fieldAccess = answer.access
            }
            response.results.append(result)
        }
        return response
    }

    private static func version(
        of seen: Profiles.Seen, _ mask: ProfileMask, _ request: GetProfilesRequest,
        _ settings: AppSettings, _ today: CalendarDay
    ) -> Int64 {
        var query = mask.mark + [request.withUnsetFields ? 1 : 0]
        for field in settings.customFields where field.owner == .profile && !field.isRetired {
            query += [0, field.isReadable ? 1 : 0, UInt8(field.type.rawValue)]
            query += Array(field.key.utf8)
        }
        var bytes = Digest.of(query)
        bytes.append(bigEndian: settings.history.id)
        bytes.append(bigEndian: UInt64(seen.view.version(of: seen.record)))
        bytes.append(seen.view.mark)
        bytes += seen.view.ruled?.mark ?? []
        let age = seen.view.isVisible(.ageRange) ? AgeBracket.of(seen.record, on: today) : nil
        bytes.append(UInt8(age?.least ?? 0))
        for row in seen.view.custom(seen.record, settings) {
            bytes += Array(row.key.utf8) + [0]
            switch row.value {
            case .text(let text):
                bytes.append(bigEndian: UInt64(text.utf8.count))
                bytes += Array(text.utf8)
            case .number(let number): bytes.append(bigEndian: number)
            case .data(let data):
                bytes.append(bigEndian: UInt64(data.count))
                bytes += data
            case nil: break
            }
        }
        let digest = Digest.of(bytes).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int64(digest >> 1) | 1
    }

    private static func bytes<M: CodedMessage>(_ message: M) throws(CodecError) -> [UInt8] {
        try Arena.temporary { (arena) throws(CodecError) in
            try Coder(M.self).bytes(message, arena)
        }
    }

    // MARK: Both ways

    @Test func getProfilesAnswersTheBytesOfThePlainMessages() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let harness = try Self.harness(&numbers)
            for _ in 0..<10 {
                var request = GetProfilesRequest()
                request.userID = Self.users.randomElement(using: &numbers)!.text
                request.userIDs = (Self.users.map(\.text) + ["unknown"]).shuffled(using: &numbers)
                request.readMask = Self.mask(&numbers, harness.world)
                request.withUnsetFields = Bool.random(using: &numbers)
                let first = try Self.plain(request, harness)
                for result in first.results where Int.random(in: 0..<4, using: &numbers) == 0 {
                    request.knownVersions[result.userID] = result.viewVersion
                }
                let expected = try Self.plain(request, harness)
                try harness.read(
                    request, { ProfileHandlers.get($0, harness.world.profiles, $1, &$2) }
                ) { response in
                    let response = try #require(response)
                    for (spliced, plain) in zip(response.results, expected.results) {
                        let bytes = spliced.withBytes { Array($0) }
                        #expect(try bytes == Self.bytes(plain), "seed \(seed), round \(round)")
                    }
                    #expect(try Self.bytes(response) == Self.bytes(expected), "seed \(seed)")
                }
            }
        }
    }

    @Test func listsOfFriendsHoldTheBytesOfThePlainMessages() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<60 {
            let harness = try Self.harness(&numbers)
            let world = harness.world
            let owner = Self.users.randomElement(using: &numbers)!
            var request = ListFriendsRequest.with {
                $0.userID = owner.text
                $0.withProfiles = true
            }
            request.profileMask = Self.mask(&numbers, world)
            let orders: [FriendOrder] = [.userID, .addTime, .displayName]
            request.order = orders.randomElement(using: &numbers)!
            request.displayOrder = Bool.random(using: &numbers) ? .unspecified : .lastName
            var violations = Violations()
            let mask = ProfileMask(
                request.profileMask, "profile_mask", world.settings, &violations)
            let today = CalendarDay(of: world.now)
            let seen = try world.read { (transaction) throws(StorageError) in
                try Profiles.visible(
                    Self.users, by: owner, isAdmin: false, app: world.app, in: transaction)
            }
            try harness.read(
                request,
                {
                    FriendHandlers.listJoinedFriends(
                        $0, world.names, world.profiles, $1, &$2)
                }
            ) { response in
                for row in try #require(response).friends {
                    let friend = try Arena.temporary { (arena) throws(CodecError) in
                        try row.decoded(arena)
                    }
                    let index = try #require(Self.users.firstIndex { $0.text == friend.userID })
                    let one = try #require(seen[index])
                    let expected = Profile(one, mask, world.settings, on: today)
                    #expect(friend.profile == expected, "seed \(seed), round \(round)")
                    // Decoded and encoded again, the row is the same: its fields are in order.
                    let bytes = row.withBytes { Array($0) }
                    #expect(try bytes == Self.bytes(friend), "seed \(seed), round \(round)")
                }
            }
        }
    }

    /// The numbers by which stored fields are cut are those of the contract.
    @Test func theFieldsHaveTheNumbersOfTheContract() {
        let numbers = Dictionary(
            uniqueKeysWithValues: Profile.schema.fields.map { ($0.name, $0.number) })
        for field in ProfileField.allCases { #expect(numbers[field.name] == field.number) }
        #expect(numbers["version"] == 14 && numbers["custom"] == 28)
    }

    /// A call for profiles in memory reads the caller's user record and no other row.
    @Test func profilesInMemoryAreNotReadAgain() throws {
        let store = CountingStore()
        let world = try World("viewer", on: store)
        let users = (0..<100).map { UserID("user\($0)")! }
        try world.create(users)
        for user in users { _ = try world.setProfile(of: user, [.nick]) { $0.nick = "n" } }
        let harness = ServiceHarness(world)
        let request = GetProfilesRequest.with {
            $0.userID = "viewer"
            $0.userIDs = users.map(\.text)
        }
        var counts: [CountingStore.Counts] = []
        for _ in 0..<2 {
            _ = store.take()
            try harness.read(
                request, { ProfileHandlers.get($0, world.profiles, $1, &$2) }
            ) { response in #expect(response?.results.count == 100) }
            counts.append(store.take())
        }
        #expect(counts[0].keys == [Tables.userRecords.kind: 101, Tables.profiles.kind: 100])
        #expect(counts[1].keys == [Tables.userRecords.kind: 1])
    }

    /// A page with profiles reads each friend's row once, in one scan.
    @Test func aPageWithProfilesIsOneScan() throws {
        let store = CountingStore()
        let world = try World("owner", on: store)
        let friends = (0..<100).map { UserID("friend\($0)")! }
        try world.create(friends)
        for friend in friends {
            _ = try world.importFriend("owner", of: friend, bothWays: true)
        }
        let harness = ServiceHarness(world)
        let request = ListFriendsRequest.with {
            $0.userID = "owner"
            $0.pageSize = 100
            $0.withProfiles = true
        }
        for _ in 0..<2 {
            _ = store.take()
            try harness.read(
                request,
                { FriendHandlers.listJoinedFriends($0, world.names, world.profiles, $1, &$2) }
            ) { response in #expect(response?.friends.count == 100) }
        }
        #expect(
            store.take()
                == CountingStore.Counts(keys: [Tables.userRecords.kind: 1], scannedRows: 100))
    }
}
