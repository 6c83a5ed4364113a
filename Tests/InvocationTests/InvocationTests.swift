import Invocation
import Testing

/// Checks what a process takes of its arguments and variables.
@Suite struct InvocationTests {
    @Test func theArgumentsAreThoseOfTheSystem() {
        #expect(Arguments.all == Array(CommandLine.arguments.dropFirst()))
    }

    @Test(arguments: [
        ("key", "key"), ("key\n", "key"), ("key\r\n", "key"), ("key\n\n", "key\n"), ("\n", ""),
        ("a\nb\n", "a\nb"), (" key \n", " key "), ("", ""), ("key\r", "key"),
    ])
    func oneLineEndIsTakenAway(value: String, line: String) {
        #expect(Array(VariableText.trimmed(value).utf8) == Array(line.utf8))
    }

    @Test(arguments: [
        ("key", false), ("ké y", false), ("a\tb", true), ("a\nb", true), ("a\u{7F}", true),
        ("a\u{85}", true), ("\u{0}", true),
    ])
    func aControlCharacterIsFound(value: String, isThere: Bool) {
        #expect(VariableText.hasControl(value) == isThere)
    }
}
