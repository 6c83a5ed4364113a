import Protobuf
import RelationAPI
import RelationModel
import Testing

/// The conventions of every message of the contract.
@Suite struct ConventionTests {
    private static let unary = ServiceTable.all.filter { $0.shape == .unary }

    private static func line(_ schema: Schema, _ number: UInt32) -> String {
        schema.fields.first { $0.number == number }?.description ?? "none"
    }

    /// A call that is not for users acts for no user, so its request names none.
    @Test(arguments: unary.map(\.name))
    func aRequestBeginsWithUserAndOptions(_ name: String) throws {
        let call = try #require(Self.unary.first { $0.name == name })
        let options = call.access == .write ? "WriteOptions" : "ReadOptions"
        let user = call.audience == .users ? "string user_id = 1" : "none"
        #expect(Self.line(call.request, 1) == user)
        #expect(Self.line(call.request, 2) == "relation.v1.\(options) options = 2")
    }

    @Test(arguments: unary.filter { $0.access == .write }.map(\.name))
    func aWriteAnswersSequenceAppliedReplayed(_ name: String) throws {
        let response = try #require(Self.unary.first { $0.name == name }).response
        #expect(Self.line(response, 1) == "int64 sequence = 1")
        #expect(Self.line(response, 2) == "bool applied = 2")
        #expect(Self.line(response, 3) == "bool replayed = 3")
        #expect(Self.line(response, 60) == "relation.v1.WriteEffects effects = 60")
    }

    @Test func aRequestCannotActByLeavingAFieldOut() {
        let acting = [
            FriendResponseType.schema.fullName, AllowType.schema.fullName,
            Visibility.schema.fullName,
        ]
        var seen: Set<String> = []
        for call in ServiceTable.all {
            for message in call.request.reachable().messages {
                for field in message.fields where acting.contains(field.type.description) {
                    seen.insert(field.type.description)
                    #expect(field.presence == .explicit, "\(message.fullName).\(field.name)")
                }
            }
        }
        #expect(seen == Set(acting))
    }

    @Test func namesOfValuesBeginWithTheirEnum() {
        for call in ServiceTable.all {
            for schema in call.request.reachable().enums + call.response.reachable().enums {
                let prefix = schema.fullName.split(separator: ".").last.map(Self.screaming) ?? ""
                for value in schema.values {
                    #expect(value.name.hasPrefix("\(prefix)_"), "\(value.name)")
                }
            }
        }
    }

    /// "AddType" as "ADD_TYPE".
    private static func screaming(_ name: Substring) -> String {
        var text = ""
        for letter in name {
            if letter.isUppercase, !text.isEmpty { text += "_" }
            text += letter.uppercased()
        }
        return text
    }

    /// Every message of the contract.
    private static let messages: [Schema] = {
        let all = ServiceTable.all.flatMap { [$0.request, $0.response] }
            .flatMap { $0.reachable().messages }
        return Dictionary(all.map { ($0.fullName, $0) }, uniquingKeysWith: { first, _ in first })
            .values.filter { $0.fullName.hasPrefix("relation.v1.") }
            .sorted { $0.fullName < $1.fullName }
    }()

    private static func name(_ schema: Schema) -> String {
        String(schema.fullName.dropFirst("relation.v1.".count))
    }

    @Test func everyTimeSaysItsUnit() {
        for message in Self.messages {
            for field in message.fields where field.name.contains("time") {
                #expect(field.name.hasSuffix("_ms"), "\(message.fullName).\(field.name)")
                #expect(field.type.description == "int64")
                // The verb of a time has one form: `create_time_ms`.
                #expect(!field.name.hasSuffix("ed_time_ms"), "\(message.fullName).\(field.name)")
            }
        }
    }

    @Test func anIdSaysWhatItNames() {
        let kinds = [
            "app_id", "application_id", "client_app_id", "credential_id", "deletion_id",
            "device_id", "event_id", "hook_id", "import_id", "invitation_id", "of_request_id",
            "report_id",
            "request_id", "review_id", "unique_id", "by_id", "by_unique_id",
        ]
        for message in Self.messages {
            for field in message.fields {
                let place: Comment = "\(message.fullName).\(field.name)"
                if field.name.hasSuffix("_id"), !kinds.contains(field.name) {
                    #expect(field.name.hasSuffix("user_id"), place)
                }
                if field.name.hasSuffix("_ids"), field.name != "application_ids" {
                    #expect(field.name.hasSuffix("user_ids"), place)
                }
            }
        }
    }

    // MARK: Results

    private static let statuses = [
        FriendStatus.schema, ProfileStatus.schema, SendStatus.schema, SubscriptionStatus.schema,
        FollowStatus.schema,
    ].map(\.fullName)

