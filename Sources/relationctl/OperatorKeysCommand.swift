import ArgumentParser
import Glibc
import RelationClient
import Support

struct OperatorKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator-keys",
        abstract: "List, make or end the keys of a server's operators, as one of them.",
        discussion: """
            relationctl operator-keys list
            relationctl operator-keys make anna --days 90
            relationctl operator-keys end 6f1c09d2a4b8e355
            """,
        subcommands: [List.self, Make.self, End.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys, without their secrets.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        func run() async throws {
            let keys = try await connection.calling { client in
                var keys: [OperatorKey] = []
                let all = client.items(of: AppMethods.listOperatorKeys, ListOperatorKeysRequest())
                for try await key in all { keys.append(key) }
                return keys
            }
            var rows: [[PlainText]] = [["ID", "MADE", "USED", "UNTIL", "NAME"]]
            for key in keys {
                rows.append([
                    "\(key.credentialID)", "\(time(key.createTimeMs))",
                    key.lastUseTimeMs == 0 ? "-" : "\(time(key.lastUseTimeMs))",
                    "\(time(key.expireTimeMs))", "\(key.name)",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(keys) }
        }

        /// The universal time; "for ever" for 0, which no key was made at.
        private func time(_ milliseconds: Int64) -> String {
            guard milliseconds != 0 else { return "for ever" }
            var (seconds, parts) = (time_t(milliseconds / 1_000), tm())
            gmtime_r(&seconds, &parts)
            var bytes = [CChar](repeating: 0, count: 64)
            let count = strftime(&bytes, bytes.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
            return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make another key, and print it, once.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        @Argument(help: "The name of the key, for people.")
        var name: String

        @Option(help: "For how many days the key is good; without it, for ever.")
        var days: Int?

        func validate() throws {
            guard (1...Limits.keyDays).contains(days ?? 1) else {
                throw ValidationError("--days takes a number from 1 to \(Limits.keyDays)")
            }
        }

        func run() async throws {
            let end = days.map { SystemClock.wall.milliseconds + Int64($0) * 86_400_000 }
            let request = CreateOperatorKeyRequest.with {
                $0.name = name
                $0.expireTimeMs = end ?? 0
            }
            let made = try await connection.calling { client in
                try await client.call(AppMethods.createOperatorKey, request)
            }
            let lost: PlainText =
                "the key could not be printed, and is lost: end it, and make another"
            do {
                let text = try form.secret("\(made.key)") { try $0.message(made) }
                guard try StandardOutput.print(text) else { throw Failure(lost, .outputLost) }
            } catch {
                throw Failure(lost, .outputLost)
            }
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
                    AppMethods.revokeOperatorKey,
                    RevokeOperatorKeyRequest.with { $0.credentialID = id })
            }
        }
    }
}
