// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "cloud-service",
    products: [.library(name: "CloudFileProvider", targets: ["CloudFileProvider"])],
    dependencies: [
        // In a package outside this repository: the repository's URL and a version.
        .package(name: "carrel", path: "../..")
    ],
    targets: [
        .target(name: "CloudFileProvider", dependencies: [.product(name: "HTTPFileProvider", package: "carrel")]),
        .executableTarget(
            name: "cloud-carrel",
            dependencies: ["CloudFileProvider", .product(name: "CarrelCommand", package: "carrel")],
            path: "Sources/CloudTool"),
        .testTarget(
            name: "CloudServiceTests",
            dependencies: [
                "CloudFileProvider", "cloud-carrel", .product(name: "FileProviderConformance", package: "carrel"),
            ]),
    ]
)
