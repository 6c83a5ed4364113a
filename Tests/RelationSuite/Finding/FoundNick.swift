/// A nick, with the letters by which a search finds it as its description says.
package struct FoundNick: Sendable {
    package let nick: String
    /// The nick without case, width and accents.
    let name: String
    /// Each reading in one piece, in the order of the letters.
    let pinyin: [String]
    let initials: [String]

    private init(
        _ nick: String, _ name: String, pinyin: [String] = [], initials: [String] = []
    ) {
        self.nick = nick
        self.name = name
        self.pinyin = pinyin
        self.initials = initials
    }

    package static let all = [
        FoundNick("Zhang", "zhang"), FoundNick("zs", "zs"), FoundNick("ann s", "ann s"),
        FoundNick("Ａnn", "ann"), FoundNick("Müller", "muller"),
        FoundNick("张三", "张三", pinyin: ["zhangsan"], initials: ["zs"]),
        FoundNick(
            "曾小", "曾小", pinyin: ["cengxiao", "zengxiao"], initials: ["cx", "zx"]),
        FoundNick("吕布", "吕布", pinyin: ["lubu"], initials: ["lb"]),
        FoundNick("an安娜", "an安娜", pinyin: ["ananna"], initials: ["aan"]),
    ]
}

/// A keyword of a search, with the letters that are compared.
package struct FoundKeyword: Sendable {
    package let text: String
    /// The keyword without case, width and accents.
    let name: String
    /// The keyword as it is typed for a sound; nil if it is not.
    let sound: String?

    private init(_ text: String, _ name: String, sound: String?) {
        self.text = text
        self.name = name
        self.sound = sound
    }

    package static let all = [
        FoundKeyword("z", "z", sound: "z"), FoundKeyword("ZH", "zh", sound: "zh"),
        FoundKeyword("zs", "zs", sound: "zs"), FoundKeyword("张", "张", sound: nil),
        FoundKeyword("zhang san", "zhang san", sound: "zhangsan"),
        FoundKeyword("ａｎ", "an", sound: "an"), FoundKeyword("lv", "lv", sound: "lu"),
        FoundKeyword("MÜ", "mu", sound: "mu"), FoundKeyword("c", "c", sound: "c"),
        FoundKeyword("a", "a", sound: "a"), FoundKeyword("a b", "a b", sound: "ab"),
        FoundKeyword("~", "~", sound: nil), FoundKeyword("b", "b", sound: "b"),
        FoundKeyword("cx", "cx", sound: "cx"), FoundKeyword("ann s", "ann s", sound: "anns"),
        FoundKeyword("ghost", "ghost", sound: "ghost"), FoundKeyword("aa", "aa", sound: "aa"),
    ]
}
