import Protobuf
import RelationAPI
import RelationModel

/// The items of a write that the server refused, each with its code and its reason.
struct RefusedItems {
    private var lines: [PlainText] = []

    /// Notes the outcome of an item, if it was refused.
    mutating func note<Result: ResultMessage>(_ item: String, _ result: Result) {
        guard let code = result.code, code.rawValue != 0 else { return }
        let reason = result.reason == .none ? nil : result.reason.name
        lines.append(
            ["\(item):", code.name ?? "\(code.rawValue)", reason].compactMap { $0 }
                .map { PlainText($0) }.joined(" "))
    }

    /// - Throws: ``Failure`` if an item was refused, which names all of them.
    func check() throws {
        guard lines.isEmpty else { throw Failure(lines.joined("\n  "), .itemsRefused) }
    }
}
