/// A Chinese surname that is read otherwise than the same character in other words.
///
/// The rules of the library take the usual reading of each character, and so would sort 曾 under C
/// where readers look for it under Z. Most readings are those of the library's transliterator
/// `Han-Latin/Names`. It lacks 朴, 缪, 覃, 黑, 祭, 么, 乜, 句, 洗, 炅, 能, 都, 薄, 阚, 佴, 郇 and
/// 谌, and most traditional characters, whose readings here are the customary ones. Surnames
/// whose two readings differ in the tone alone are here too, because tones decide the order within
/// a syllable.
struct Surname: Sendable {
    let text: String
    /// The syllable, without its tone.
    let reading: String
    /// A character with this reading alone.
    let sortsAs: String

    private init(_ text: String, _ reading: String, _ sortsAs: String) {
        self.text = text
        self.reading = reading
        self.sortsAs = sortsAs
    }

    /// Surnames of two characters: their first character is read otherwise.
    ///
    /// Each stands here in both scripts, wherever these differ.
    private static let double: [String: Surname] = keyed([
        Surname("万俟", "mo qi", "末其"), Surname("单于", "chan yu", "蝉于"),
        Surname("尉迟", "yu chi", "玉迟"), Surname("澹台", "tan tai", "谈台"),
        Surname("长孙", "zhang sun", "掌孙"), Surname("乐正", "yue zheng", "越正"),
        Surname("令狐", "ling hu", "灵狐"),
        // In the script of Taiwan and Hong Kong.
        Surname("萬俟", "mo qi", "末其"), Surname("單于", "chan yu", "蝉于"),
        Surname("尉遲", "yu chi", "玉迟"), Surname("澹臺", "tan tai", "谈台"),
        Surname("長孫", "zhang sun", "掌孙"), Surname("樂正", "yue zheng", "越正"),
    ])

    private static let single: [String: Surname] = keyed([
        Surname("乐", "yue", "越"), Surname("么", "yao", "腰"), Surname("乜", "nie", "聂"),
        Surname("仇", "qiu", "求"), Surname("任", "ren", "人"), Surname("区", "ou", "欧"),
        Surname("华", "hua", "话"), Surname("单", "shan", "善"), Surname("卜", "bu", "补"),
        Surname("召", "shao", "绍"), Surname("句", "gou", "沟"), Surname("员", "yun", "韵"),
        Surname("折", "she", "蛇"), Surname("曾", "zeng", "增"), Surname("朴", "piao", "瓢"),
        Surname("查", "zha", "渣"), Surname("洗", "xian", "显"), Surname("炅", "gui", "贵"),
        Surname("燕", "yan", "烟"), Surname("盖", "ge", "舸"), Surname("祭", "zhai", "寨"),
        Surname("种", "chong", "虫"), Surname("秘", "bi", "必"), Surname("粘", "nian", "年"),
        Surname("繁", "po", "婆"), Surname("纪", "ji", "己"), Surname("缪", "miao", "妙"),
        Surname("翟", "zhai", "宅"), Surname("能", "nai", "耐"), Surname("葛", "ge", "舸"),
        Surname("解", "xie", "谢"), Surname("过", "guo", "郭"), Surname("都", "du", "督"),
        Surname("隗", "wei", "伟"), Surname("黑", "he", "贺"), Surname("薄", "bo", "伯"),
        Surname("阚", "kan", "看"), Surname("佴", "nai", "耐"),
        // Their bearers read them in two ways, so they keep their position in the order.
        Surname("覃", "qin", "覃"), Surname("牟", "mu", "牟"), Surname("莘", "xin", "莘"),
        Surname("郇", "xun", "郇"), Surname("谌", "shen", "谌"), Surname("諶", "shen", "諶"),
        // In the script of Taiwan and Hong Kong.
        Surname("樂", "yue", "越"), Surname("區", "ou", "欧"), Surname("單", "shan", "善"),
        Surname("華", "hua", "话"), Surname("樸", "piao", "瓢"), Surname("種", "chong", "虫"),
        Surname("祕", "bi", "必"), Surname("紀", "ji", "己"), Surname("繆", "miao", "妙"),
        Surname("蓋", "ge", "舸"), Surname("過", "guo", "郭"), Surname("員", "yun", "韵"),
        Surname("闞", "kan", "看"), Surname("賁", "ben", "奔"), Surname("鈄", "tou", "钭"),
        // Variants of 查 and 曾.
        Surname("査", "zha", "渣"), Surname("曽", "zeng", "增"),
    ])

    /// All of them, for tests.
    static let all = Array(single.values) + Array(double.values)

    private static func keyed(_ surnames: [Surname]) -> [String: Surname] {
        Dictionary(uniqueKeysWithValues: surnames.map { ($0.text, $0) })
    }

    /// The surname that the text begins with, whatever the text means.
    static func first(of text: String) -> Surname? {
        // Most texts are known by their first byte not to begin with a Han character.
        guard let first = text.utf8.first, first >= 0xE3 else { return nil }
        return double[String(text.prefix(2))] ?? single[String(text.prefix(1))]
    }
}
