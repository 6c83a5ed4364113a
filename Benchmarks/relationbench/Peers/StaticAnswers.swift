/// Answers as files, for a server that knows nothing of gRPC.
///
/// Each file is a whole message in gRPC's frame. With a trailer that such a server can be set to
/// add, it is a correct answer.
enum StaticAnswers {
    /// The folder of the files, in that of the peers.
    static let folder = "htdocs"

    /// The path of the answer to calls of so many users.
    static func path(ids: Int) -> String { "\(service)/CheckFriends.\(ids)" }

    private static let service = "relation.v1.FriendService"

    /// Writes the files.
    ///
    /// - Parameter answers: The messages, by the length of their calls.
    static func write(_ answers: [Int: [UInt8]], in parent: String) throws(FloodError) {
        let root = parent + "/" + folder
        try Tool.run("/bin/mkdir", ["-p", "\(root)/\(service)"])
        for (ids, answer) in answers {
            try OutputFile.write([UInt8](enveloping: answer), to: root + "/" + path(ids: ids))
        }
    }
}
