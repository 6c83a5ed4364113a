import GRPC
import Memory
import Protobuf
import RelationCore
import RelationModel
import Storage

@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Tokens that a client sends back: those of pages, and those of streams of changes.
///
/// No token is accepted that was not issued in this form. A token with a digest that another has
/// computed is refused, or names a place like any other.
enum TokenTargets {
    /// Whether an input is a token, or the contents of one whose digest is then corrected.
    private enum Kind: UInt8 {
        case token = 0
        case contents = 1
    }

    private static let query = "ListFriends 1 ann false false"
    private static let app = App(id: 7, settings: .tim)

    static let page = FuzzTarget(name: "page-token", form: .text, maxBytes: 1_200) { input in
        guard let first = input.first, let kind = Kind(rawValue: first) else { return }
        let contents = Array(input.dropFirst())
        switch kind {
        case .token:
            let text = String(decoding: contents, as: UTF8.self)
            try checkPage(text)
            if let token = PageToken(text, of: query) {
                try require(token.text(of: query).isExactly(text), "\(text) was not issued")
            }
            if let token = NameToken(text, of: query) {
                try require(token.text(of: query).isExactly(text), "\(text) was not issued")
            }
        case .contents: try checkPage(PageToken.text(contents, of: query))
        }
    }

    private static func checkPage(_ text: String) throws {
        try require(PageToken.cursor(text, of: query + " ") == nil, "it is one of another query")
        if let token = PageToken(text, of: query) {
            let again = PageToken(token.text(of: query), of: query)
            try require(again == token, "\(token.position) does not come back")
        }
        if let token = NameToken(text, of: query) {
            let again = NameToken(token.text(of: query), of: query)
            try require(
                again?.part == token.part && again?.nameKey == token.nameKey,
                "\(token.nameKey) does not come back")
        }
        try checkKeys(text)
    }

    /// A page of a short list is a part of the list, wherever a forged token says that it
    /// begins.
    private static func checkKeys(_ text: String) throws {
        let names = ["a", "bob", "x"]
        var violations = Violations()
        let page = KeyedPage(2, text, of: query, &violations)
        let isToken = text.isEmpty || PageToken.cursor(text, of: query) != nil
        try require(violations.isEmpty == isToken, "\(text) is taken, or refused, by mistake")
        let (rows, next) = page.cut(names, by: \.self)
        try require(rows.count <= 2 && rows.endIndex <= names.count, "\(rows) is not a page")
        try require(
            next.isEmpty == (rows.endIndex == names.count), "the page has no end, or too many")
    }

    static let resume = FuzzTarget(name: "resume-token", form: .text, maxBytes: 1_200) { input in
        guard let first = input.first, let kind = Kind(rawValue: first) else { return }
        let contents = Array(input.dropFirst())
        switch kind {
        case .token: try checkResume(String(decoding: contents, as: UTF8.self))
        case .contents:
            let mark = contents.withUnsafeBytes { ResumeToken.check($0, app.id) }
            let body = contents + withUnsafeBytes(of: mark.bigEndian, Array.init)
            var text: [UInt8] = []
            Base64.encode(body, into: &text)
            try checkResume(String(decoding: text, as: UTF8.self))
        }
    }

    private static func checkResume(_ text: String) throws {
        guard let position = ResumeToken.position(text, of: app) else { return }
        let own = ResumeToken.text(of: position, sign: app.tokenSign)
        try require(position == ResumeToken.nowhere || own.isExactly(text), "it was not issued so")
        try require(position >= 0, "a position is negative")
        let other = App(id: app.id + 1, settings: .tim)
        try require(ResumeToken.position(text, of: other) == nil, "it is one of another app")
    }
}
