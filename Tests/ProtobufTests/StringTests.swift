import Protobuf
import Testing

/// The strings of a message are UTF-8.
struct StringTests {
    @Test func aByteThatIsNoUTF8IsFoundAtEachPlaceOfEachText() throws {
        for count in 1...40 {
            for index in 0..<count {
                var text = [UInt8](repeating: 0x61, count: count)
                text[index] = 0x80
                for before in 0..<3 {
                    // The first text of a list is read in another place than those behind it.
                    let bytes =
                        (0..<before).flatMap { counted(27, [UInt8](repeating: 0x62, count: $0)) }
                        + counted(27, text) + counted(27, [0x63])
                    let error = error { () throws(CodecError) in try echo(Everything.self, bytes) }
                    #expect(error?.code == .invalidUTF8, "\(hex(bytes))")
                    #expect(
                        error?.message == "relation.test.v1.Everything.names is not valid UTF-8")
                }
            }
        }
    }
}
