import Protobuf
import RelationCore
import RelationRuntime
import StorageRocks
import Traces

/// A call whose instructions are counted, by the name that the table of ceilings has.
struct CountedCall {
    let name: String
    /// Whether every read gets the same row, so that the count is that of the stack alone.
    var isFixed = false
    /// Which calls have lines in the log; nil for a server without a log of calls.
    var log: CallLogOptions?
    /// Which calls are traced; nil for a server that exports no spans.
    var sampling: TraceSampling?
    /// The headers with which the calls come.
    var headers = CountedHeaders.repeated
    /// Whether the caller has the scope `admin`.
    var isAdministrator = false
    /// The app of the caller, with its settings.
    var app = CountedService.app
    /// Writes rows into the store before the service opens; nil if the call needs none.
    var fill: ((RocksStore) throws -> Void)?
    /// Calls that are made before, and not counted.
    var before: () throws -> [CountedPlan] = { [] }
    /// The users that streams follow, one each.
    ///
    /// If there are any, the delivery to the streams is counted, and the calls are not.
    var watched: [String] = []
    let plan: () throws -> CountedPlan

    /// All calls: the twenty that a back end makes most, some of them in several sizes.
    static var all: [CountedCall] {
        let reads = fixed + reads
        return reads + connect(reads) + alone + writes + events + histories
    }

    /// Some reads in Connect, in protobuf and in JSON.
    private static func connect(_ reads: [CountedCall]) -> [CountedCall] {
        let names = ["CheckFriends.1", "CheckFriends.20", "GetRelations.10", "ListFriends.50"]
        return names.flatMap { name in
            reads.filter { $0.name == name }.flatMap { read in
                [false, true].map { isJSON in
                    CountedCall(name: "\(name).connect" + (isJSON ? ".json" : "")) {
                        try read.plan().inConnect(json: isJSON)
                    }
                }
            }
        }
    }

    /// One call at a time in Connect: over HTTP/2, and over HTTP/1.1, whose clients have no more.
    private static var alone: [CountedCall] {
        let name = "CheckFriends.1.fixed.alone"
        let plan = checks(1, 1, 100).plan
        func call(
            _ kind: String, headers: CountedHeaders = .repeated,
            _ change: @escaping (CountedPlan) throws -> CountedPlan
        ) -> CountedCall {
            CountedCall(name: name + kind, isFixed: true, headers: headers) {
                try change(try plan())
            }
        }
        return [
            call(".connect") { try $0.inConnect(json: false) },
            call(".connect.json") { try $0.inConnect(json: true) },
            call(".http1") { try $0.inHTTP1(json: false) },
            call(".http1.json") { try $0.inHTTP1(json: true) },
            // A number in each header block, so that none is found in the cache.
            call(".http1.json.parent", headers: .traced(flags: 0)) { try $0.inHTTP1(json: true) },
        ]
    }

    /// The call with that name, with a ceiling or without.
    static func named(_ name: String) -> CountedCall? { (all + costs).first { $0.name == name } }

    // MARK: Kinds

    /// Calls that read: so many at once, in so many turns.
    ///
    /// - Parameters:
    ///   - different: How many different calls there are.
    ///   - fill: Makes the request of a number.
    static func read<Request: CodedMessage, Response: CodedMessage>(
        _ name: String, _ method: Protobuf.Method<Request, Response>, _ streams: Int, _ turns: Int,
        different: Int = CountLimits.owners, _ isRight: @escaping (Response) -> Bool,
        _ fill: @escaping (inout Request, Int) -> Void
    ) -> CountedCall {
        CountedCall(name: name) {
            let requests = (0..<different).map { number in Request.with { fill(&$0, number) } }
            return try .reads(method, streams: streams, turns: turns, requests, isRight)
        }
    }

    /// Calls that write, in batches of which each is one transaction.
    static func write<Request: CodedMessage, Response: CodedMessage>(
        _ name: String, _ method: Protobuf.Method<Request, Response>, batch: Int = 16,
        turns: Int = 8, warmUp: Int = 2, _ isRight: @escaping (Response) -> Bool,
        _ fill: @escaping (inout Request, Int) -> Void
    ) -> CountedCall {
        CountedCall(name: name) {
            let requests = (0..<CountLimits.writes).map { number in
                Request.with { fill(&$0, number) }
            }
            return try .writes(
                method, batch: batch, turns: turns, warmUp: warmUp, requests, isRight)
        }
    }

    // MARK: Fixed rows

    private static var fixed: [CountedCall] {
        [
            fixed(""), fixed(".alone", streams: 1, turns: 100),
            // As a server does by default: a call that is not slow has no line.
            fixed(".noted", log: .slow),
            // The access log in full; the text of the lines is the work of another thread.
            fixed(".logged", log: .all),
            // Spans are exported, and the caller keeps no trace.
            fixed(".untraced", log: .slow, .parent),
            // A trace of the server's own; the text of the spans is the work of another thread.
            fixed(".traced", log: .slow, .all),
            // A number in each header block. Here it is not read.
            fixed(".parent", headers: .traced(flags: 0)),
            fixed(".parent.untraced", log: .slow, .parent, headers: .traced(flags: 0)),
            fixed(".parent.traced", log: .slow, .parent, headers: .traced(flags: 1)),
            // A number and a time in each header block.
            fixed(".heads", headers: .fresh), fixed(".heads.added", headers: .added),
            fixed("", ids: 100, streams: 4, turns: 10),
            // More than a loop answers: a reader's thread does.
            fixed("", ids: 200, streams: 4, turns: 10),
        ]
    }

    private static func fixed(
        _ kind: String, ids: Int = 1, streams: Int = 50, turns: Int = 8,
        log: CallLogOptions? = nil, _ sampling: TraceSampling? = nil,
        headers: CountedHeaders = .repeated
    ) -> CountedCall {
        CountedCall(
            name: "CheckFriends.\(ids).fixed" + kind, isFixed: true, log: log, sampling: sampling,
            headers: headers, plan: checks(ids, streams, turns).plan)
    }
}

extension CallLogOptions {
    fileprivate static var slow: CallLogOptions {
        var options = CallLogOptions()
        options.slowMilliseconds = 1_000
        return options
    }

    fileprivate static var all: CallLogOptions {
        var options = slow
        options.every = 1
        return options
    }
}

extension TraceSampling {
    fileprivate static var parent: TraceSampling { TraceSampling(followsParent: true, share: 0) }
    fileprivate static var all: TraceSampling { TraceSampling(followsParent: true, share: 1) }
}
