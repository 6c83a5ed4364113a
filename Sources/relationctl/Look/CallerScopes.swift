import RelationAPI
import RelationClient

/// The scopes of the credential, as the server answers to them.
struct CallerScopes {
    private(set) var scopes: [String] = []
    private var app: AppDescription?
    /// The error of a credential that the server does not accept; nil if it accepts it.
    private(set) var refusal: CallError?
    /// Whether the server asks for no credential: then it has not looked at the caller's.
    private(set) var isOpen = false

    /// Asks the server by calls that only read, as far as their answers show the scopes.
    ///
    /// - Parameter asksBare: Whether it also asks without a credential, whatever the caller has. A
    ///   server that looks at credentials counts and records that call as refused.
    init(_ client: Client, _ target: CallTarget, asksBare: Bool = false) async throws {
        switch target.credential {
        case .apiKey(let text)? where KeyText(text).map { $0.appID != 0 } ?? false:
            try await findScopes(ofKey: KeyText(text)?.name ?? "", client)
        case .userSig?:
            // Each signature of a user has the same, and this call says whether it is accepted.
            _ = try await mayCall("GetStats", client)
            if refusal == nil { scopes = ["read", "write", "watch"] }
        default:
            if try await mayCall("ListOperatorKeys", client) {
                scopes = ["read", "write", "watch", "admin", "operator"]
            } else if refusal == nil, scopes.isEmpty {
                try await findScopes(ofKey: "", client)
            }
        }
        isOpen = await isOpen(target, asksBare)
        guard scopes.contains("admin") else { return }
        do {
            app = try await client.call(AppMethods.getApp, GetAppRequest()).app
        } catch let error as CallError where error.code == .invalidArgument {
            // The key of an operator may be shown without an app.
        } catch let error as CallError where error.reason == "APP_NOT_FOUND" {
            refusal = error
        }
    }

    /// Whether the server lets a caller without any credential do what only operators may.
    private func isOpen(_ target: CallTarget, _ asksBare: Bool) async -> Bool {
        guard refusal == nil, !target.hasCertificate else { return false }
        guard let credential = target.credential else { return scopes.contains("operator") }
        // A server that looks at credentials accepts no word that is not a key.
        var isWord = false
        if case .apiKey(let text) = credential { isWord = KeyText(text) == nil }
        guard asksBare || isWord else { return false }
        guard let bare = try? target.withoutCredential.client(isCompressing: false) else {
            return false
        }
        let options = CallOptions(timeout: .seconds(Limits.probeSeconds), retries: false)
        let answer = try? await bare.call(
            AppMethods.listOperatorKeys, ListOperatorKeysRequest(), options: options)
        await bare.close()
        return answer != nil
    }

    /// Finds the scopes of a key of an app.
    ///
    /// A key with the scope admin may read what it is; another one gets it with the refusal. An
    /// older server says nothing with it: then an empty request is made of a call for each scope,
    /// whose rules it breaks.
    private mutating func findScopes(ofKey name: String, _ client: Client) async throws {
        let isAdmin = try await mayCall("GetStats", client)
        guard refusal == nil, scopes.isEmpty else { return }
        if isAdmin {
            let list = try await client.call(AppMethods.listCredentials, ListCredentialsRequest())
            if let own = list.credentials.first(where: { $0.credentialID == name }) {
                let words = Set(own.scopes.map(\.word))
                scopes = ["read", "write", "watch", "admin"].filter { words.contains($0) }
                return
            }
        }
        for (scope, call) in [
            ("read", "CheckFriends"), ("write", "AddFriends"), ("watch", "Watch"),
        ]
        where refusal == nil {
            if try await mayCall(call, client) { scopes.append(scope) }
        }
        if isAdmin { scopes.append("admin") }
    }

    private mutating func mayCall(_ name: String, _ client: Client) async throws -> Bool {
        let method = try CallName.method(name)
        let options = CallOptions(timeout: .seconds(Limits.probeSeconds), retries: false)
        do {
            if method.shape == .unary {
                _ = try await client.call(method, [], options: options)
            } else {
                try await client.exchange(method, [[]], options: options) { _ in throw Answered() }
            }
        } catch let error as CallError {
            switch error.code {
            case .unauthenticated: refusal = error
            case .notFound where error.reason == "APP_NOT_FOUND": refusal = error
            case .permissionDenied where error.reason == "SCOPE_MISSING":
                if let names = error.metadata["scopes"] {
                    scopes = names.split(separator: ",").map(String.init)
                }
            case .unavailable, .deadlineExceeded, .internalError, .unimplemented: throw error
            default: return true
            }
            return false
        } catch is Answered {
            return true
        }
        return true
    }

    /// An error: a stream that was opened only to be tried has answered.
    private struct Answered: Error {}

    /// The caller and its scopes, in words.
    func words(_ target: CallTarget) -> PlainText {
        let may = scopes.isEmpty ? "nothing" : scopes.joined(separator: ", ")
        guard !isOpen else {
            let unread: PlainText =
                target.credential == nil ? "" : ", and has not looked at the key"
            return "the server asks for no credential\(unread); a caller may: \(may)"
        }
        guard target.credential != nil else { return "without a key it may make calls: \(may)" }
        return "the server accepts \(Self.words(of: target.credential)), which may: \(may)"
    }

    /// Whether calls are made in an app.
    func hasApp(_ target: CallTarget) -> Bool { app != nil || target.appID != nil }

    func rows(_ target: CallTarget) -> [[PlainText]] {
        var rows: [[PlainText]] = []
        if let app {
            let name = app.name.isEmpty ? "" : ", \(app.name)"
            rows.append(["app", "\(app.appID)\(name)"])
        } else {
            rows.append(["app", "\(target.appID.map { "\($0)" } ?? "none is named")"])
        }
        let unasked: PlainText = isOpen ? "; the server asks for none" : ""
        rows.append(["credential", Self.words(of: target.credential) + unasked])
        let may: PlainText = "\(scopes.isEmpty ? "nothing" : scopes.joined(separator: ", "))"
        return rows + [["may", refusal == nil ? may : Paint.bad("nothing")]]
    }

    private static func words(of credential: ClientCredential?) -> PlainText {
        switch credential {
        case .userSig: return "the signature of a user"
        case .apiKey(let text):
            guard let key = KeyText(text) else { return "a key of no known form" }
            return key.appID == 0
                ? "the operator's key \(key.name)" : "the key \(key.name) of app \(key.appID)"
        case .provided, nil: return "none"
        }
    }
}