    /// The messages that tell the outcome of an item in answers of calls, by their names.
    private static func results(where isMeant: (AnyMethod) -> Bool) -> [String: Schema] {
        let found = ServiceTable.all.filter(isMeant).flatMap { $0.response.reachable().messages }
            .filter { $0.fields.contains { statuses.contains($0.type.description) } }
        return Dictionary(found.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func aResultTellsCodeReasonAndInfo() throws {
        for (name, result) in Self.results(where: { _ in true }) {
            let place = try #require(result.fields.firstIndex { $0.name == "code" }, "\(name)")
            let next = result.fields.dropFirst(place + 1).prefix(2)
            #expect(next.map(\.name) == ["reason", "info"], "\(name)")
            #expect(next.map(\.type.description) == ["relation.v1.Reason", "string"], "\(name)")
            let numbers = result.fields.map(\.number)
            #expect(numbers == numbers.sorted(), "\(name)")
            // Success is visible in every form of an answer.
            #expect(result.fields[place].presence == .explicit, "\(name)")
        }
    }

    @Test func aResultOfAWriteSaysWhetherItChanged() {
        // A row of an import is answered only if it changed nothing. Some calls have one outcome,
        // and `applied` of their answers says whether that changed anything.
        let without: Set = [
            "ImportRowResult", "ImportFollowsRowResult", "ImportProfilesRowResult",
            "ImportAppRowResult", "UpdateProfileResponse", "ProfileViolation",
            "CreateInvitationResponse", "AcceptInvitationResponse", "SetStatusResponse",
            "ReportUserResponse",
            "SetContactDigestsResponse", "FindContactsResponse", "SetVisibilityResponse",
        ]
        let writes = Self.results { $0.access == .write }
        let reads = Self.results { $0.access != .write }
        #expect(Set(writes.keys).isDisjoint(with: reads.keys))
        #expect(without.isSubset(of: writes.keys))
        for (name, result) in writes {
            let info = result.fields.firstIndex { $0.name == "info" } ?? 0
            let next = result.fields.dropFirst(info + 1).first
            #expect((next?.name == "changed") == !without.contains(name), "\(name)")
            if next?.name == "changed" { #expect(next?.type.description == "bool") }
        }
        for (name, result) in reads {
            #expect(!result.fields.contains { $0.name == "changed" }, "\(name)")
        }
    }

    // MARK: Pages

    /// The lists that have no pages of the contract's own: TIM pages by time, the limits are a
    /// table of the server, and a user's own choices are few.
    private static let unpaged: Set = [
        "ListPendencies", "GetLimits", "GetVisibility", "GetContactDigests",
    ]

    /// The repeated fields of answers about one user, which the fields of a profile bound, or of an
    /// explanation, which the ladder of a rule bounds.
    private static let partsOfAnAnswer: Set = ["field_access", "fields", "reviews", "rungs"]

    @Test(arguments: unary.filter { $0.access != .write }.map(\.name))
    func aListHasPages(_ name: String) throws {
        let call = try #require(Self.unary.first { $0.name == name })
        let fields = Set(call.request.fields.map(\.name))
        // An answer is a list if it has rows that the request does not name.
        let isList =
            call.response.fields.contains {
                $0.presence == .repeated && !Self.partsOfAnAnswer.contains($0.name)
            }
            && !call.request.fields.contains {
                $0.presence == .repeated && ["user_ids", "names"].contains($0.name)
            }
        guard isList || !fields.isDisjoint(with: ["page_size", "page_token"]) else { return }
        if Self.unpaged.contains(name) {
            #expect(fields.isDisjoint(with: ["page_size", "page_token"]))
            return
        }
        #expect(Self.line(call.request, 3) == "int32 page_size = 3")
        #expect(Self.line(call.request, 4) == "string page_token = 4")
        let paged = call.response.reachable().messages.filter { message in
            message.fields.contains { $0.name == "next_page_token" }
        }
        #expect(paged.map(Self.name) == [Self.pages[name] ?? Self.name(call.response)])
        let token = paged.first?.fields.first { $0.name == "next_page_token" }
        // The answers about one user or one group have its outcome first.
        if token?.number != 2 {
            #expect(["GetFriendGroups", "ListMutualFriends"].contains(name))
        }
    }

    /// The messages that have the token of the next page, where the response has none.
    private static let pages = ["GetFriendGroups": "GetFriendGroupResult"]

    @Test func aTotalIsAnInt32() {
        for message in Self.messages {
            for field in message.fields where field.name.hasSuffix("_size") {
                #expect(field.type.description == "int32", "\(message.fullName).\(field.name)")
            }
        }
    }

    // MARK: Names in other languages

    @Test func noTypeHasTheNameOfTheNamespace() {
        let enums = ServiceTable.all.flatMap { [$0.request, $0.response] }
            .flatMap { $0.reachable().enums.map(\.fullName) }
        for name in Self.messages.map(\.fullName) + enums {
            #expect(!["relation.v1.Relation", "relation.v1.V1"].contains(name))
        }
    }

    @Test func noFieldIsAKeywordWhereAnotherNameReadsAsWell() {
        // Of C++, Rust and Swift.
        let keywords: Set = [
            "abstract", "alignas", "as", "associatedtype", "async", "auto", "await", "become",
            "bool", "box", "break", "case", "catch", "char", "class", "concept", "const",
            "continue", "crate", "default", "defer", "deinit", "delete", "do", "double", "dyn",
            "else", "enum", "explicit", "export", "extension", "extern", "fallthrough", "false",
            "fileprivate", "final", "float", "fn", "for", "friend", "func", "goto", "guard", "if",
            "impl", "import", "in", "init", "inline", "inout", "int", "internal", "is", "let",
            "long", "loop", "macro", "match", "mod", "move", "mut", "mutable", "namespace", "new",
            "nil", "nullptr", "open", "operator", "override", "priv", "private", "protected",
            "protocol", "pub", "public", "ref", "register", "repeat", "requires", "return", "self",
            "short", "signed", "sizeof", "static", "struct", "subscript", "super", "switch",
            "template", "this", "throw", "throws", "trait", "true", "try", "type", "typealias",
            "typedef", "typeid", "typename", "typeof", "union", "unsafe", "unsigned", "unsized",
            "use", "using", "var", "virtual", "void", "volatile", "where", "while", "yield",
        ]
        let oneofs = Self.messages.flatMap { $0.fields.compactMap(\.oneof) }
        #expect(keywords.intersection(oneofs).isEmpty)
        for message in Self.messages {
            let names = Set(message.fields.map(\.name))
            #expect(keywords.intersection(names).isEmpty, "\(message.fullName)")
        }
    }
}
