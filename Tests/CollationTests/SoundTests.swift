import Foundation
import Testing

@testable import Collation

/// Pinyin as a keyword, surnames with several readings, and accents.
@Suite struct SoundTests {
    private static let divider: UInt8 = 0xFF

    private func isFound(_ text: String, by keyword: String, isPrefix: Bool = false) -> Bool {
        guard let keyword = Sounds.keyword(Collators.shared.unaccented(keyword)) else {
            return false
        }
        let sounds = Collators.shared.use { $0.sounds(of: text, divider: Self.divider) }
        return sounds.withUnsafeBytes {
            Sounds.match(keyword, in: $0, isPrefix: isPrefix)
        }
    }

    private func section(ofName name: String) -> String {
        Collators.shared.use { $0.section(ofKey: $0.sortKey(ofName: name)).letter }
    }

    @Test func thePageHasTheReadingOfEachSurname() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let page = try String(contentsOfFile: "\(root)/docs/finding.md", encoding: .utf8)
        for surname in Surname.all {
            let row = "\(surname.text) \(surname.reading)"
            let isThere = page.contains("\(row),") || page.contains("\(row) |")
            #expect(isThere, "docs/finding.md: \(row)")
        }
    }

    @Test(arguments: [
        "zhangsanfeng", "zhang san feng", "ZHANG", "zhangs", "zs", "zsf", "zhsf", "z", "zhsanf",
        "zhang'san", "sanfeng", "sf", "feng", "zhan",
    ])
    func aNameIsFoundByItsPinyinWholeJoinedOrByInitials(keyword: String) {
        #expect(isFound("张三丰", by: keyword))
    }

    @Test(arguments: ["ang", "hang", "zf", "an", "zhangsanfengx", "zsfz", "g", "nsan", "h"])
    func aKeywordBeginsAtASyllableAndLeavesNoneOut(keyword: String) {
        #expect(!isFound("张三丰", by: keyword))
    }

    @Test func aPrefixBeginsAtTheFirstSyllable() {
        #expect(isFound("张三丰", by: "zs", isPrefix: true))
        #expect(!isFound("张三丰", by: "sf", isPrefix: true))
        #expect(isFound("曾小明", by: "ceng", isPrefix: true), "the second sequence")
        #expect(isFound("曾小明", by: "zengxm", isPrefix: true))
    }

    @Test func lettersAndDigitsStandBesideSyllables() {
        #expect(isFound("小明2号", by: "xm2h"))
        #expect(isFound("Li小明", by: "lixm"))
        #expect(isFound("Émile 王", by: "emilewang"))
        #expect(isFound("吕布", by: "lvbu") && isFound("吕布", by: "lubu"))
    }

    @Test(arguments: [
        ("尉遲恭", "yuchigong", "ycg"), ("單于丹", "chanyudan", "cyd"), ("澹臺明", "tantaiming", "ttm"),
        ("万俟明", "moqiming", "mqm"), ("萬俟明", "moqiming", "mqm"), ("長孫明", "zhangsunming", "zsm"),
        ("樂正明", "yuezhengming", "yzm"), ("闞澤", "kanze", "kz"), ("賁明", "benming", "bm"),
        ("郇明", "xunming", "xm"), ("諶龍", "shenlong", "sl"), ("谌龙", "chenlong", "cl"),
        ("牟明", "muming", "mm"), ("莘明", "xinming", "xm"), ("薄熙", "boxi", "bx"),
    ])
    func aSurnameInEitherScriptIsFoundByItsSound(name: String, pinyin: String, initials: String) {
        #expect(isFound(name, by: pinyin, isPrefix: true))
        #expect(isFound(name, by: initials, isPrefix: true))
    }

    @Test(arguments: [
        " 曾小明", "\u{3000}曾小明", "\u{200B}曾小明", "🐼曾小明", "🐼 曾小明", "❤\u{FE0F}曾小明", "★曾小明",
        "👨\u{200D}👩\u{200D}👧曾小明", "🇨🇳曾小明", "【曾小明】", "~曾小明",
    ])
    func aMarkBeforeASurnameDoesNotHideIt(name: String) {
        for keyword in ["zengxm", "zengxiaoming", "zxm", "cengxm", "cengxiaoming", "cxm"] {
            #expect(isFound(name, by: keyword, isPrefix: true), "\(keyword)")
        }
        #expect(isFound(name, by: "xm") && !isFound(name, by: "xm", isPrefix: true))
    }

    @Test(arguments: ["大曾小明", "a曾小明", "2曾小明", "さ曾小明"])
    func aLetterOrANumberBeforeASurnameIsTheBeginningOfTheName(name: String) {
        #expect(!isFound(name, by: "zengxm") && isFound(name, by: "cengxm"))
    }

    @Test(arguments: [
        (" 曾小明", "Z"), ("\u{3000}曾小明", "Z"), ("\u{200B} 曾小明", "Z"), (" Ann", "A"), ("\tAnn", "A"),
        (" 张三", "Z"), ("", "#"), (" ", "#"), ("🐼曾小明", "#"), ("🐼Ann", "#"), (" 🐼Ann", "#"),
    ])
    func blanksBeforeANameDoNotMoveItAndEmojiDo(name: String, letter: String) {
        #expect(section(ofName: name) == letter)
    }

    @Test func aTextWithoutHanCharactersHasNoSounds() {
        for text in ["", "Ann", "Müller", "さくら", "한"] {
            #expect(Collators.shared.use { $0.sounds(of: text, divider: Self.divider) } == [])
        }
    }

    @Test func keywordsThatAreNotTypedForASoundAreNone() {
        let most = String(repeating: "a", count: Limits.soundKeyword)
        #expect(Sounds.keyword(Array(most.utf8)) != nil)
        for text in ["", "12", "a_", "é", "王", most + "a"] {
            #expect(Sounds.keyword(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test func theLongestSoundsTakeNoMoreStepsThanLettersTimesSyllables() {
        // Each syllable can be typed in two ways: an exponential search would never end.
        let text = String(repeating: "安", count: 5_000)
        let keyword = String(repeating: "an", count: 30) + "x"
        #expect(!isFound(text, by: keyword))
        #expect(isFound(text + "西", by: keyword))
    }

    @Test(arguments: [
        ("曾小明", "Z"), ("单雄信", "S"), ("解缙", "X"), ("仇英", "Q"), ("区志航", "O"), ("查良镛", "Z"),
        ("翟天临", "Z"), ("乐嘉", "Y"), ("召信臣", "S"), ("繁钦", "P"), ("种师道", "C"), ("秘彦士", "B"),
        ("折可适", "S"), ("隗嚣", "W"), ("祭遵", "Z"), ("么书仪", "Y"), ("句践", "G"), ("尉迟恭", "Y"),
        ("万俟卨", "M"), ("单于丹", "C"), ("澹台灭明", "T"), ("長孫", "Z"), ("长孙无忌", "Z"), ("單老師", "S"),
        ("尉遲恭", "Y"), ("單于丹", "C"), ("澹臺滅明", "T"), ("萬俟卨", "M"), ("樂正子春", "Y"), ("闞澤", "K"),
        ("阚泽", "K"), ("賁赫", "B"), ("薄熙", "B"), ("佴贤", "N"), ("曽小明", "Z"), ("査良鏞", "Z"), ("鈄滔", "T"),
        ("曾国藩", "Z"), ("曾", "Z"), ("曾 小明", "Z"), ("单 (公司)", "S"), ("覃雪梅", "T"), ("乐毅", "Y"),
    ])
    func aSurnameStandsUnderItsReadingAsASurname(name: String, letter: String) {
        #expect(section(ofName: name) == letter)
    }

    @Test(arguments: [
        ("曾经沧海", "C"), ("曾经", "C"), ("单身狗", "D"), ("单车少年", "D"), ("单反", "D"), ("解放军", "J"),
        ("解忧", "J"), ("仇恨", "C"), ("区块链", "Q"), ("查看", "C"), ("种草", "Z"), ("秘密", "M"),
        ("折叠", "Z"), ("繁花", "F"), ("乐乐", "L"), ("乐天派", "L"), ("查无此人", "C"), ("召唤师", "Z"),
        ("解放思想实事求是", "J"), ("曾是一个好朋友", "C"), ("重庆", "C"),
    ])
    func aWordKeepsItsReading(word: String, letter: String) {
        #expect(section(ofName: word) == letter)
    }

    @Test func eachSurnameSortsAsACharacterOfItsReading() {
        for surname in Surname.all where surname.sortsAs != surname.text {
            let read = Collators.shared.use { collator in
                surname.sortsAs.unicodeScalars.map {
                    String(decoding: collator.letters.syllable(of: $0), as: UTF8.self)
                }
            }
            #expect(read.joined(separator: " ") == surname.reading, "\(surname.text)")
        }
    }

    @Test func namesOfOneSurnameStandTogether() {
        let names = ["曾一", "曾九", "增二", "赠三", "张三"]
        let sorted = Collators.shared.use { collator in
            names.map { ($0, collator.sortKey(ofName: $0)) }
                .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
        }
        #expect(sorted == ["增二", "曾九", "曾一", "赠三", "张三"])
    }

    @Test(arguments: [
        ("Müller", "muller"), ("Ørsted", "orsted"), ("Straße", "strasse"), ("ŁÓDŹ", "lodz"),
        ("e\u{301}lan", "elan"), ("Ёлка", "елка"), ("Ωμέγα", "ωμεγα"), ("Nguyễn", "nguyen"),
        ("王", "王"), ("が", "が"), ("한", "한"), ("\u{301}", ""), ("Ａ", "a"), ("İ", "i"),
    ])
    func aSearchIgnoresAccents(text: String, letters: String) {
        #expect(String(decoding: Collators.shared.unaccented(text), as: UTF8.self) == letters)
    }
}
