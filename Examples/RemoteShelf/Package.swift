// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "remote-shelf",
    products: [.library(name: "RemoteShelf", targets: ["RemoteShelf"])],
    dependencies: [
        // In a package outside this repository: the repository's URL and a version.
        .package(name: "carrel", path: "../..")
    ],
    targets: [
        .target(name: "RemoteShelf", dependencies: [.product(name: "Carrel", package: "carrel")]),
        .executableTarget(
            name: "remote-shelf", dependencies: ["RemoteShelf", .product(name: "Carrel", package: "carrel")],
            path: "Sources/ShelfTool"),
        .testTarget(
            name: "RemoteShelfTests",
            dependencies: ["RemoteShelf", "remote-shelf", .product(name: "Carrel", package: "carrel")]),
    ]
)
