/// Servers that speak Redis' protocol.
enum RedisServer {
    private static let program = "/usr/bin/redis-server"

    /// Starts Redis, in memory or with a log that it syncs before each answer.
    ///
    /// - Parameter folder: An empty folder for its files.
    static func start(isDurable: Bool, in folder: String) throws(FloodError) -> ServerProcess {
        try QuietServer.start { port in
            [
                program, "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                "--logfile", "log", "--appendonly", isDurable ? "yes" : "no",
                "--appendfsync", "always",
            ]
        }
    }

    /// Sends each of `requests` once.
    static func send(_ requests: [PipelineFlood.Request], to port: UInt16) throws(FloodError) {
        guard !requests.isEmpty else { return }
        let flood = PipelineFlood(
            port: port, requests: requests, load: Load(streams: 16), calls: requests.count)
        _ = try flood.run()
    }
}

/// Commands and answers in Redis' protocol.
enum RedisCommand {
    /// A command of these words.
    static func bytes(_ words: [String]) -> [UInt8] {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words { bytes += text(word) }
        return bytes
    }

    /// The answer that is one number.
    static func number(_ value: Int) -> [UInt8] { Array(":\(value)\r\n".utf8) }

    /// The answer that is a list of numbers.
    static func numbers(_ values: [Int]) -> [UInt8] {
        Array("*\(values.count)\r\n".utf8) + values.flatMap(number)
    }

    /// A word of a command, or the answer that is a text, with its length.
    static func text(_ value: String) -> [UInt8] {
        Array("$\(value.utf8.count)\r\n\(value)\r\n".utf8)
    }
}

/// The script that adds a friendship to Redis.
struct RedisScript {
    private let digest: String

    /// Sends a server the script in the file at `path`.
    init(_ path: String, _ port: UInt16) throws(FloodError) {
        guard let text = readText(path) else { throw FloodError(system: path) }
        let lines = try Tool.lines("/usr/bin/redis-cli", ["-p", "\(port)", "SCRIPT", "LOAD", text])
        guard let line = lines.first, line.count == 40 else {
            throw FloodError("\(path) is not a script: \(lines.joined(separator: " "))")
        }
        digest = line
    }

    /// The first of a pair, both still without any friend, becomes the second's friend.
    func add(_ pair: (String, String)) -> PipelineFlood.Request {
        let keys = ["friends:", "head:", "log:"].flatMap { [$0 + pair.0, $0 + pair.1] }
        let values = [pair.0, pair.1, "1790000000000", "AddSource_Type_Bench"]
        return PipelineFlood.Request(
            command: RedisCommand.bytes(["EVALSHA", digest, "\(keys.count)"] + keys + values),
            answer: RedisCommand.number(1))
    }

    /// Questions whose answers say that a pair was added once.
    static func checks(_ pair: (String, String)) -> [PipelineFlood.Request] {
        [(pair.0, pair.1), (pair.1, pair.0)].flatMap { one, other in
            [
                (["HEXISTS", "friends:\(one)", other], RedisCommand.number(1)),
                (["HGET", "head:\(one)", "friends"], RedisCommand.text("1")),
                (["LLEN", "log:\(one)"], RedisCommand.number(1)),
            ].map { PipelineFlood.Request(command: RedisCommand.bytes($0), answer: $1) }
        }
    }
}
