import RelationModel
import Testing

@testable import RelationAccess

/// API keys, and the comparison of secrets.
struct KeyTests {
    private static func read(_ text: String) throws(CredentialError) -> APIKey {
        let result: Result<APIKey, CredentialError> = Array(text.utf8).withUnsafeBytes { text in
            do throws(CredentialError) {
                return .success(try APIKey(reading: text))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    @Test func aKeySaysWhereItsDigestIsAndMatchesNoOther() throws {
        let text = "4294967295.5fa3.secret"
        let key = try Self.read(text)
        #expect(key.appID == .max)
        #expect(key.name == "5fa3")
        #expect(key.matches(APIKey.digest(of: text.utf8)))
        for other in ["4294967295.5fa3.Secret", "4294967295.5fa3.secret ", "1.5fa3.secret", ""] {
            #expect(!key.matches(APIKey.digest(of: other.utf8)))
        }
        #expect(!key.matches([]))
    }

    @Test func aNameMayHaveSoManyBytes() throws {
        let name = String(repeating: "a", count: AccessLimits.keyNameBytes)
        #expect(try Self.read("1.\(name).b").name == name)
    }

    @Test(arguments: [
        "", ".", "..", "1", "1.a", ".a.b", "1..b", "+1.a.b", "-1.a.b", "4294967296.a.b", " 1.a.b",
        "12345678901.a.b", "x.a.b",
        "1.\(String(repeating: "a", count: AccessLimits.keyNameBytes + 1)).b",
        "1.a.\(String(repeating: "b", count: AccessLimits.credentialBytes))",
    ])
    func whatIsNoKeyIsInvalid(text: String) {
        #expect(throws: CredentialError.invalid) { try Self.read(text) }
    }

    @Test func twoTextsAreTheSameIfEveryByteIs() {
        for length in 0...40 {
            let one = (0..<length).map { UInt8($0) }
            #expect(ConstantTime.areEqual(one, one))
            #expect(!ConstantTime.areEqual(one, one + [0]))
            for index in one.indices {
                var other = one
                other[index] ^= 0x80
                #expect(!ConstantTime.areEqual(one, other))
            }
        }
    }
}
