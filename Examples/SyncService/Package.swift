// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "sync-service",
    products: [.executable(name: "sync-service", targets: ["sync-service"])],
    dependencies: [
        // In a package outside this repository: the repository's URL and a version.
        .package(name: "carrel", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // For SyncInServiceGroup alone.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "SyncDaemon",
            dependencies: [
                .product(name: "Carrel", package: "carrel"), .product(name: "Sync", package: "carrel"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(name: "sync-service", dependencies: ["SyncDaemon"]),
        // The same in an app of several services.
        .target(
            name: "SyncInServiceGroup",
            dependencies: [
                .product(name: "Sync", package: "carrel"), .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "SyncServiceTests",
            dependencies: [
                "SyncDaemon", "SyncInServiceGroup", "sync-service", .product(name: "Carrel", package: "carrel"),
                .product(name: "Sync", package: "carrel"),
                .product(name: "Logging", package: "swift-log"),
            ]),
    ]
)
