import Collation
import Testing

/// The order of names, their sections, and the texts that a search takes for equal.
@Suite struct CollationTests {
    private func sorted(_ names: [String]) -> [String] {
        Collators.shared.use { collator in
            names.map { ($0, collator.sortKey(of: $0)) }
                .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
        }
    }

    private func section(_ name: String) -> String {
        Collators.shared.use { $0.section(ofKey: $0.sortKey(of: name)).letter }
    }

    private func folded(_ text: String) -> String {
        String(decoding: Collators.shared.use { $0.folded(text) }, as: UTF8.self)
    }

    @Test func hanCharactersComeByTheirPinyin() {
        #expect(sorted(["张", "王", "李", "阿", "陈"]) == ["阿", "陈", "李", "王", "张"])
    }

    @Test func accentsAndCaseDecideOnlyBetweenNamesThatAreElseTheSame() {
        #expect(
            sorted(["zoe", "Zoë", "Emma", "élan", "Ella"])
                == ["élan", "Ella", "Emma", "zoe", "Zoë"])
    }

    @Test func anEmptyNameComesBeforeEveryOther() {
        #expect(sorted(["a", "", "1", "王"]).first == "")
    }

    @Test func twoWaysToWriteAnAccentAreOneName() {
        #expect(sorted(["b", "e\u{301}", "\u{E9}"]).first == "b")
        let (one, two) = Collators.shared.use {
            ($0.sortKey(of: "e\u{301}"), $0.sortKey(of: "\u{E9}"))
        }
        #expect(one == two)
    }

    @Test(arguments: [
        ("Ann", "A"), ("zoe", "Z"), ("élan", "E"), ("Ångström", "A"), ("ｂob", "B"), ("Ｚ", "Z"),
        ("ß", "S"), ("Ž", "Z"), ("阿", "A"), ("王小明", "W"), ("张", "Z"), ("重庆", "C"),
        ("区", "Q"), ("", "#"), ("1st", "#"), ("_x", "#"), (" x", "#"), ("Þór", "#"),
        ("Ωmega", "#"), ("Яна", "#"), ("さくら", "#"), ("한", "#"), ("😀", "#"),
        ("\u{20001}", "#"), ("\u{0}a", "A"),
    ])
    func aSectionIsTheFirstLetterOfTheNameOrItsPinyin(name: String, letter: String) {
        #expect(section(name) == letter)
    }

    @Test func everyCommonHanCharacterHasALetter() {
        let others = (0x4E00...0x9FA5).compactMap(UnicodeScalar.init).map(String.init)
            .filter { section($0) == "#" }
        #expect(others.count < 100, "\(others.count)")
    }

    @Test(arguments: [
        ("Straße", "strasse"), ("ＡＢＣ", "abc"), ("ｶﾞ", "ガ"), ("É", "é"), ("E\u{301}", "é"),
        ("ﬁx", "fix"), ("plain_1", "plain_1"), ("王", "王"), ("\u{AD}", ""), ("", ""),
    ])
    func aSearchIgnoresCaseWidthAndForm(text: String, expected: String) {
        #expect(folded(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test func longNamesAreNotCut() {
        let long = String(repeating: "王", count: 5_000)
        let keys = Collators.shared.use { ($0.sortKey(of: long + "a"), $0.sortKey(of: long + "b")) }
        #expect(keys.0.lexicographicallyPrecedes(keys.1))
        #expect(folded(String(repeating: "É", count: 5_000)).utf8.count == 10_000)
    }

    @Test func threadsSortAtOnce() async {
        let expected = sorted(["张", "Bob", "王"])
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<32 { group.addTask { sorted(["张", "Bob", "王"]) } }
            for await result in group { #expect(result == expected) }
        }
    }
}
