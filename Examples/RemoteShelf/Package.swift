// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "remote-shelf",
    dependencies: [
        // In a package outside this repository: the repository's URL and a version.
        .package(name: "carrel", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "remote-shelf",
            dependencies: [.product(name: "Carrel", package: "carrel"), .product(name: "Shelf", package: "carrel")],
            path: "Sources/ShelfTool"),
        .testTarget(name: "RemoteShelfTests", dependencies: ["remote-shelf"]),
    ]
)
