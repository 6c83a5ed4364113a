import ArgumentParser
import RelationAPI
import RelationClient
import RelationModel
import Support

struct HooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "List, make, change, test, pause, replay or delete the webhooks of an app.",
        discussion: """
            A webhook is a URL to which the server sends the changes of an app.

            relationctl hooks list
            relationctl hooks make https://example.org/changes --name orders
            relationctl hooks change 6f1c09d2a4b8e355 --asks update_profile --silence refuse
            relationctl hooks test 6f1c09d2a4b8e355
            relationctl hooks pause 6f1c09d2a4b8e355

            Failures can be listed, and events sent again:

            relationctl hooks failures 6f1c09d2a4b8e355
            relationctl hooks replay 6f1c09d2a4b8e355 --hours 24
            relationctl hooks replay 6f1c09d2a4b8e355 --failure 17
            """,
        subcommands: [
            List.self, Make.self, Change.self, Test.self, Pause.self, Resume.self, Rotate.self,
            Replay.self, Failures.self, Delete.self,
        ])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    fileprivate static let forms = EnumWord<HookForm>(prefix: "HOOK_FORM_")
    fileprivate static let questions = EnumWord<HookQuestion>(prefix: "HOOK_QUESTION_")
    fileprivate static let silences = EnumWord<HookSilence>(prefix: "HOOK_SILENCE_")

    /// A moment, or a word for 0.
    fileprivate static func time(_ milliseconds: Int64, _ none: PlainText) -> PlainText {
        milliseconds == 0 ? none : "\(DayClock.text(milliseconds))"
    }

    /// Prints a hook's id and its secret, which is shown this once; the id alone if the file of a
    /// secret was given.
    fileprivate static func printSecret(
        _ hook: Hook?, _ secret: String, _ form: DataOutput
    ) throws {
        let id = hook?.hookID ?? ""
        guard !secret.isEmpty else {
            try form.show("\(id)\n") { _ in .object([("hookId", .string(id))]) }
            return
        }
        let text = try form.secret("\(id) \(secret)") { _ in
            .object([("hookId", .string(id)), ("secret", .string(secret))])
        }
        let lost = Failure(
            "the secret of \(id) could not be printed, and is lost: rotate it", .outputLost)
        do {
            guard try StandardOutput.print(text) else { throw lost }
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

        @OptionGroup var form: DataOutput

        func run() async throws {
            let hooks = try await connection.calling { client in
                var hooks: [Hook] = []
                for try await hook in client.hooks() { hooks.append(hook) }
                return hooks
            }
            let states = EnumWord<HookState>(prefix: "HOOK_STATE_")
            var rows: [[PlainText]] = [
                [
                    "ID", "STATE", "BEHIND", "CONFIRMED", "FAILS SINCE", "FORM", "ASKED BEFORE",
                    "NAME", "URL",
                ]
            ]
            for hook in hooks {
                rows.append([
                    "\(hook.hookID)", "\(states(hook.state))", "\(hook.behind)",
                    time(hook.deliveryTimeMs, "never"), time(hook.failingSinceMs, "-"),
                    "\(forms(hook.form))", Self.asked(hook), "\(hook.name)", "\(hook.url)",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(hooks) }
        }

        /// The calls before which a hook is asked, how long it has, and what its silence means.
        private static func asked(_ hook: Hook) -> PlainText {
            guard !hook.asks.isEmpty else { return "-" }
            let calls = hook.asks.map { questions($0) }.joined(separator: ", ")
            return "\(calls) (\(hook.askTimeoutMs) ms, \(silences(hook.silence)))"
        }
    }

    /// The fields of a webhook that `make` and `change` take.
    struct Fields: ParsableArguments {
        @Option(help: "The name of the webhook, for people.")
        var name: String?

        @Option(help: "The kinds of events that it gets, separated by commas; all if empty.")
        var kinds: String?

        @Option(help: "The most events of one request.")
        var batch: Int32?

        @Option(help: "The form of its requests: cloud_events, tim_callbacks or grpc.")
        var form: String?

        @Flag(inversion: .prefixedNo, help: "Send only what users have done themselves.")
        var usersOnly: Bool?

        @Option(
            help: """
                The calls before which it is asked, separated by commas, such as add_friends; none \
                if empty.
                """)
        var asks: String?

        @Option(help: "The meaning of silence: allow, refuse or fail.")
        var silence: String?

        @Option(help: "How long the server waits for an answer, in milliseconds; 0 is 2000.")
        var askTimeout: Int64?

        @Flag(inversion: .prefixedNo, help: "Only ask it, and send it no events.")
        var asksOnly: Bool?

        /// Whether no field is given.
        var isEmpty: Bool {
            name == nil && kinds == nil && batch == nil && form == nil && usersOnly == nil
                && asks == nil && silence == nil && askTimeout == nil && asksOnly == nil
        }

        func kindValues() throws -> [ChangeKind]? {
            try kinds?.split(separator: ",").map(Watch.kind)
        }

        func formValue() throws -> HookForm? {
            try form.map { try forms.value($0) }
        }

        func questionValues() throws -> [HookQuestion]? {
            try asks?.split(separator: ",").map { try questions.value(String($0)) }
        }

        func silenceValue() throws -> HookSilence? {
            try silence.map { try silences.value($0) }
        }
    }

    /// The secret that the receiver has already.
    struct OwnSecret: ParsableArguments {
        @Option(
            help: """
                A file with the secret to sign with; the server makes one otherwise, which is \
                printed.
                """, completion: .file())
        var secretFile: String?

        func text() throws -> String {
            try secretFile.map { try LineFile.text($0) } ?? ""
        }
    }

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a webhook, and print its id and its secret, once.")

        @OptionGroup var connection: Connection

        @OptionGroup var output: DataOutput

        @Argument(help: "The URL to which the changes go.")
        var url: String

        @OptionGroup var fields: Fields

        @OptionGroup var secret: OwnSecret

        @Flag(help: "Send TIM's callbacks: --form tim_callbacks.")
        var tim = false

        @Flag(help: "Pause it at first.")
        var paused = false

        func validate() throws {
            guard !tim || fields.form == nil else { throw ValidationError("give --tim or --form") }
        }

        func run() async throws {
            let request = try CreateHookRequest.with {
                $0.url = url
                $0.name = fields.name ?? ""
                $0.kinds = try fields.kindValues() ?? []
                $0.batchSize = fields.batch ?? 0
                $0.form = try tim ? .timCallbacks : fields.formValue() ?? .cloudEvents
                $0.usersOnly = fields.usersOnly ?? false
                $0.paused = paused
                $0.asks = try fields.questionValues() ?? []
                $0.silence = try fields.silenceValue() ?? .unspecified
                $0.askTimeoutMs = fields.askTimeout ?? 0
                $0.asksOnly = fields.asksOnly ?? false
                $0.secret = try secret.text()
            }
            let made = try await connection.calling { client in
                try await client.call(HookMethods.createHook, request)
            }
            try printSecret(made.hook, made.secret, output)
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change a webhook: what is not given stays as it is.")

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        @Option(help: "The URL to which the changes go.")
        var url: String?

        @OptionGroup var fields: Fields

        func validate() throws {
            guard url != nil || !fields.isEmpty else {
                throw ValidationError("give an option that says what changes")
            }
        }

        func run() async throws {
            let kinds = try fields.kindValues()
            let asks = try fields.questionValues()
            let request = try UpdateHookRequest.with {
                $0.hookID = id
                $0.url = url
                $0.name = fields.name
                $0.kinds = kinds.map { values in ChangeKinds.with { $0.values = values } }
                $0.batchSize = fields.batch
                $0.form = try fields.formValue()
                $0.usersOnly = fields.usersOnly
                $0.asks = asks.map { values in HookQuestions.with { $0.values = values } }
                $0.silence = try fields.silenceValue()
                $0.askTimeoutMs = fields.askTimeout
                $0.asksOnly = fields.asksOnly
            }
            try await connection.calling { client in
                _ = try await client.call(HookMethods.updateHook, request)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a test event to a webhook, and say how the receiver took it.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            let answer = try await connection.calling { client in
                try await client.call(HookMethods.testHook, TestHookRequest.with { $0.hookID = id })
            }
            guard answer.confirmed else {
                throw Failure("the receiver did not confirm the event: \(answer.cause)")
            }
            let status: PlainText = answer.status == 0 ? "" : " with the status \(answer.status)"
            try form.show("confirmed\(status) in \(answer.durationMs) ms\n") {
                try $0.message(answer)
            }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a webhook: it gets no events until it is resumed.")

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

        @OptionGroup var form: DataOutput

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        @OptionGroup var secret: OwnSecret

        @Option(help: "For how many hours the secret before signs too; 0 ends it at once.")
        var hours = 24

        func validate() throws {
            guard (0...Limits.oldSecretHours).contains(hours) else {
                throw ValidationError("--hours takes a number from 0 to \(Limits.oldSecretHours)")
            }
        }

        func run() async throws {
            let end = SystemClock.wall.milliseconds + Int64(hours) * 3_600_000
            let request = try RotateHookSecretRequest.with {
                $0.hookID = id
                $0.oldExpireTimeMs = hours == 0 ? 0 : end
                $0.secret = try secret.text()
            }
            let made = try await connection.calling { client in
                try await client.call(HookMethods.rotateHookSecret, request)
            }
            try printSecret(made.hook, made.secret, form)
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: """
                Send a webhook what happened in the last hours, after a token, or from a failed \
                request on.
                """)

        @OptionGroup var connection: Connection

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        @Option(help: "How many hours it goes back.")
        var hours: Int?

        @Option(help: "The token after which it goes on, of a stream or of a webhook.")
        var token: String?

        @Option(help: "The number of a failed request, as `failures` lists it.")
        var failure: Int64?

        func validate() throws {
            let given = [hours != nil, token != nil, failure != nil].count { $0 }
            guard given == 1 else {
                throw ValidationError("give --hours, --token or --failure")
            }
            guard (0...Limits.replayHours).contains(hours ?? 0) else {
                throw ValidationError("--hours takes a number from 0 to \(Limits.replayHours)")
            }
        }

        func run() async throws {
            let start: String? =
                if let failure { try await position(of: failure) } else { token }
            let request = ReplayHookRequest.with {
                $0.hookID = id
                if let start { $0.resumeToken = start }
                if let hours {
                    $0.timeMs = SystemClock.wall.milliseconds - Int64(hours) * 3_600_000
                }
            }
            try await connection.calling { client in
                _ = try await client.call(HookMethods.replayHook, request)
            }
        }

        /// The token of the position before the events of a failed request.
        private func position(of number: Int64) async throws -> String {
            let found = try await connection.calling { client -> HookFailure? in
                for try await failure in client.hookFailures(of: id)
                where failure.number == number {
                    return failure
                }
                return nil
            }
            guard let found else {
                throw Failure("the webhook has no failed request of the number \(number)")
            }
            guard !found.resumeToken.isEmpty else {
                throw Failure("the failed request \(number) has no events to send again")
            }
            return found.resumeToken
        }
    }

    struct Failures: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the last failed requests of a webhook, the latest first.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        @Argument(help: "The id of the webhook, as it is listed.")
        var id: String

        func run() async throws {
            let failures = try await connection.calling { client in
                var failures: [HookFailure] = []
                for try await failure in client.hookFailures(of: id) { failures.append(failure) }
                return failures
            }
            var rows: [[PlainText]] = [
                ["NUMBER", "TIME", "STATUS", "ATTEMPT", "EVENTS", "FIRST", "USER", "CAUSE"]
            ]
            for failure in failures {
                rows.append([
                    "\(failure.number)", time(failure.timeMs, "-"),
                    failure.status == 0 ? "-" : "\(failure.status)",
                    "\(failure.attempt)", "\(failure.events)", "\(failure.eventID)",
                    failure.userID.isEmpty ? "-" : "\(failure.userID)",
                    "\(failure.cause)\(failure.givenUp ? ", given up" : "")",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(failures) }
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
