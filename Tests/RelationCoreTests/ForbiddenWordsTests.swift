import RelationCore
import RelationModel
import RelationSuite
import Testing

/// Words and texts are compared by how people read them.
@Suite struct ForbiddenWordsTests {
    private func settings(_ words: [String]) -> AppSettings {
        var settings = AppSettings.tim
        settings.forbiddenWords = words
        return settings
    }

    @Test(arguments: [
        ("badword", "a BaDWoRD here"),
        ("BadWord", "badword"),
        ("badword", "\u{FF22}\u{FF21}\u{FF24}word"),
        ("\u{FF22}ad", "bad"),
        ("bad", "b\u{200B}a\u{FEFF}d"),
        ("bad", "b\u{AD}ad"),
        ("bad", "b\u{0}a\u{1B}d"),
        ("bad", "b\u{2060}\u{FE0F}\u{E0041}ad"),
        ("bad", "ba\u{FFF9}d"),
        ("b\u{200D}ad", "bad"),
        ("strasse", "STRAẞE"),
        ("straße", "strasse"),
        ("fi", "\u{FB01}sh"),
        ("①", "1"),
        ("ﾃｽﾄ", "テスト"),
        ("кот", "КОТ"),
        ("é", "e\u{301}"),
        ("赌博", "网络赌\u{200B}博"),
    ])
    func aWordIsFoundHoweverItIsWritten(_ word: String, _ text: String) {
        #expect(settings(["other", word]).forbids(text))
    }

    @Test(arguments: [
        ("bad", "b ad"), ("bad", "b\tad"), ("bad", "b\nad"), ("bad", "b\u{A0}ad"), ("bad", "ba"),
        ("bad", ""), ("e", "é"), ("赌博", "赌"),
    ])
    func otherTextsAreLetThrough(_ word: String, _ text: String) {
        #expect(!settings([word]).forbids(text))
    }

    @Test func aWordOfWhichNothingIsSeenForbidsNothing() {
        #expect(!AppSettings.canForbid("\u{200B}\u{7}"))
        #expect(!AppSettings.canForbid(" ") && !AppSettings.canForbid("\u{A0}\t"))
        #expect(AppSettings.canForbid(" x") && AppSettings.canForbid("赌"))
        #expect(!settings(["\u{200B}"]).forbids("any \u{200B} text"))
    }

    @Test func aByteThatIsOfNoTextHidesNoWord() {
        let values = [CustomValue("Y", .data(Array("bad".utf8) + [0xFF]))]
        #expect(values.texts.contains(where: settings(["bad"]).forbids))
    }

    @Test func theLatestWordsHold() {
        var settings = settings(["one"])
        #expect(settings.forbids("one") && !settings.forbids("two"))
        settings.forbiddenWords = ["two"]
        #expect(!settings.forbids("one") && settings.forbids("two"))
        settings.forbiddenWords = []
        #expect(!settings.forbids("two"))
    }
}
