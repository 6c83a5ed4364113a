import Foundation
import RelationClient

/// An object of JSON: a case, a step, or what came.
typealias Object = [String: Any]

/// Runs the cases of Tests/Contract, each in an object: `contract-runner ADDRESS [CALL]`.
@main @MainActor final class Run {
    let client: Client
    var names = ["run": String(UInt64.random(in: 0 ... .max), radix: 36)]
    var streams: [String: (CallStream<RawMessage, RawMessage>, any ContractMethod)] = [:]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        var options = ClientOptions(servers: [try ServerAddress(arguments.first ?? "")])
        // Cases look at the first answer, and send messages that are too long.
        options.retries = nil
        options.maxSentMessageBytes = 1 << 30
        let client = try Client(options)
        let cases = URL(filePath: #filePath).appending(path: "../../cases").standardized
        let ending = arguments.dropFirst().first.map { "/\($0).json" } ?? ".json"
        let paths = try FileManager.default.subpathsOfDirectory(atPath: cases.path).sorted()
        var (passed, failed, skipped) = (0, 0, 0)
        for path in paths where path.hasSuffix(ending) {
            let text = try Data(contentsOf: cases.appending(path: path))
            let file = try JSONSerialization.jsonObject(with: text) as? Object
            for test in file?["cases"] as? [Object] ?? [] {
                let name = "\(path.dropLast(5)): \(test["name"] ?? "")"
                if let needs = test["needs"] as? [String], needs.contains("unknownFields") {
                    skipped += 1
                    print("skipped: \(name): needs unknownFields")
                } else if let mismatch = await Run(client).mismatch(in: test) {
                    failed += 1
                    print("\(name): \(mismatch)")
                } else {
                    passed += 1
                }
            }
        }
        print("\(passed) cases passed, \(failed) failed, \(skipped) skipped")
        exit(passed > 0 && failed == 0 ? 0 : 1)
    }

    init(_ client: Client) { self.client = client }

    /// Makes the case's app and users, does its steps, and tells what was wrong first.
    func mismatch(in test: Object) async -> String? {
        let users = test["users"] as? [String] ?? []
        for name in users + (test["unknown"] as? [String] ?? []) {
            names[name] = "\(name)-\(names["run"] ?? "")"
        }
        let number = ["$has": ["app": ["$has": ["appId": ["$save": "app"]]]]]
        let apps: [Object] = [test["app"]].compactMap(\.self).map {
            ["call": "AppService/CreateApp", "request": $0, "answer": number]
        }
        let profiles: [Object] = users.map {
            ["userId": "${\($0)}", "profile": ["gender": 0], "updateMask": "gender"]
        }
        let made = ["$has": ["applied": true]]
        let accounts: [Object] = profiles.map {
            ["call": "ProfileService/UpdateProfile", "request": $0, "answer": made]
        }
        var mismatch: String?
        for step in apps + accounts + (test["steps"] as? [Object] ?? []) {
            for index in 0..<(step["times"] as? Int ?? 1) where mismatch == nil {
                names["index"] = "\(index)"
                mismatch = await self.mismatch(of: expanded(step, names) as? Object ?? [:])
            }
        }
        if let app = names["app"].flatMap({ UInt32($0) }) {
            _ = try? await client.call(AppMethods.deleteApp, .with { $0.appID = app })
        }
        return mismatch
    }

    /// Does a step until it is answered as expected, or may not be repeated.
    func mismatch(of step: Object) async -> String? {
        let end = ContinuousClock.now + .milliseconds(step["retryForMs"] as? Int ?? 0)
        let expected = step.filter { ["answer", "error", "end"].contains($0.key) }
        let place = "\(step["call"] ?? step["receive"] ?? step["decode"] ?? "")"
        while true {
            let came = await outcome(of: step)
            guard let mismatch = difference(expected, came, place) else { return nil }
            if step["skipping"] == nil || came["answer"] == nil, end <= .now { return mismatch }
        }
    }

    /// Does a step, and tells what came, in the form in which a step expects it.
    func outcome(of step: Object) async -> Object {
        do {
            return try await perform(step)
        } catch {
            guard let error = error as? CallError else { return ["error": "\(error)"] }
            var details: Object = ["status": "\(error.code)"]
            if !error.reason.isEmpty { details["reason"] = error.reason }
            if !error.metadata.isEmpty { details["metadata"] = error.metadata }
            if !error.violations.isEmpty { details["fields"] = error.violations.map(\.field) }
            if error.retryAfter != nil { details["retry"] = true }
            return ["error": details]
        }
    }

