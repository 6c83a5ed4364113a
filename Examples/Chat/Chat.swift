import Foundation
import RelationClient

/// A chat back end in small: its users type commands, and see changes at once.
@main struct Chat {
    private static let help = """
        join USER NAME      make an account, or give it another name
        add USER OTHER      ask OTHER to be a friend
        inbox USER          the users that wait for an answer
        accept USER OTHER   say yes to OTHER
        friends USER        all friends
        who USER OTHER...   the names of others, as USER may see them
        """

    let relations: Relations

    static func main() async {
        let variable = ProcessInfo.processInfo.environment["RELATION_SERVER"]
        let address = CommandLine.arguments.dropFirst().first ?? variable ?? "127.0.0.1:7450"
        do {
            let chat = Chat(relations: try Relations(server: ServerAddress(address)))
            let following = Task { await chat.follow() }
            for await line in lines() { await chat.obey(line) }
            following.cancel()
            await chat.relations.close()
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private func follow() async {
        do {
            try await relations.follow(say)
        } catch is CancellationError {
            // The input has ended.
        } catch {
            say("(the changes have ended: \(error))")
        }
    }

    private func obey(_ line: String) async {
        do {
            say(try await answer(to: line.split(separator: " ").map(String.init)))
        } catch {
            // The code, the reason and the message of a CallError say what can be done.
            say("sorry: \(error)")
        }
    }

    private func answer(to words: [String]) async throws -> String {
        guard words.count >= 2 else { return Self.help }
        let (user, others) = (words[1], Array(words[2...]))
        switch (words[0], others.first) {
        case ("join", let name?):
            return try await relations.join(user, as: name)
        case ("add", let other?):
            return try await relations.add(other, for: user, wording: "It is \(user)")
        case ("inbox", nil):
            return list(try await relations.applications(to: user))
        case ("accept", let other?):
            return try await relations.accept(other, for: user)
        case ("friends", nil):
            return list(try await relations.friends(of: user))
        case ("who", _?):
            return list(try await relations.names(of: others, as: user))
        default:
            return Self.help
        }
    }
}

private func list(_ words: [String]) -> String {
    words.isEmpty ? "none" : words.joined(separator: ", ")
}

private func say(_ words: String) {
    FileHandle.standardOutput.write(Data("\(words)\n".utf8))
}

/// The lines of standard input; a thread waits for them, so that no task has to.
private func lines() -> AsyncStream<String> {
    AsyncStream { lines in
        Thread.detachNewThread {
            while let line = readLine() { lines.yield(line) }
            lines.finish()
        }
    }
}
