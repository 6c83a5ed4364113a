import ArgumentParser
import Protobuf
import RelationClient

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Make a call with a request in JSON, and print the answer.",
        discussion: """
            The name of the call may be in any case. Fields have the names of the contract or \
            their lowerCamelCase form. A request is JSON, @FILE, or - for standard input. A call \
            with a stream of requests takes several, one a line of a file, and prints one answer \
            a line.

            relationctl call checkfriends '{"user_id": "alice", "user_ids": ["bob"]}'
            relationctl call ListFriends @request.json --output table
            """)

    @OptionGroup var connection: Connection
    @OptionGroup var flags: CallFlags

    @Option(
        name: [.short, .long],
        help: "The form of the answer: json on one line, pretty or yaml with zeros, or table.")
    var output = AnswerForm.json

    @Flag(help: "End with status 5 if the server refused any item of the call.")
    var failOnRefused = false

    @Argument(
        help: "The call, such as AddFriends or relation.v1.FriendService/AddFriends.",
        completion: .list(CallName.all))
    var method: String

    @Argument(help: "The request: JSON, @FILE, or - for standard input; {} if absent.")
    var requests: [String] = []

    func run() async throws {
        let line = try CallName.method(method)
        let messages = try messages(for: line)
        let client = try connection.client()
        var count = (refused: 0, all: 0)
        do {
            let options = flags.options
            if line.shape == .unary {
                let answer = try await client.call(line, messages[0], options: options)
                _ = try show(answer, line, &count)
            } else {
                // A stream may go on for days, so each answer is printed when it comes.
                try await client.exchange(line, messages, options: options) { answer in
                    guard try show(answer, line, &count) else { throw OutputIsClosed() }
                }
            }
        } catch let error as CallError {
            await client.close()
            throw Failure(error)
        } catch is OutputIsClosed {
            // The reader of the pipe has seen enough. Other programs end quietly too.
        }
        await client.close()
        if failOnRefused, count.refused > 0 {
            throw Failure("\(count.refused) of \(count.all) items were refused", .itemsRefused)
        }
    }

    /// Prints an answer.
    ///
    /// - Returns: Whether the output is still read.
    private func show(
        _ answer: [UInt8], _ line: AnyMethod, _ count: inout (refused: Int, all: Int)
    ) throws -> Bool {
        if failOnRefused {
            let more = try AnswerForm.refused(in: answer, line.typed)
            count = (count.refused + more.refused, count.all + more.all)
        }
        let text = try output.text(of: answer, line.typed)
        if line.shape == .unary {
            try StandardOutput.show(text + "\n")
            return true
        }
        return try StandardOutput.print(output.documentStart + text)
    }

    private func messages(for line: AnyMethod) throws -> [[UInt8]] {
        let takesMany = line.shape == .bidirectional || line.shape == .clientStreaming
        let texts = try RequestText.all(requests, takesMany: takesMany)
        guard !texts.isEmpty else {
            throw Failure("\(line.name) gets no request: what was read has none", .misuse)
        }
        guard takesMany || texts.count == 1 else {
            throw Failure("\(line.name) takes one request, not \(texts.count)", .misuse)
        }
        var messages: [[UInt8]] = []
        for (index, request) in texts.enumerated() {
            do throws(CodecError) {
                messages.append(try line.encodeRequest(request.text))
            } catch {
                let location = request.location.map { "\($0): " } ?? ""
                let subject = texts.count > 1 ? "request \(index + 1)" : "the request"
                throw Failure(
                    "\(location)\(subject) is not a \(line.request.fullName): \(error.message)",
                    .misuse)
            }
        }
        if let requestID = flags.requestID {
            let options = line.request.fields.first { $0.name == "options" }
            guard line.shape == .unary, line.access == .write, options?.number == 2 else {
                throw Failure("\(line.name) takes no --request-id: it is not a write", .misuse)
            }
            messages[0] += Self.options(withID: requestID)
        }
        return messages
    }

    /// Field 2 of a write, its `WriteOptions`, with an id: it is merged into what was there before.
    private static func options(withID id: String) -> [UInt8] {
        let bytes = [UInt8](id.utf8)
        let inner = [0x0A] + varint(bytes.count) + bytes
        return [0x12] + varint(inner.count) + inner
    }

    private static func varint(_ number: Int) -> [UInt8] {
        var (rest, bytes) = (number, [UInt8]())
        while rest > 127 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}

/// An error: the other end of standard output was closed.
private struct OutputIsClosed: Error {}
