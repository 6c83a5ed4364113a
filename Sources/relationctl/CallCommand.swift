import ArgumentParser
import Protobuf
import RelationAPI
import RelationClient
import RelationModel

struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Make a call with a request in JSON, and print the answer in JSON.",
        discussion: """
            Fields have the names of the contract or their lowerCamelCase form. A call with a \
            stream of requests takes several, and prints one answer a line.
            """)

    @OptionGroup var connection: Connection

    @Argument(help: "The call, such as AddFriends or relation.v1.FriendService/AddFriends.")
    var method: String

    @Argument(help: "The request; {} if absent.")
    var requests: [String] = []

    func run() async throws {
        let found = ServiceTable.all.filter { line in
            [line.name, "\(line.service)/\(line.name)", line.path].contains(method)
        }
        guard let line = found.first else {
            throw ValidationError("no call \(method); 'relationctl methods' lists them")
        }
        let takesMany = line.shape == .bidirectional || line.shape == .clientStreaming
        let texts = requests.isEmpty ? ["{}"] : requests
        guard takesMany || texts.count == 1 else {
            throw ValidationError("\(line.name) takes one request")
        }
        var messages: [[UInt8]] = []
        for text in texts {
            do throws(CodecError) {
                messages.append(try line.encodeRequest(text))
            } catch {
                throw ValidationError("the request is not a \(line.request.fullName): \(error)")
            }
        }
        let client = try connection.client()
        do {
            if line.shape == .unary {
                print(try line.decodeResponse(try await client.call(line, messages[0])))
            } else {
                // A stream may go on for days, so each answer is printed when it comes.
                try await client.exchange(line, messages) { answer in
                    guard StandardOutput.print(try line.decodeResponse(answer)) else {
                        throw NobodyReads()
                    }
                }
            }
        } catch let error as CallError {
            await client.close()
            throw Failure(error.description)
        } catch is NobodyReads {
            // The reader of the pipe has seen enough. Other programs end quietly too.
        }
        await client.close()
    }
}

/// An error: the other end of standard output was closed.
private struct NobodyReads: Error {}

struct Methods: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the calls, what each takes and answers, and the scope that it needs.")

    @Flag(help: "Print every call with every code that it may answer, as a page of Markdown.")
    var markdown = false

    func run() {
        if markdown { return print(CallPage.markdown, terminator: "") }
        for method in ServiceTable.all {
            let path = "\(method.service)/\(method.name)"
            let (many, answers) =
                switch method.shape {
                case .unary: ("", "")
                case .serverStreaming: ("", "stream ")
                case .clientStreaming: ("stream ", "")
                case .bidirectional: ("stream ", "stream ")
                }
            print(
                "\(path)\n    \(method.scope.word): \(many)\(method.request.fullName) -> "
                    + "\(answers)\(method.response.fullName)")
        }
    }
}
