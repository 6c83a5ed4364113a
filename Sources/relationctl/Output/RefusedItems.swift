import Protobuf
import RelationAPI
import RelationModel

/// The items of a write that the server refused, each with its code and its reason.
struct RefusedItems {
    private var lines: [PlainText] = []

    /// Notes the outcome of an item, if it was refused.
    mutating func note<Result: ResultMessage>(_ item: String, _ result: Result) {
        guard let code = result.code, code.rawValue != 0 else { return }
        let reason = result.reason == .none ? nil : Self.text(of: result.reason)
        lines.append(
            ["\(item):", code.name ?? "\(code.rawValue)", reason].compactMap { $0 }
                .map { PlainText($0) }.joined(" "))
    }

    /// The text of a reason in results, such as `Err_ChangeUndo_Not_Exist`; its name if this
    /// program does not know it.
    private static func text(of reason: Reason) -> String {
        let known = Reason.entries.first { $0.reason == reason }
        return known.map { "\($0.info)" } ?? reason.name ?? "\(reason.rawValue)"
    }

    /// - Throws: ``Failure`` if an item was refused, which names all of them.
    func check() throws {
        guard lines.isEmpty else { throw Failure(lines.joined("\n  "), .itemsRefused) }
    }
}
