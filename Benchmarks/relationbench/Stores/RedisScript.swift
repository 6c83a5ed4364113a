/// The script that adds a friendship to Redis.
struct RedisScript {
    private let digest: String

    /// Tells a server the script in the file at `path`.
    init(_ path: String, _ port: UInt16) throws(FloodError) {
        guard let text = readText(path) else { throw FloodError(system: path) }
        let lines = try Tool.lines(
            "/usr/bin/redis-cli", ["-p", "\(port)", "SCRIPT", "LOAD", text])
        guard let line = lines.first, line.count == 40 else {
            throw FloodError("\(path) is no script: \(lines.joined(separator: " "))")
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
