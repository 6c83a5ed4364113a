/// Groups of bars, as a picture.
///
/// It is readable on a light page and on a dark one, and needs no fonts of its own.
struct BarPlot {
    /// One bar.
    struct Bar {
        let name: String
        let value: Double
        /// The text after the bar.
        let label: String
        /// Whether it is of this project's server.
        var isOurs = true
    }

    struct Group {
        let title: String
        let bars: [Bar]
    }

    private static let width = 760.0
    private static let left = 120.0
    private static let right = 110.0
    private static let bar = 16.0
    private static let step = 24.0
    private static let headRoom = 34.0

    let title: String
    let groups: [Group]

    /// The picture, as SVG.
    var svg: String {
        var body: [String] = []
        var top = 44.0
        for group in groups {
            body.append(Self.text(group.title, x: 0, y: top + 14, kind: "title"))
            top += Self.headRoom - 8
            let full = Self.full(of: group.bars.map(\.value))
            for bar in group.bars {
                body += Self.row(bar, full: full, top: top)
                top += Self.step
            }
            top += Self.headRoom / 2
        }
        return
            ([
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \
                \(Int(top))" width="\(Int(Self.width))" height="\(Int(top))" role="img">
                """,
                "<title>\(Self.escaped(title))</title>", Self.style,
                Self.text(title, x: 0, y: 20, kind: "head"),
            ] + body + ["</svg>", ""]).joined(separator: "\n")
    }

    private static let style = [
        "<style>", "text { font: 13px sans-serif; fill: #1f2328 }", ".head { font-size: 14px }",
        ".title { font-weight: bold }", ".value { fill: #59636e }", ".ours { fill: #0969da }",
        ".peer { fill: #8c959f }", "@media (prefers-color-scheme: dark) {",
        "text { fill: #e6edf3 }", ".value { fill: #9198a1 }", ".ours { fill: #4493f8 }",
        ".peer { fill: #656c76 }", "}", "</style>",
    ].joined(separator: "\n")

    /// The value at which a bar has its full length: the most, or little more than the second if
    /// the most is so long that all others would be short.
    private static func full(of values: [Double]) -> Double {
        let values = values.sorted()
        guard let most = values.last, most > 0 else { return 1 }
        let second = values.count > 1 ? values[values.count - 2] : most
        return most > PeerBenchLimits.cutBar * second && second > 0 ? second * 1.1 : most
    }

    private static func row(_ row: Bar, full: Double, top: Double) -> [String] {
        let isCut = row.value > full
        let room = width - left - right
        let length = max(1, min(row.value, full) / full * room)
        var parts = [
            text(row.name, x: left - 8, y: top + bar - 3, kind: "name", anchor: "end"),
            """
            <rect class="\(row.isOurs ? "ours" : "peer")" x="\(number(left))" \
            y="\(number(top))" width="\(number(length))" height="\(number(bar))"/>
            """,
            text(row.label, x: left + length + 6, y: top + bar - 3, kind: "value"),
        ]
        if isCut {
            // Two strokes say that the bar is longer than its place.
            let x = left + length - 14
            parts.append(
                """
                <path d="M\(number(x)) \(number(top + bar))l6 \(number(-bar))m4 0l-6 \
                \(number(bar))" stroke="#ffffff" stroke-width="2"/>
                """)
        }
        return parts
    }

    private static func text(
        _ text: String, x: Double, y: Double, kind: String, anchor: String = "start"
    ) -> String {
        """
        <text class="\(kind)" x="\(number(x))" y="\(number(y))" text-anchor="\(anchor)">\
        \(escaped(text))</text>
        """
    }

    private static func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    /// A text that is not markup, whatever it holds.
    static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
