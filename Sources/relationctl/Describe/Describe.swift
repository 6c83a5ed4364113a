import ArgumentParser
import ContractText
import Protobuf
import RelationAPI
import RelationModel

struct Describe: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain a call, a message, a field, an enum, a code or a reason.",
        discussion: """
            It needs no server. A name may be in any case, with or without the name that it \
            stands in. A name of TIM, RongCloud or Facebook is explained by what it is here. \
            Without a name, all calls are listed.

            relationctl describe addfriends
            relationctl describe friend.remark
            relationctl describe 30525
            relationctl describe getPendencyList
            """)

    @OptionGroup var form: DataOutput

    @Argument(help: "The name, or the number of a code.", completion: .list(CallName.all))
    var name: String?

    func run() throws {
        let contract = try ContractEntries()
        guard let name else {
            try form.show(list(of: contract)) { _ in
                let services = contract.entries.filter { $0.kind == .service }
                return .array(services.map { $0.data(in: contract) })
            }
            return
        }
        guard !name.isEmpty else {
            throw Failure("the name is empty: 'relationctl describe' lists all calls", .misuse)
        }
        let found = contract.found(Self.reason(of: name) ?? name)
        guard !found.isEmpty else {
            let wanted = NearNames.plain(
                String(name.split(whereSeparator: { ".:/".contains($0) }).last ?? ""))
            let words =
                NearNames.question(for: wanted, among: contract.names)
                ?? "'relationctl describe' lists all calls"
            throw Failure("nothing is called \(name): \(words)", .misuse)
        }
        guard found.count <= Limits.describedInFull else {
            try form.show(short(found, name)) { _ in .array(found.map(\.data)) }
            return
        }
        let pages = found.map { Description($0, contract).text }
        try form.show(pages.joined("\n")) { _ in .array(found.map { $0.data(in: contract) }) }
    }

    /// The reason whose text in results, such as `Err_SNS_FriendAdd_Friend_Exist`, this is.
    private static func reason(of text: String) -> String? {
        Reason.entries.first { "\($0.info)".lowercased() == text.lowercased() }?.reason.name
    }

    private func list(of contract: ContractEntries) -> PlainText {
        contract.entries.filter { $0.kind == .service }.map { service in
            let rows = contract.parts(of: service.name).map { part -> [PlainText] in
                ["", "\(part.name)", Description.firstSentence(of: part)]
            }
            return "\(Paint.heading("\(service.name)"))\n\(PlainTable(rows: rows).text)"
        }.joined("\n")
    }

    private func short(_ found: [ContractEntries.Entry], _ name: String) -> PlainText {
        let rows = found.prefix(Limits.describedInShort).map { entry -> [PlainText] in
            ["\(entry.fullName)", Description.firstSentence(of: entry)]
        }
        let cut = found.count - rows.count
        let more: PlainText = cut > 0 ? "and \(cut) more\n" : ""
        return "\(name) is the name of \(found.count) things; name one of them:\n"
            + PlainTable(rows: rows).text + more
    }
}

/// The page that explains one thing of the contract.
private struct Description {
    private var lines: [PlainText] = []

    var text: PlainText { lines.joined("\n") + "\n" }

    init(_ entry: ContractEntries.Entry, _ contract: ContractEntries) {
        switch entry.kind {
        case .service: add("service \(entry.name)", entry)
        case .call: add("\(entry.parent)/\(entry.name)", entry)
        case .message: add("message \(entry.name)", entry)
        case .enumeration: add("enum \(entry.name)", entry)
        case .field: add("\(entry.fullName) = \(entry.number): \(entry.type)", entry)
        case .value: add("\(entry.name) = \(entry.number), of \(entry.parent)", entry)
        }
        if entry.kind == .call {
            addCall(entry, contract)
        } else if entry.kind == .value {
            addReason(entry)
        } else {
            addParts(of: entry.name, contract)
        }
    }

    static func firstSentence(of entry: ContractEntries.Entry) -> PlainText {
        let text = entry.comment.prefix { !$0.isEmpty }.joined(separator: " ")
        guard let end = text.firstRange(of: ". ") else { return "\(text)" }
        return "\(text[..<end.lowerBound])."
    }

    private mutating func add(_ heading: PlainText, _ entry: ContractEntries.Entry) {
        lines.append(Paint.heading(heading))
        lines += entry.comment.map { $0.isEmpty ? "" : "  \($0)" }
    }

    private mutating func addParts(of name: String, _ contract: ContractEntries) {
        for part in contract.parts(of: name) {
            lines.append("")
            let type = part.type.isEmpty ? "" : ": \(part.type)"
            let number = part.number.isEmpty ? "" : " = \(part.number)"
            lines.append("  \(Paint.heading("\(part.name)\(number)\(type)"))")
            lines += part.comment.map { $0.isEmpty ? "" : "    \($0)" }
        }
    }

    private mutating func addCall(_ entry: ContractEntries.Entry, _ contract: ContractEntries) {
        let method = ServiceTable.all.first { $0.name == entry.name }
        lines.append("")
        lines.append("  \(entry.type); scope \(method?.scope.word ?? "none")")
        let codes = (method?.answers ?? []).map { code -> [PlainText] in
            [
                "", "\(code.number)", "\(code.name)",
                "\(code.schema.meaning(of: code.number) ?? "")",
            ]
        }
        if !codes.isEmpty {
            lines += ["", Paint.heading("codes"), PlainTable(rows: codes).text.withoutLastEnd]
        }
        for schema in [method?.request, method?.response] {
            guard let name = schema?.fullName.split(separator: ".").last else { continue }
            lines += ["", Paint.heading("message \(name)")]
            addParts(of: String(name), contract)
        }
    }

    private mutating func addReason(_ entry: ContractEntries.Entry) {
        guard entry.parent == "Reason",
            let reason = Reason.entries.first(where: { $0.reason.name == entry.name })
        else { return }
        lines += [
            "", "  in results: \(reason.info)", "  calls: \(reason.calls)",
            "  codes: \(reason.codes)", "  do: \(reason.advice)",
        ]
    }
}
