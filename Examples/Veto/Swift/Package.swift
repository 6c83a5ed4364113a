// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "veto",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .executableTarget(
            name: "veto",
            dependencies: [.product(name: "Crypto", package: "swift-crypto"), "FlyingFox"],
            path: "Sources")
    ]
)
