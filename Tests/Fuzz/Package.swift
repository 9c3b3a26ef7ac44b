// swift-tools-version: 6.2
import PackageDescription

// A package of its own: everything in it is instrumented for libFuzzer and the address sanitizer. `run.sh` builds and starts it.
let instrumented: [SwiftSetting] = [
    .unsafeFlags(["-enable-testing", "-sanitize=address", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,indirect-calls,trace-cmp"]
    ),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "carrel-fuzz",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(name: "CChild", path: "Sources/CChild"),
        .systemLibrary(name: "CSSH2", path: "Sources/CSSH2", pkgConfig: "libssh2"),
        .systemLibrary(name: "LibFuzzer", path: "LibFuzzer"),
        .target(name: "FileProviderCore", dependencies: ["CLinux"], swiftSettings: instrumented),
        .target(
            name: "SSHTransport",
            dependencies: ["CChild", "CSSH2", "FileProviderCore", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: instrumented),
        .target(name: "SFTPEngine", dependencies: ["FileProviderCore"], swiftSettings: instrumented),
        .executableTarget(
            name: "carrel-fuzz", dependencies: ["LibFuzzer", "FileProviderCore", "SFTPEngine", "SSHTransport"], path: "Targets",
            swiftSettings: instrumented,
            linkerSettings: [.unsafeFlags(["-sanitize=address"])]),
    ]
)
