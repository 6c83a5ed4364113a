import ArgumentParser
import RelationAPI
import RelationClient

/// The numbers of the apps of a server, for completion by a shell.
enum AppNumbers {
    /// The apps of the server that a half-typed command line is for.
    ///
    /// - Parameter words: The words of the line, as the shell has split them.
    /// - Returns: None if there is no server, or if the caller may not list apps.
    static func all(_ words: [String]) async -> [String] {
        guard let line = try? await Line.asyncParse(options(in: words)),
            let client = try? line.connection.client()
        else { return [] }
        let options = CallOptions(timeout: .seconds(Limits.completionSeconds), retries: false)
        let request = ListAppsRequest.with { $0.pageSize = Limits.completedApps }
        let answer = try? await client.call(AppMethods.listApps, request, options: options)
        await client.close()
        return answer?.apps.map { "\($0.appID)" } ?? []
    }

    /// A command line of nothing but these options.
    private struct Line: AsyncParsableCommand {
        @OptionGroup var connection: Connection
    }

    /// The options of a line that say which server it is, and who calls.
    private static func options(in words: [String]) -> [String] {
        var found: [String] = []
        var takesNext = false
        for word in joined(words) {
            if takesNext {
                found.append(word)
                takesNext = false
            } else if valued.contains(word) {
                found.append(word)
                takesNext = true
            } else if word == "--tls" || valued.contains(where: { word.hasPrefix($0 + "=") }) {
                found.append(word)
            }
        }
        return found
    }

    private static let valued = [
        "--server", "--key", "--profile", "--user-sig", "--tls-ca", "--tls-cert", "--tls-key",
        "--tls-name",
    ]

    /// The words as they were typed: bash splits them at `:` and at `=`.
    private static func joined(_ words: [String]) -> [String] {
        var whole: [String] = []
        var goesOn = false
        for word in words {
            let isMark = word == ":" || word == "="
            if (isMark || goesOn) && !whole.isEmpty {
                whole[whole.count - 1] += word
            } else {
                whole.append(word)
            }
            goesOn = isMark
        }
        return whole
    }
}