    func perform(_ step: Object) async throws -> Object {
        var options = CallOptions(timeout: .milliseconds(step["timeoutMs"] as? Int ?? 20_000))
        options.metadata["x-app-id"] = names["app"]
        (step["metadata"] as? [String: String])?.forEach { options.metadata[$0] = $1 }
        let texts = step.compactMapValues { $0 as? String }
        let path = "/relation.v1.\(texts["call"] ?? texts["open"] ?? "")"
        let answer = texts["decode"]
        let method = ContractMethods.all.first { $0.path == path || "\($0.name)Response" == answer }
        if let method, let hex = texts["bytes"] {
            return try method.answer(bytes(hex), again: step["again"] != nil)
        } else if let method, texts["call"] != nil {
            let request = try method.request(of: step)
            return try method.answer(await client.call(method.raw, request, options: options).bytes)
        } else if let method, let name = texts["stream"] {
            streams[name] = (client.stream(method.raw, options: options), method)
        }
        let name = ["stream", "send", "receive", "halfClose", "cancel"].first { texts[$0] != nil }
        guard let (stream, method) = name.flatMap({ texts[$0] }).flatMap({ streams[$0] }) else {
            throw CallError(code: .unimplemented, message: "no such call, or no such stream")
        }
        let (request, sends) = (try method.request(of: step), step["request"] != nil)
        // A call that has ended says so to the step that receives.
        if sends { try? await stream.send(request) }
        if sends && step["open"] != nil || step["halfClose"] != nil { stream.finishSending() }
        if step["cancel"] != nil { stream.cancel() }
        guard step["receive"] != nil else { return [:] }
        return try await stream.next().map { try method.answer($0.bytes) } ?? ["end": true]
    }

    /// The first difference in words, or nil; keeps the values that `$save` names.
    func difference(_ expected: Any?, _ came: Any?, _ path: String) -> String? {
        let kind = came is String ? "string" : came is Object ? "object" : "number"
        let matcher = (expected as? Object).flatMap { $0.count == 1 ? $0.first : nil }
        let pairs: [(String, Any?, Any?)]
        switch (matcher?.key, matcher?.value, expected, came) {
        case ("$save", let name as String, _, let value?):
            names[name] = "\(value)"
            return nil
        case ("$any", let wanted as String, _, _?) where wanted == kind: return nil
        case ("$has", let wanted as [Any], _, let found as [Any])
        where wanted.allSatisfy { one in found.contains { difference(one, $0, "") == nil } }:
            return nil
        case ("$has", let wanted as Object, _, let found as Object):
            pairs = wanted.map { (".\($0)", $1, found[$0]) }
        case (_, _, let wanted as Object, let found as Object):
            pairs = wanted.merging(found) { $1 }.keys.map { (".\($0)", wanted[$0], found[$0]) }
        case (_, _, let wanted as [Any], let found as [Any]) where wanted.count == found.count:
            pairs = wanted.indices.map { ("[\($0)]", wanted[$0], found[$0]) }
        default:
            let texts = [expected, came].map { $0.map(json) ?? "nothing" }
            return texts[0] == texts[1] ? nil : "\(path): expected \(texts[0]), came \(texts[1])"
        }
        return pairs.lazy.compactMap { self.difference($1, $2, path + $0) }.first
    }
}

extension ContractMethod {
    /// The request of a step as bytes, which may be those of no message.
    func request(of step: Object) throws -> RawMessage {
        let request = try Request(json: json(step["request"] ?? Object())).serializedBytes()
        return RawMessage(request + bytes(step["extra"] as? String ?? ""))
    }

    func answer(_ bytes: [UInt8], again: Bool = false) throws -> Object {
        let message = try Response(serializedBytes: bytes)
        guard try !again || message.serializedBytes() == bytes else { return [:] }
        return ["answer": try JSONSerialization.jsonObject(with: Data(message.json().utf8))]
    }
}

/// A value of a case with its variables put in.
func expanded(_ value: Any, _ names: [String: String]) -> Any {
    switch value {
    case let text as String where text.contains("$"):
        return text.replacing(/\$\{(\w+)\}/) { names["\($0.1)"] ?? "" }
    case let list as [Any]: return list.map { expanded($0, names) }
    case let object as Object:
        guard let part = object["$repeat"], let times = object["times"] as? Int else {
            let members = object.map { ("\(expanded($0, names))", expanded($1, names)) }
            return Object(uniqueKeysWithValues: members)
        }
        if let text = part as? String, !text.contains("${index}") {
            return String(repeating: "\(expanded(text, names))", count: times)
        }
        let parts = (0..<times).map { expanded(part, names.merging(["index": "\($0)"]) { $1 }) }
        return (parts as? [String])?.joined() as Any? ?? parts.flatMap { $0 as? [Any] ?? [] }
    default: return value
    }
}

func json(_ value: Any) -> String {
    let text = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
    return String(decoding: text ?? Data(), as: UTF8.self)
}

func bytes(_ hex: String) -> [UInt8] {
    hex.isEmpty ? [] : hex.matches(of: /../).compactMap { UInt8($0.output, radix: 16) }
}
