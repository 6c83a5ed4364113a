internal import CICU

/// The first word of a Chinese text, which tells a surname from the beginning of a word.
///
/// 单雄信 begins with the surname 单, and 单身狗 with the word 单身.
///
/// It belongs to one ``Collator``, and is used by one thread at a time.
final class WordBreaker {
    /// It is made in `init`, closed in `deinit`, and never handed out.
    private let raw: OpaquePointer

    /// Persons whom the library's dictionary has as words.
    private static let persons: Set<String> = ["乐毅", "华佗", "华国锋", "曾国藩", "曾子"]

    /// Beginnings of words that the library's dictionary lacks, and that people call themselves by.
    private static let ordinary = [
        "乐不", "乐享", "乐呵", "乐在", "乐天", "乐活", "么么", "单反", "单恋", "单打", "单挑", "单眼", "单飞",
        "华为", "华仔", "华灯", "员外", "折翼", "折耳", "朴实", "查克", "查岗", "查无", "盖楼", "盖浇", "盖茨",
        "盖饭", "祭天", "种树", "种瓜", "种田", "种草", "种菜", "秘制", "粘人", "繁花", "缪斯", "能人", "解压",
        "解忧", "解渴", "解铃", "解闷", "过客", "都行", "黑咖", "黑客", "黑狗", "黑猫", "黑米", "黑羽", "黑胶",
        "黑莓", "黑豹", "黑鸟",
    ]

    /// - Precondition: The library has its data, which Debian links into it.
    init() {
        var error = U_ZERO_ERROR
        guard let raw = icu_words_open("zh", &error), error.rawValue <= 0 else {
            preconditionFailure("ICU has no words: error \(error.rawValue)")
        }
        self.raw = raw
    }

    deinit {
        icu_words_close(raw)
    }

    /// Whether the text, which begins with the surname, is a name with it.
    ///
    /// It is none if it begins with a longer word, repeats its first character as pet names do, or
    /// has more Han characters than a name.
    func isSurname(_ surname: Surname, in text: String) -> Bool {
        let han = text.unicodeScalars.prefix { Letters.isHan($0) }
        guard han.count <= Limits.hanNameCharacters else { return false }
        if surname.text.count > 1 { return true }
        let beginning = String(String.UnicodeScalarView(han))
        if Self.persons.contains(beginning) { return true }
        if han.count > 1, han.dropFirst().first == han.first { return false }
        if Self.ordinary.contains(where: text.hasPrefix) { return false }
        var error = U_ZERO_ERROR
        let units = Array(text.utf16)
        let end = icu_first_word(raw, units, Int32(units.count), &error)
        return end <= 1
    }
}
