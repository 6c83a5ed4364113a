import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel
import Support

struct HooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "List, make, pause, replay or delete the webhooks of an app.",
        discussion: """
            A webhook is a URL to which the server sends the changes of an app.

            relationctl hooks list
            relationctl hooks make https://example.org/changes --name orders
            relationctl hooks pause 6f1c09d2a4b8e355
            relationctl hooks failures 6f1c09d2a4b8e355
            relationctl hooks replay 6f1c09d2a4b8e355 --hours 24
            """,
        subcommands: [
            List.self, Make.self, Pause.self, Resume.self, Rotate.self, Replay.self,
            Failures.self, Delete.self,
        ])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    /// A moment, or a word for 0.
    fileprivate static func time(_ milliseconds: Int64, _ none: PlainText) -> PlainText {
        milliseconds == 0 ? none : "\(DayClock.text(milliseconds))"
    }

    /// Prints a hook's id and its secret, which is shown this once.
    fileprivate static func printSecret(_ hook: Hook?, _ secret: String) throws {
        let id = hook?.hookID ?? ""
        let lost = Failure(
            "the secret of \(id) could not be printed, and is lost: rotate it", .outputLost)
        do {
            guard try StandardOutput.print("\(id) \(secret)") else { throw lost }
        } catch {
            throw lost
        }
    }

    /// Pauses a hook, or lets it go on.
    fileprivate static func setPaused(
        _ connection: Connection, _ id: String, _ isPaused: Bool
    ) async throws {
        try await connection.calling { client in
            _ = try await client.call(
                HookMethods.updateHook,
                UpdateHookRequest.with {
                    $0.hookID = id
                    $0.paused = isPaused
                })
        }
    }
}

extension HooksCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the webhooks, with how far they are behind.")

        @OptionGroup var connection: Connection

        func run() async throws {
            let hooks = try await connection.calling { client in
                var hooks: [Hook] = []
                for try await hook in client.hooks() { hooks.append(hook) }
                return hooks
            }
            let states = EnumWord<HookState>(prefix: "HOOK_STATE_")
            var rows: [[PlainText]] = [
                ["ID", "STATE", "BEHIND", "CONFIRMED", "FAILS SINCE", "NAME", "URL"]
            ]
            for hook in hooks {
                rows.append([
                    "\(hook.hookID)", "\(states(hook.state))", "\(hook.behind)",
                    time(hook.deliveryTimeMs, "never"), time(hook.failingSinceMs, "-"),
                    "\(hook.name)", "\(hook.url)",
                ])
            }
            _ = try StandardOutput.print(PlainTable(rows: rows).text, terminator: "")
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a webhook, and print its id and its secret, once.")

        @OptionGroup var connection: Connection

        @Argument(help: "The URL to which the changes go.")
        var url: String

        @Option(help: "The name of the webhook, for people.")
        var name = ""

        @Option(help: "The kinds of events that it gets, separated by commas; all if absent.")
        var kinds: String?

        @Option(help: "The most events of one request.")
        var batch: Int32 = 1

        @Flag(help: "Send TIM's callbacks instead of CloudEvents.")
        var tim = false

        @Flag(help: "Send only what users have done themselves.")
        var usersOnly = false

        @Flag(help: "Pause it at first.")
        var paused = false

        func run() async throws {
            let kinds = try (kinds ?? "").split(separator: ",").map(Watch.kind)
            let request = CreateHookRequest.with {
                $0.url = url
                $0.name = name
                $0.kinds = kinds
                $0.batchSize = batch
                $0.form = tim ? .timCallbacks : .cloudEvents
                $0.usersOnly = usersOnly
                $0.paused = paused
            }
            let made = try await connection.calling { client in
                try await client.call(HookMethods.createHook, request)
            }
            try printSecret(made.hook, made.secret)
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a webhook: it gets no events until it goes on.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            try await setPaused(connection, id, true)
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a webhook go on that was paused or has stopped.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            try await setPaused(connection, id, false)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a new secret of a webhook, and print it, once.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        @Option(help: "For how many hours the secret before signs too; 0 ends it at once.")
        var hours = 24

        func validate() throws {
            guard (0...Limits.oldSecretHours).contains(hours) else {
                throw ValidationError("--hours takes a number from 0 to \(Limits.oldSecretHours)")
            }
        }

        func run() async throws {
            let end = SystemClock.wall.milliseconds + Int64(hours) * 3_600_000
            let request = RotateHookSecretRequest.with {
                $0.hookID = id
                $0.oldExpireTimeMs = hours == 0 ? 0 : end
            }
            let made = try await connection.calling { client in
                try await client.call(HookMethods.rotateHookSecret, request)
            }
            try printSecret(made.hook, made.secret)
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a webhook what happened in the last hours, or after a token.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        @Option(help: "How many hours it goes back.")
        var hours: Int?

        @Option(help: "The token after which it goes on, of a stream or of a webhook.")
        var token: String?

        func validate() throws {
            guard (hours == nil) != (token == nil) else {
                throw ValidationError("give --hours or --token")
            }
            guard (0...Limits.replayHours).contains(hours ?? 0) else {
                throw ValidationError("--hours takes a number from 0 to \(Limits.replayHours)")
            }
        }

        func run() async throws {
            let request = ReplayHookRequest.with {
                $0.hookID = id
                if let token { $0.resumeToken = token }
                if let hours {
                    $0.timeMs = SystemClock.wall.milliseconds - Int64(hours) * 3_600_000
                }
            }
            try await connection.calling { client in
                _ = try await client.call(HookMethods.replayHook, request)
            }
        }
    }

    struct Failures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the last failed requests of a webhook, the latest first.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            let failures = try await connection.calling { client in
                var failures: [HookFailure] = []
                for try await failure in client.hookFailures(of: id) { failures.append(failure) }
                return failures
            }
            var rows: [[PlainText]] = [
                ["TIME", "STATUS", "ATTEMPT", "EVENTS", "FIRST", "USER", "CAUSE"]
            ]
            for failure in failures {
                rows.append([
                    time(failure.timeMs, "-"), failure.status == 0 ? "-" : "\(failure.status)",
                    "\(failure.attempt)", "\(failure.events)", "\(failure.eventID)",
                    failure.userID.isEmpty ? "-" : "\(failure.userID)",
                    "\(failure.cause)\(failure.givenUp ? ", given up" : "")",
                ])
            }
            _ = try StandardOutput.print(PlainTable(rows: rows).text, terminator: "")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a webhook with its position and its failures.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            try await connection.calling { client in
                _ = try await client.call(
                    HookMethods.deleteHook, DeleteHookRequest.with { $0.hookID = id })
            }
        }
    }
}
