/// The processor time of a call to each server, as a picture.
///
/// It is readable on a light page and on a dark one, and needs no fonts of its own.
struct PeerPlot {
    private static let width = 760.0
    private static let left = 120.0
    private static let right = 110.0
    private static let bar = 16.0
    private static let step = 24.0
    private static let headRoom = 34.0

    private let shapes: [ShapeFigures]

    /// - Parameter shapes: All loads; the picture has some of them.
    init(_ shapes: [ShapeFigures]) {
        self.shapes = shapes.filter(\.shape.isPlotted).map { figures in
            let servers = figures.servers.filter { $0.name != PeerFigures.oursOpen }
            return ShapeFigures(shape: figures.shape, servers: servers)
        }
    }

    /// The picture, as SVG.
    var svg: String {
        var body: [String] = []
        var top = 44.0
        for shape in shapes {
            body.append(Self.text(shape.shape.title, x: 0, y: top + 14, kind: "title"))
            top += Self.headRoom - 8
            let full = Self.full(of: shape)
            for server in shape.servers {
                body += Self.row(server, full: full, top: top, ofOurs: shape)
                top += Self.step
            }
            top += Self.headRoom / 2
        }
        let head = "Processor time of the server for one CheckFriends call, in µs: less is better"
        return
            ([
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \
                \(Int(top))" width="\(Int(Self.width))" height="\(Int(top))" role="img">
                """,
                "<title>\(Self.escaped(head))</title>", Self.style,
                Self.text(head, x: 0, y: 20, kind: "head"),
            ] + body + ["</svg>", ""]).joined(separator: "\n")
    }

    private static let style = [
        "<style>",
        "text { font: 13px sans-serif; fill: #1f2328 }",
        ".head { font-size: 14px }",
        ".title { font-weight: bold }",
        ".value { fill: #59636e }",
        ".ours { fill: #0969da }",
        ".peer { fill: #8c959f }",
        "@media (prefers-color-scheme: dark) {",
        "text { fill: #e6edf3 }",
        ".value { fill: #9198a1 }",
        ".ours { fill: #4493f8 }",
        ".peer { fill: #656c76 }",
        "}",
        "</style>",
    ].joined(separator: "\n")

    /// The value at which a bar has its full length: the most, or little more than the second if
    /// the most is so long that all others would be short.
    private static func full(of shape: ShapeFigures) -> Double {
        let values = shape.servers.map(\.cpuMicroseconds.median).sorted()
        guard let most = values.last, most > 0 else { return 1 }
        let second = values.count > 1 ? values[values.count - 2] : most
        return most > PeerLimits.cutBar * second && second > 0 ? second * 1.1 : most
    }

    private static func row(
        _ server: ServerRounds, full: Double, top: Double, ofOurs shape: ShapeFigures
    ) -> [String] {
        let value = server.cpuMicroseconds.median
        let isCut = value > full
        let room = width - left - right
        let length = max(1, min(value, full) / full * room)
        let kind = server.name.hasPrefix(PeerFigures.ours) ? "ours" : "peer"
        var label = TextTable.hundredths(value)
        if let ratio = shape.ratio(of: server.name, to: PeerFigures.ours),
            server.name != PeerFigures.ours
        {
            label += " (\(TextTable.hundredths(ratio)) ×)"
        }
        var parts = [
            text(server.name, x: left - 8, y: top + bar - 3, kind: "name", anchor: "end"),
            """
            <rect class="\(kind)" x="\(number(left))" y="\(number(top))" \
            width="\(number(length))" height="\(number(bar))"/>
            """,
            text(label, x: left + length + 6, y: top + bar - 3, kind: "value"),
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

    private static func number(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }

    /// A text that is no markup, whatever it holds.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
