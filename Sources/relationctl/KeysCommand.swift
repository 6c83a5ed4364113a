import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel
import Support

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List, make or end the API keys of an app.",
        discussion: """
            relationctl --app 2 keys make backend --key-file backend.key
            relationctl --app 2 keys make reports --scopes read --days 90
            relationctl --app 2 keys list
            relationctl --app 2 keys end 6f1c09d2a4b8e355
            """,
        subcommands: [List.self, Make.self, End.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys and certificates of the app, without their secrets.",
            discussion: """
                USED is when a call last used the key. A use at another server may be an hour old \
                before this one knows of it.
                """)

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        func run() async throws {
            let keys = try await connection.calling { client in
                var keys: [Credential] = []
                let all = client.items(of: AppMethods.listCredentials, ListCredentialsRequest())
                for try await key in all { keys.append(key) }
                return keys
            }
            var rows: [[PlainText]] = [["ID", "MADE", "USED", "UNTIL", "SCOPES", "NAME"]]
            for key in keys {
                rows.append([
                    "\(key.credentialID)", "\(DayClock.text(key.createTimeMs))",
                    key.lastUseTimeMs == 0 ? "-" : "\(DayClock.text(key.lastUseTimeMs))",
                    key.expireTimeMs == 0 ? "for ever" : "\(DayClock.text(key.expireTimeMs))",
                    "\(key.scopes.map(\.word).joined(separator: ","))", "\(key.name)",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(keys) }
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, and print it, once, or put it into a file.")

        private static let scopes = EnumWord<Scope>(prefix: "SCOPE_")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        @Argument(help: "The name of the key, for people.")
        var name: String

        @Option(help: "The scopes of the key, with commas: read, write, watch, admin.")
        var scopes = "read,write"

        @Option(help: "For how many days the key is good; without it, for ever.")
        var days: Int?

        @Option(
            help: "A new file for the key, which only you may read; without it the key is printed.",
            completion: .file())
        var keyFile: String?

        func validate() throws {
            guard (1...Limits.keyDays).contains(days ?? 1) else {
                throw ValidationError("--days takes a number from 1 to \(Limits.keyDays)")
            }
            guard keyFile != "" else {
                throw ValidationError("--key-file takes the path of a file")
            }
        }

        func run() async throws {
            let scopes = try self.scopes.split(separator: ",").map {
                try Self.scopes.value(String($0))
            }
            let end = days.map { SystemClock.wall.milliseconds + Int64($0) * 86_400_000 }
            let request = CreateCredentialRequest.with {
                $0.name = name
                $0.scopes = scopes
                $0.expireTimeMs = end ?? 0
            }
            // The file is there before a key is made that could be lost.
            let file = try keyFile.map { try SecretFile($0) }
            let made: CreateCredentialResponse
            do {
                made = try await connection.calling { client in
                    try await client.call(AppMethods.createCredential, request)
                }
            } catch {
                file?.remove()
                throw error
            }
            let id = made.credential?.credentialID ?? ""
            do {
                guard let file else {
                    let text = try form.secret("\(made.key)") { _ in
                        .object([("credentialId", .string(id)), ("key", .string(made.key))])
                    }
                    guard try StandardOutput.print(text) else { throw Self.loss(of: id) }
                    return
                }
                try file.write(made.key)
            } catch {
                file?.remove()
                throw Self.loss(of: id)
            }
            let path = keyFile ?? ""
            try form.show("the key \(id) is in \(path)\n") { _ in
                .object([("credentialId", .string(id)), ("keyFile", .string(path))])
            }
        }

        private static func loss(of id: String) -> Failure {
            Failure(
                "the key \(id) could not be written, and is lost: end it, and make another",
                .outputLost)
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a key: no server accepts it from then on, and its streams end.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the key, as it is listed: the middle part of the key.")
        var id: String

        func run() async throws {
            try await connection.calling { client in
                _ = try await client.call(
                    AppMethods.revokeCredential,
                    RevokeCredentialRequest.with { $0.credentialID = id })
            }
        }
    }
}
