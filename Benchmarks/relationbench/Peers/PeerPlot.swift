/// The processor time of a call to each server, as a picture.
struct PeerPlot {
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
        let groups = shapes.map { shape in
            BarPlot.Group(title: shape.shape.title, bars: shape.servers.map { Self.bar($0, shape) })
        }
        return BarPlot(
            title: "Processor time of the server for one CheckFriends call, in µs: less is better",
            groups: groups
        ).svg
    }

    private static func bar(_ server: ServerRounds, _ shape: ShapeFigures) -> BarPlot.Bar {
        let value = server.cpuMicroseconds.median
        var label = value.hundredths
        if let ratio = shape.ratio(of: server.name, to: PeerFigures.ours),
            server.name != PeerFigures.ours
        {
            label += " (\(ratio.hundredths) ×)"
        }
        return BarPlot.Bar(
            name: server.name, value: value, label: label,
            isOurs: server.name.hasPrefix(PeerFigures.ours))
    }
}
