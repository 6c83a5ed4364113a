import Foundation
import Protobuf
import RelationAPI
import RelationModel
import Testing

/// The table of reasons says the same as the contract's comments, and as the table of calls.
@Suite struct ReasonTests {
    /// The comment of each value of an enum in `reason.proto`, in one line, by the value's name.
    private static func comments(of enumeration: String) throws -> [String: String] {
        let file = ContractFiles.root.appending(path: "proto/relation/v1/reason.proto")
        let text = try String(contentsOf: file, encoding: .utf8)
        var comments: [String: String] = [:]
        var isInside = false
        var comment: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("enum ") { isInside = line == "enum \(enumeration) {" }
            guard isInside, line.hasPrefix("  ") else { continue }
            if line.hasPrefix("  // ") {
                comment.append(line.dropFirst(5))
            } else {
                comments[String(line.dropFirst(2).prefix { $0 != " " })] =
                    comment.joined(separator: " ")
                comment = []
            }
        }
        return comments
    }

    @Test func theTableHasTheWordsOfTheContract() throws {
        var comments = try Self.comments(of: "Reason")
        comments["REASON_UNSPECIFIED"] = nil
        #expect(comments.count == Reason.entries.count)
        for entry in Reason.entries {
            let name = try #require(entry.reason.name)
            let origin = entry.isTIMs ? " TIM's own word." : ""
            let words =
                "`\(entry.info)`, \(entry.calls), \(entry.codes): \(entry.meaning) \(entry.advice)"
            #expect(comments[name] == words + origin)
        }
    }

    /// A client in any language can make the name out of `info`, and the reverse is a table.
    @Test func theNameIsMadeOfTheInfo() throws {
        let words = try Regex("[A-Z]+[a-z0-9]*|[a-z0-9]+")
        for entry in Reason.entries {
            let info = entry.info.description
            let text = info.hasPrefix("Err_") ? String(info.dropFirst(4)) : info
            let name = text.matches(of: words).map { text[$0.range].uppercased() }
            #expect(entry.reason.name == "REASON_" + name.joined(separator: "_"))
        }
    }

    @Test func noReasonHasTheInfoOfAnother() {
        #expect(Set(Reason.entries.map(\.info.description)).count == Reason.entries.count)
        #expect(Reason.none.info.description.isEmpty)
        for unknown in [-1, 2, 99, 199, 9_900, Int32.max] {
            #expect(Reason(rawValue: unknown).info.description.isEmpty)
            #expect(!Reason(rawValue: unknown).isKnown)
        }
    }

    private static func numbers(in codes: String) throws -> [Int32] {
        codes.matches(of: try Regex("[0-9]+")).compactMap { Int32(codes[$0.range]) }
    }

    /// Every code that a call answers beside 0 has a reason there, and no other code has one.
    @Test func theReasonsOfACallExplainItsCodes() throws {
        let statuses = [
            FriendStatus.schema, ProfileStatus.schema, SendStatus.schema,
            SubscriptionStatus.schema, FollowStatus.schema,
        ].map(\.fullName)
        var explained: [String: Set<Int32>] = [:]
        for entry in Reason.entries {
            for call in entry.calls.split(separator: ", ") {
                explained[String(call), default: []].formUnion(try Self.numbers(in: entry.codes))
            }
        }
        for call in ServiceTable.all {
            let codes = call.answers.filter { statuses.contains($0.schema.fullName) }.map(\.number)
            let reasons = explained.removeValue(forKey: call.name) ?? []
            #expect(reasons.subtracting([0]) == Set(codes).subtracting([0]), "\(call.name)")
        }
        #expect(explained.isEmpty, "the contract has no such calls")
    }

    /// Both tables of the reasons of whole calls name the same gRPC statuses.
    @Test func aWholeCallFailsWithTheStatusThatTheContractNames() throws {
        let comments = try Self.comments(of: "ErrorReason")
        #expect(comments.count == ErrorReason.schema.values.count)
        let statuses: Set = [
            "ABORTED", "ALREADY_EXISTS", "FAILED_PRECONDITION", "INTERNAL", "INVALID_ARGUMENT",
            "NOT_FOUND", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED",
            "UNAVAILABLE", "UNKNOWN",
        ]
        func named(in text: String) -> Set<String> {
            let words = text.split { !($0.isUppercase || $0 == "_") }.map(String.init)
            return statuses.intersection(words)
        }
        for value in ErrorReason.schema.values where value.number != 0 {
            let comment = try #require(comments[value.name])
            let meaning = try #require(ErrorReason.schema.meaning(of: value.number))
            #expect(!named(in: comment).isEmpty, "\(value.name)")
            #expect(named(in: comment) == named(in: meaning), "\(value.name)")
        }
    }
}
