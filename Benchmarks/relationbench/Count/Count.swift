import ArgumentParser
import GRPC
import Glibc
import Logging
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationRuntime
import Storage
import StorageRocks
import Synchronization
import Traces

/// Makes the calls of rows of the ceilings, for valgrind to count.
///
/// It prints a line for each row: how many calls were counted, how many events, if it is the events
/// that count, and in how many parts. Rows in one process share what valgrind makes of the program,
/// which takes longer than a row's calls.
struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make calls on one thread, for a tool that counts instructions.",
        discussion: "`make bench-check` runs it under valgrind, for the calls of `--list`.",
        shouldDisplay: false)

    @Flag(help: "Print the names of the calls.")
    var list = false

    @Flag(help: "With --list: print the names of the calls that have no ceiling.")
    var costs = false

    @Flag(help: "Make the data folder that the calls use.")
    var prepare = false

    @Option(help: "A data folder; a call that writes changes it, so each call has its own.")
    var data: [String] = []

    @Option(help: "The name of a call.")
    var call: [String] = []

    func validate() throws {
        guard list || (prepare ? data.count == 1 : !data.isEmpty && data.count == call.count)
        else {
            throw ValidationError("--list, or --data with --prepare or --call is needed")
        }
    }

    func run() throws {
        if list {
            for call in costs ? CountedCall.costs : CountedCall.all { print(call.name) }
        } else if prepare {
            try CountData.prepare(data[0])
        } else {
            for (name, data) in zip(call, data) {
                guard let call = CountedCall.named(name) else {
                    throw ValidationError("there is no such call; --list has their names")
                }
                let before = countedParts.load(ordering: .relaxed)
                let plan = try Self.run(call, data)
                let parts = countedParts.load(ordering: .relaxed) - before
                print(plan.counted, plan.counted * plan.events, parts)
            }
        }
    }

    /// The observer of the calls, whose own threads do nothing; nil for none.
    private static func observer(of call: CountedCall) -> (any CallObserver)? {
        let log = call.log.map {
            CallLog($0, thread: WorkThread("call-log", isDriven: true)) { _, _, _ in }
        }
        guard let sampling = call.sampling else { return log }
        let exporter = SpanExporter(
            service: "counted", version: "", logger: Logger(label: "counted"),
            thread: IdleThread())
        exporter.setCollector(IdleCollector())
        return CallTracer(sampling, to: exporter, before: log)
    }

    /// Makes the calls over the data in that folder.
    static func run(_ call: CountedCall, _ data: String) throws -> CountedPlan {
        let rocks = call.isFixed ? nil : try RocksStore(folder: data)
        let store: any Store = if let rocks { rocks } else { FixedStore() }
        defer { store.close() }
        if let rocks, let fill = call.fill { try fill(rocks) }
        // Fixed rows are the same for every key, which no adjacency list is.
        let service = CountedService(
            store, memory: call.isFixed ? ReadCache(hasAdjacency: false) : nil,
            app: call.app, observer: observer(of: call), headers: call.headers,
            isAdministrator: call.isAdministrator)
        defer { service.close() }
        for plan in try call.before() { try plan.run(on: service) { work in try work() } }
        let plan = try call.plan()
        let watch = call.watched.isEmpty ? nil : try WatchedService(service, call.watched)
        try plan.run(on: service) { work in
            guard watch == nil else { return try service.delivery.counted(work) }
            countBegins()
            try work()
            countEnds()
        }
        try watch?.check(events: plan.events * (plan.messages.count))
        return plan
    }
}

/// Streams of changes, each of one user, and what they were sent.
private struct WatchedService {
    private let connection: CountedConnection
    private let streams: Int

    init(_ service: CountedService, _ users: [String]) throws {
        connection = try CountedConnection(to: service, path: ChangeMethods.watch.path)
        streams = users.count
        let requests = try users.map { try WatchCrowd.request($0) }
        for start in stride(from: 0, to: users.count, by: CountLimits.preparedTogether) {
            let end = min(start + CountLimits.preparedTogether, users.count)
            try connection.feed(try connection.input(requests[start..<end]))
            service.settle()
        }
        try connection.read()
        let answers = connection.answers
        guard answers.count == streams, !answers.contains(where: \.isEnded), try events().isEmpty
        else { throw FloodError("a stream did not open, or sends changes before there are any") }
    }

    /// - Throws: ``FloodError`` if the streams were not notified of that many events in all.
    func check(events count: Int) throws {
        try connection.read()
        let sent = try events()
        guard sent.count == count, !connection.answers.contains(where: \.isEnded) else {
            throw FloodError("the streams were sent \(sent.count) events, not of \(count)")
        }
    }

    /// The messages with an event of a log.
    private func events() throws -> [WatchedMessage] {
        try connection.answers.flatMap(\.messages).map {
            try $0.withUnsafeBytes { try WatchedMessage($0) }
        }.filter { $0.sequence > 0 }
    }
}

/// A thread that never comes to its work.
private final class IdleThread: SpanThread {
    func run(_ work: @escaping @Sendable () -> Void) {}
    func run(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) {}
}

/// A collector that is asked for nothing.
private final class IdleCollector: Collector {
    let name = "none"

    func export(_ request: [UInt8]) async throws(RPCError) -> [UInt8] { [] }
    func close() async {}
}
