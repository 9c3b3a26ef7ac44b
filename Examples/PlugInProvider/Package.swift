// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "plug-in-provider",
    products: [.library(name: "BoxFileProvider", targets: ["BoxFileProvider"])],
    dependencies: [
        // In a package outside this repository: the repository's URL and a version.
        .package(name: "carrel", path: "../..")
    ],
    targets: [
        .target(name: "BoxFileProvider", dependencies: [.product(name: "FileProviderCore", package: "carrel")]),
        .executableTarget(
            name: "box-carrel", dependencies: ["BoxFileProvider", .product(name: "CarrelCommand", package: "carrel")],
            path: "Sources/BoxTool"),
        .testTarget(
            name: "BoxFileProviderTests",
            dependencies: [
                "BoxFileProvider", "box-carrel", .product(name: "Carrel", package: "carrel"),
                .product(name: "FileProviderConformance", package: "carrel"),
            ]),
    ]
)
