/// `google.protobuf.FieldMask`: the fields that a call is about.
public struct FieldMask: Message, Hashable {
    /// Names as in the contract, with dots between levels.
    public var paths: [String] = []

    public init() {}

    /// Creates a mask of `paths`: names as in the contract, with dots between levels.
    public init(_ paths: [String]) {
        self.paths = paths
    }
}

extension FieldMask: JSONStringMessage {
    @usableFromInline package static let schema = Schema(
        "google.protobuf.FieldMask", FieldMask.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "paths", &paths)
    }

    /// Reads "remark,userId" as the paths `remark` and `user_id`.
    ///
    /// It refuses a text that would be written in another way, for example with empty names or an
    /// underscore.
    init?(jsonString: String) {
        guard !jsonString.isEmpty else { return }
        for name in jsonString.split(separator: ",", omittingEmptySubsequences: false) {
            let path = JSONName.snake(String(name))
            guard !name.isEmpty, JSONName.lowerCamel(path) == name else { return nil }
            paths.append(path)
        }
    }

    /// Nil if a path would not come back: `user__id` and `userID` would come back as `user_id`.
    var jsonString: String? {
        let text = paths.map { JSONName.lowerCamel($0) }.joined(separator: ",")
        return FieldMask(jsonString: text)?.paths == paths ? text : nil
    }
}
