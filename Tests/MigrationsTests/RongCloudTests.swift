import Compression
import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import Migrations

/// RongCloud's answers become rows.
struct RongCloudTests {
    private static let fields: CustomFields = {
        var city = CustomFieldMessage()
        (city.owner, city.key, city.valueType) = (.profile, "ext_city", .string)
        return CustomFields([city])
    }()

    private func row(_ fields: [(String, JSONValue)]) -> RongCloudProfileRow {
        var row = RongCloudProfileRow("ann", Self.fields)
        for (name, value) in fields { row.set(name, value) }
        return row
    }

    @Test func `A signature is the one of the vendor's clients`() {
        let text = RongCloudSignature.text(secret: "secret", nonce: "14314", seconds: 1_408_710_653)
        #expect(text == "864f51789f5cf2fbc6316a98c09ce3a46a6ad6e2")
    }

    @Test func `A hosted profile becomes a profile`() {
        var row = row([
            ("name", .string("Ann")), ("level", .string("100")), ("role", .number("0")),
            ("gender", .number("1")), ("uniqueId", .string("A1")), ("email", .null),
        ])
        row.setOwn("ext_city", .string("Bath"))
        row.setOwn("ext_empty", .string(""))
        row.setAllowType(3)
        var profile = Profile()
        (profile.userID, profile.nick, profile.uniqueID) = ("ann", "Ann", "A1")
        (profile.level, profile.role, profile.gender) = (100, 0, .male)
        profile.allowType = .denyAny
        profile.custom = [CustomValue("ext_city", .text("Bath"))]
        #expect(row.profile == profile && row.lost.isEmpty)
    }

    @Test(arguments: [
        ("name", String(repeating: "n", count: 33)),
        ("portraitUri", String(repeating: "é", count: 129)),
        ("uniqueId", "a_b"), ("email", String(repeating: "e", count: 129)), ("level", "101"),
        ("role", "-1"), ("gender", "3"), ("other", "x"),
        ("birthday", String(repeating: "b", count: 33)),
        ("location", String(repeating: "l", count: 33)),
    ])
    func `A value that breaks a rule is left out`(_ name: String, _ text: String) {
        let row = row([(name, .string(text))])
        #expect(row.isEmpty && row.lost.map(\.field) == [name])
    }

    @Test func `The name of pushes is taken where the hosted one is missing`() {
        var account = RongCloudAccount("ann")
        (account.name, account.portrait) = ("Push", "http://push")
        var row = row([("name", .string("Ann"))])
        row.set(account)
        #expect((row.profile.nick, row.profile.faceURL) == ("Ann", "http://push"))
    }

    @Test(arguments: [
        ("1600000000001", 1_600_000_000_001), ("2020-09-13 20:26:40", 1_600_000_000_000),
        ("2020-09-13T12:26:40Z", 1_600_000_000_000), ("-1", nil), ("never", nil),
    ])
    func `A registration is a number, or a time in China`(_ text: String, _ found: Int64?) {
        var account = RongCloudAccount("ann")
        account.registration = text
        #expect(account.registrationMs == found)
    }

    // MARK: Answers

    private func answer(_ status: Int, _ body: String) -> PostAnswer {
        PostAnswer(status: status, body: Array(body.utf8), isKept: true)
    }

    @Test(arguments: [(200, 200), (200, 10_000), (200, 24_360), (403, 25_460)])
    func `A code about a user is an answer where one is asked for`(_ status: Int, _ code: Int64)
        throws
    {
        let object = try RongCloudRequests.object(
            answer(status, "{\"code\":\(code)}"), isOfUser: true)
        #expect(object.number("code") == code)
    }

    private func packed(_ bytes: [UInt8]) -> [UInt8] {
        let deflater = Deflater(.gzip)
        defer { withExtendedLifetime(deflater) {} }
        let packed = bytes.withUnsafeBytes { bytes in
            deflater?.deflate(bytes).map { Array($0) }
        }
        return packed ?? []
    }

    @Test func `A packed answer is unpacked, unless it becomes too long`() throws {
        // Bytes that would not become shorter are not packed.
        let text = "{\"code\":200,\"users\":\"" + String(repeating: "a", count: 100) + "\"}"
        let short = PostAnswer(status: 200, body: packed(Array(text.utf8)), isKept: true)
        let object = try RongCloudRequests.object(short, isOfUser: false)
        #expect(object.number("code") == 200)
        let blanks = [UInt8](repeating: 0x20, count: MigrationLimits.answerBytes + 1)
        let long = PostAnswer(status: 200, body: packed(blanks), isKept: true)
        #expect(throws: AttemptError.self) { try RongCloudRequests.object(long, isOfUser: false) }
    }

    @Test(arguments: [
        (429, "{\"code\":1008}", "throttled"), (200, "{\"code\":1008}", "throttled"),
        (429, "", "throttled"), (500, "{\"code\":1000}", "passing"),
        (504, "{\"code\":1050}", "passing"), (502, "<html>", "passing"), (200, "{}", "passing"),
        (500, "{\"code\":200}", "passing"), (200, "\u{1f}x", "passing"),
        (401, "{\"code\":1004}", "refused"), (430, "{\"code\":1009}", "refused"),
        (400, "{\"code\":1002}", "refused"), (200, "{\"code\":24360}", "refused"),
    ])
    func `A refusal is final, a failure passes`(_ status: Int, _ body: String, _ kind: String) {
        var found = "answered"
        do throws(AttemptError) {
            _ = try RongCloudRequests.object(answer(status, body), isOfUser: false)
        } catch {
            switch error {
            case .passing: found = "passing"
            case .throttled: found = "throttled"
            case .refused: found = "refused"
            }
        }
        #expect(found == kind)
    }
}
