import ArgumentParser
import RelationAPI
import RelationClient
import Support

struct ConsumersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumers",
        abstract: "List the consumers of an app's changes, or delete one.",
        discussion: """
            A consumer is a position in the changes that the server keeps under a name.

            relationctl consumers list
            relationctl watch --all --consumer orders
            relationctl consumers delete orders
            """,
        subcommands: [List.self, Delete.self])

    func run() throws {
        throw Relationctl.lack(Self.self)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the consumers, with how far they are behind.")

        @OptionGroup var connection: Connection

        @OptionGroup var form: DataOutput

        func run() async throws {
            let consumers = try await connection.calling { client in
                var consumers: [Consumer] = []
                for try await consumer in client.consumers() { consumers.append(consumer) }
                return consumers
            }
            let now = SystemClock.wall.milliseconds
            var rows: [[PlainText]] = [
                ["NAME", "WAITING", "READER", "HELD", "ACKNOWLEDGED", "STATE"]
            ]
            for consumer in consumers {
                rows.append([
                    "\(consumer.consumer)", "\(consumer.waitingEvents)", "\(consumer.reader)",
                    "\(consumer.expireTimeMs > now ? "yes" : "no")",
                    "\(Self.ago(consumer.acknowledgeTimeMs, now))",
                    "\(Self.state(consumer))",
                ])
            }
            try form.show(PlainTable(rows: rows).text) { try $0.list(consumers) }
        }

        private static func ago(_ timeMs: Int64, _ now: Int64) -> String {
            timeMs == 0 ? "never" : "\(max(0, now - timeMs) / 1_000) s ago"
        }

        private static func state(_ consumer: Consumer) -> String {
            if consumer.isTrimmed { return "out of the log" }
            return consumer.resumeToken.isEmpty ? "begins with the present state" : "in the log"
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a consumer: its position is lost, and its reader's streams end.")

        @OptionGroup var connection: Connection

        @Argument(help: "The name of the consumer.")
        var name: String

        func run() async throws {
            try await connection.calling { client in
                _ = try await client.call(
                    ChangeMethods.deleteConsumer,
                    DeleteConsumerRequest.with { $0.consumer = name })
            }
        }
    }
}
