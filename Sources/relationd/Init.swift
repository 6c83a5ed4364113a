import ArgumentParser
import Glibc
import Logging
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel
import RelationService
import Storage
import StoragePostgres
import StorageRocks

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the registry of apps in a store, and the operators' keys.",
        discussion: """
            Without more it makes the first key and prints it, once: the folder keeps only a \
            digest of it. With --key-file the key goes into a new file that only \
            you may read. Send it as the metadata "authorization: Bearer KEY", with \
            "x-app-id: APP" to act in an app. It opens every call, and is needed to make apps and \
            their first credentials. A server may have the folder open: then the server does it, \
            asked by the socket operator.sock in the folder.
            """)

    @Option(.config) var config: String?
    @Option(.data) var data: String?
    @Option(.store) var store: String?

    @Option(help: ArgumentHelp("Make another key, of this name, and print it.", valueName: "name"))
    var addKey: String?

    @Option(help: "With --add-key: for how many days the key is good; without it, for ever.")
    var days: Int?

    @Option(
        help: ArgumentHelp(
            "Put the key that is made into a new file that only you may read; it is not printed.",
            valueName: "file"))
    var keyFile: String?

    @Flag(help: "List the keys, without their secrets.")
    var listKeys = false

    @Option(help: ArgumentHelp("End the key of this id.", valueName: "id"))
    var endKey: String?

    @Flag(help: "End all keys, and make another.")
    var replaceKey = false

    @Flag(
        help: """
            Begin another history of all apps, once, after a database or a folder was put back to \
            an earlier moment, or a new one took the place of a lost one. Then streams that \
            clients resume begin with the present state, and no number is given out twice. No \
            server may run meanwhile.
            """)
    var restored = false

    func validate() throws {
        let given = [addKey != nil, listKeys, endKey != nil, replaceKey, restored].count { $0 }
        guard given <= 1 else {
            throw ValidationError(
                "--add-key, --list-keys, --end-key, --replace-key and --restored exclude each other"
            )
        }
        guard days == nil || addKey != nil else { throw ValidationError("--days needs --add-key") }
        guard (1...InitLimits.days).contains(days ?? 1) else {
            throw ValidationError("--days takes a number from 1 to \(InitLimits.days)")
        }
        guard addKey?.isEmpty != true else { throw ValidationError("--add-key takes a name") }
        guard endKey?.isEmpty != true else { throw ValidationError("--end-key takes an id") }
        guard let keyFile else { return }
        guard !keyFile.isEmpty else { throw ValidationError("--key-file takes the path of a file") }
        guard !listKeys, endKey == nil, !restored else {
            throw ValidationError("--key-file goes with a command that makes a key")
        }
    }

    func run() throws {
        let sources = ConfigurationSources(
            flags: [(.config, config), (.data, data), (.store, store)])
        let settings = try sources.readOrExit(.store)
        FileModes.close()
        let logger = LogOutput.begin(settings)
        let file = try keyFile.map { try KeyFile($0) }
        switch settings.store {
        case .folder(let folder): try run(in: folder, file, logger)
        case .database: try run(in: settings.database, file, logger)
        }
    }

    private func run(in folder: String, _ file: KeyFile?, _ logger: Logger) throws {
        guard let store = try RocksStore.openedIfFree(folder, try .ofCommands(), logger) else {
            guard !restored else {
                throw FatalError("no history begins in \(folder): a server runs; stop it first")
            }
            let answer = try asked(folder)
            if let file, !answer.key.isEmpty {
                do {
                    try file.write(answer.key)
                } catch {
                    throw FatalError("the key is lost, and --replace-key makes another: \(error)")
                }
            }
            return try print(answer, file, folder)
        }
        defer { store.close() }
        guard !restored else {
            try beginHistory(in: store, at: ServiceClock.system.now(), folder, logger)
            return try store.writeOut()
        }
        let now = ServiceClock.system.now()
        try print(answer(in: store, at: now, file), file, folder)
        try store.writeOut()
    }

    /// Makes the tables if there are none; servers of the database may run meanwhile.
    private func run(
        in database: PostgresOptions, _ file: KeyFile?, _ logger: Logger
    ) throws {
        do throws(StorageError) {
            if try Schema.make(database, format: PostgresStore.format) {
                logger.notice("made the tables of a store in \(database.address)")
            }
            let upgrade = StoreUpgrade(database, Formats.steps) {
                logger.notice("\($0.text("the store \(database.address)"))")
            }
            try upgrade.run()
        } catch {
            let refusal = error.code == .unavailable ? ConnectionRefusal.words(database) : nil
            throw FatalError("no tables in \(database.address): \(refusal ?? error.message)")
        }
        let store = try PostgresStore.opened(database, logger)
        defer { store.close() }
        let now = try Self.now(of: database)
        guard !restored else { return try beginHistory(in: store, at: now, database, logger) }
        try print(answer(in: store, at: now, file), file, database.address)
    }

    /// The time by the database's clock, by which its servers go.
    ///
    /// A key would end earlier or later by another one, and a history could begin below numbers
    /// that were given out.
    private static func now(of database: PostgresOptions) throws -> Timestamp {
        do throws(StorageError) {
            return Timestamp(milliseconds: try Schema.now(database))
        } catch {
            throw FatalError("\(database.address) gives no time: \(error.message)")
        }
    }

    private func beginHistory(
        in store: any Store, at now: Timestamp, _ location: String, _ logger: Logger
    ) throws {
        do throws(StorageError) {
            try Identity.beginHistory(in: store, at: now)
        } catch {
            throw FatalError("no history begins in \(location): \(error.message)")
        }
        logger.notice("another history of all apps has begun in \(location)")
    }

    private func beginHistory(
        in store: PostgresStore, at now: Timestamp, _ database: PostgresOptions, _ logger: Logger
    ) throws {
        do throws(StorageError) {
            let servers = try Schema.servers(database)
            guard servers == 0 else {
                throw StorageError(
                    .locked, "\(servers) servers run, and still have what was there before")
            }
            // The histories come last: an attempt that ends earlier begins none.
            try Schema.forgetNotes(database)
        } catch {
            throw FatalError("no history begins in \(database.address): \(error.message)")
        }
        try beginHistory(in: store, at: now, "\(database.address)", logger)
    }

    /// - Parameter file: Where the key is before the store has it.
    private func answer(
        in store: any Store, at now: Timestamp, _ file: KeyFile?
    ) -> OwnerAnswer {
        do throws(StorageError) {
            return try request(at: now).answer(in: store, at: now) {
                (key) throws(StorageError) in
                do {
                    try file?.write(key)
                } catch {
                    throw StorageError(.failed, "\(error)")
                }
            }
        } catch {
            var answer = OwnerAnswer(refusal: error.message)
            answer.isUnknown = error.code == .outcomeUnknown
            return answer
        }
    }

    private func request(at now: Timestamp) -> OwnerRequest {
        if let addKey {
            let end = days.map { now.milliseconds + Int64($0) * 86_400_000 }
            return OwnerRequest(.add, name: addKey, expiresMs: end ?? 0)
        }
        if let endKey { return OwnerRequest(.end, keyID: endKey) }
        return OwnerRequest(listKeys ? .list : replaceKey ? .replace : .first)
    }

    /// Asks the server that has the folder open.
    private func asked(_ data: String) throws -> OwnerAnswer {
        do throws(OwnerChannel.ChannelError) {
            let descriptor = try OwnerSocketPath(data).connect()
            defer { close(descriptor) }
            let channel = OwnerChannel(
                descriptor, milliseconds: OwnerLimits.commandMilliseconds)
            // A server that refuses the user does not read the request, and has closed already.
            let request = request(at: ServiceClock.system.now())
            let unsent = Result { () throws(OwnerChannel.ChannelError) in try channel.send(request)
            }
            do throws(OwnerChannel.ChannelError) {
                return try channel.receive(OwnerAnswer.self)
            } catch {
                try unsent.get()
                throw error
            }
        } catch {
            throw FatalError(
                """
                the data folder \(data) is in use by a server, and \(error.message). A server that \
                starts or stops does not answer: try again, and see --list-keys for what was done
                """)
        }
    }

    private func print(_ answer: OwnerAnswer, _ file: KeyFile?, _ data: String) throws {
        guard !answer.isUnknown else {
            if let file, file.holdsKey {
                file.persist()
                throw FatalError(
                    "it is unknown whether the operators' keys of \(data) changed; the new key is "
                        + "in \(file.path), and opens the server if they did: "
                        + "\(answer.refusal)")
            }
            throw FatalError(
                "it is unknown whether the operators' keys of \(data) changed, and a new key is "
                    + "lost: see --list-keys, or --replace-key makes another; \(answer.refusal)")
        }
        guard answer.refusal.isEmpty else { throw FatalError("\(data): \(answer.refusal)") }
        if let file, !answer.key.isEmpty {
            file.persist()
            return Swift.print("the key of the operator is in \(file.path)")
        }
        if !answer.key.isEmpty { Swift.print(answer.key) }
        if listKeys { Swift.print(Self.table(answer.keys), terminator: "") }
        guard fflush(nil) == 0 else {
            let isLost = !answer.key.isEmpty
            throw FatalError(
                isLost
                    ? "the key could not be printed, and is lost: --replace-key makes another"
                    : "the list could not be printed")
        }
    }

    /// A line for each key, with blanks between the columns; the name is last, since it may have
    /// some too.
    private static func table(_ keys: [OperatorKey]) -> String {
        let blanks = String(repeating: " ", count: 21)
        let header = "ID" + blanks.dropFirst(5) + "MADE" + blanks + " UNTIL" + blanks + "NAME\n"
        return keys.reduce(into: header) { text, key in
            let times = "\(time(key.createTimeMs))  \(time(key.expireTimeMs))"
            // A name may have characters that move the cursor.
            text += "\(key.credentialID)  \(times)  \(LogJSON.quoted(key.name))\n"
        }
    }

    private static func time(_ milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "for ever" + String(repeating: " ", count: 16) }
        return LogTime(
            seconds: Int(milliseconds / 1_000), milliseconds: Int(milliseconds % 1_000)
        ).universal
    }
}
