// A hook that refuses texts with the word "spam": SECRET=whsec_… swift run veto 8080
import FlyingFox
import Foundation

struct Question: Decodable {
    struct Call: Decodable { let items: [Item] }
    struct Item: Decodable { let texts: [String: String] }
    let data: Call
}

let port = UInt16(CommandLine.arguments[1]) ?? 8_080
let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: port))
await server.appendRoute("POST *") { request in
    let body = try await request.bodyData
    guard isSigned(request, body) else { return HTTPResponse(statusCode: .unauthorized) }
    let items = try JSONDecoder().decode(Question.self, from: body).data.items.enumerated()
    let bad = items.filter { $0.element.texts.values.contains { $0.contains("spam") } }
    let answer = bad.map { #"{"index": \#($0.offset), "code": 38001, "info": "no spam"}"# }
    let text = #"{"items": [\#(answer.joined(separator: ", "))]}"#
    return HTTPResponse(statusCode: .ok, body: Data(text.utf8))
}
try await server.run()
