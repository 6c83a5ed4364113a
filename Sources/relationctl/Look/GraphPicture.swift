import Glibc

/// The picture of a graph: the user in the middle, and its friends on a circle around it.
struct GraphPicture {
    private static let margin = 130.0
    private static let textHeight = 14.0
    private let graph: FriendGraph
    private let radius: Double
    private var size: Double { 2 * (radius + Self.margin) }

    init(_ graph: FriendGraph) {
        self.graph = graph
        // The names beside each other need their height on the circle.
        let round = Double(graph.shown.count) * (Self.textHeight + 4) / (2 * Double.pi)
        radius = max(180, round)
    }

    var svg: String {
        let side = Self.number(size)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(side)\" height=\"\(side)\" "
                + "viewBox=\"0 0 \(side) \(side)\" font-family=\"sans-serif\" font-size=\"12\">",
            "<title>The friends of \(Self.escaped(graph.user))</title>",
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
        ]
        lines += graph.shown.indices.map { spoke($0) }
        for (index, node) in graph.shown.enumerated() {
            for other in node.known {
                let isMutual = graph.areMutual(index, other)
                // An edge of both sides is drawn once.
                if isMutual, other < index { continue }
                lines.append(line(point(index), point(other), "#3366aa", isDashed: !isMutual))
            }
        }
        lines += graph.shown.indices.map { friend($0) }
        let middle = (x: size / 2, y: size / 2)
        lines.append(dot(middle, 8, "#cc4422"))
        lines.append(
            "<text x=\"\(Self.number(middle.x))\" y=\"\(Self.number(middle.y - 13))\" "
                + "text-anchor=\"middle\" font-weight=\"bold\">\(Self.escaped(graph.user))</text>")
        return lines.joined(separator: "\n") + "\n</svg>\n"
    }

    private func angle(_ index: Int) -> Double {
        2 * Double.pi * Double(index) / Double(graph.shown.count) - Double.pi / 2
    }

    private func point(_ index: Int, _ more: Double = 0) -> (x: Double, y: Double) {
        let angle = angle(index)
        return (
            size / 2 + (radius + more) * cos(angle), size / 2 + (radius + more) * sin(angle)
        )
    }

    private func spoke(_ index: Int) -> String {
        line(
            (size / 2, size / 2), point(index), "#bbbbbb", isDashed: !graph.shown[index].isMutual)
    }

    private func friend(_ index: Int) -> String {
        let node = graph.shown[index]
        let label = node.name.isEmpty ? node.id : node.name
        let (x, y) = point(index, 10)
        let isLeft = cos(angle(index)) < -0.01
        // A name reads outwards; on the left side it is turned, so that it is not upside down.
        let turn = angle(index) * 180 / Double.pi + (isLeft ? 180 : 0)
        let (across, down) = (Self.number(x), Self.number(y))
        return dot(point(index), 5, "#3366aa")
            + "<text x=\"\(across)\" y=\"\(down)\" dominant-baseline=\"middle\" "
            + "text-anchor=\"\(isLeft ? "end" : "start")\" "
            + "transform=\"rotate(\(Self.number(turn)) \(across) \(down))\">"
            + "<title>\(Self.escaped(node.id))</title>\(Self.escaped(Self.short(label)))</text>"
    }

    private func dot(_ at: (x: Double, y: Double), _ radius: Int, _ colour: String) -> String {
        "<circle cx=\"\(Self.number(at.x))\" cy=\"\(Self.number(at.y))\" r=\"\(radius)\" "
            + "fill=\"\(colour)\"/>"
    }

    private func line(
        _ from: (x: Double, y: Double), _ to: (x: Double, y: Double), _ colour: String,
        isDashed: Bool
    ) -> String {
        "<line x1=\"\(Self.number(from.x))\" y1=\"\(Self.number(from.y))\" "
            + "x2=\"\(Self.number(to.x))\" y2=\"\(Self.number(to.y))\" stroke=\"\(colour)\""
            + (isDashed ? " stroke-dasharray=\"4 4\"/>" : "/>")
    }

    /// A number with one digit after the point.
    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func short(_ name: String) -> String {
        name.count > 16 ? "\(name.prefix(15))…" : name
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in PlainText(text).description {
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
