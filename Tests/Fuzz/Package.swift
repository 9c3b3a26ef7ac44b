// swift-tools-version: 6.2
import PackageDescription

let features: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A package of its own: what decodes is instrumented for libFuzzer and the address sanitizer. `run.sh` builds and
// starts it.
let instrumented: [SwiftSetting] =
    features + [
        .unsafeFlags([
            "-enable-testing", "-sanitize=address",
            "-sanitize-coverage=edge,inline-8bit-counters,pc-table,indirect-calls,trace-cmp",
        ])
    ]

let package = Package(
    name: "carrel-fuzz",
    dependencies: [.package(url: "https://github.com/apple/swift-log", from: "1.16.2")],
    targets: [
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(name: "CChild", path: "Sources/CChild"),
        .systemLibrary(name: "CSSH2", path: "Sources/CSSH2", pkgConfig: "libssh2"),
        .systemLibrary(name: "CCrypto", path: "Sources/CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CDeflate", path: "Sources/CDeflate", pkgConfig: "libdeflate"),
        .systemLibrary(name: "CXML2", path: "Sources/CXML2", pkgConfig: "libxml-2.0"),
        .systemLibrary(name: "CArchive", path: "Sources/CArchive", pkgConfig: "libarchive"),
        .systemLibrary(name: "LibFuzzer", path: "LibFuzzer"),
        .target(
            name: "FileProviderCore",
            dependencies: ["CChild", "CLinux", .product(name: "Logging", package: "swift-log")],
            swiftSettings: instrumented),
        .target(
            name: "SSHTransport",
            dependencies: ["CLinux", "CSSH2", "FileProviderCore", "Cryptography"],
            swiftSettings: instrumented),
        .target(name: "SFTPEngine", dependencies: ["FileProviderCore"], swiftSettings: instrumented),
        .target(name: "MediaTags", dependencies: ["FileProviderCore"], swiftSettings: instrumented),
        .target(name: "SafeXML", dependencies: ["CXML2"], swiftSettings: instrumented),
        .target(name: "Cryptography", dependencies: ["CCrypto"], swiftSettings: instrumented),
        .target(
            name: "CPDF",
            cxxSettings: [
                .define("CARREL_WITH_QPDF"), .define("POINTERHOLDER_TRANSITION", to: "4"),
                .unsafeFlags([
                    "-fsanitize=address",
                    "-fsanitize-coverage=edge,inline-8bit-counters,pc-table,indirect-calls,trace-cmp",
                ]),
            ],
            linkerSettings: [.linkedLibrary("qpdf")]),
        .target(name: "MediaTypes", swiftSettings: instrumented + [.define("Formats")]),
        .target(
            name: "Archives", dependencies: ["CArchive", "CDeflate", "CZlib", "FileProviderCore"],
            swiftSettings: instrumented + [.define("Formats")]),
        .target(
            name: "Publication",
            dependencies: [
                "Archives", "CPDF", "Cryptography", "FileProviderCore", "MediaTags", "MediaTypes", "SafeXML",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: instrumented + [.define("Formats")]),
        .target(
            name: "LCP",
            dependencies: [
                "Archives", "Cryptography", "FileProviderCore", "MediaTypes", "Publication",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: instrumented),
        .target(
            name: "OPDS", dependencies: ["FileProviderCore", "MediaTypes", "Publication", "SafeXML"],
            swiftSettings: instrumented),
        .target(
            name: "ReaderMessages", dependencies: ["Cryptography", "FileProviderCore"], swiftSettings: instrumented),
        .target(name: "SampleBooks", dependencies: ["CCrypto", "CZlib"], path: "Fixtures", swiftSettings: features),
        .executableTarget(
            name: "carrel-fuzz",
            dependencies: [
                "LibFuzzer", "Archives", "FileProviderCore", "LCP", "MediaTags", "MediaTypes", "OPDS",
                "Publication", "ReaderMessages", "SFTPEngine",
                "SSHTransport", "SafeXML", "SampleBooks",
            ],
            path: "Targets",
            swiftSettings: instrumented,
            linkerSettings: [.unsafeFlags(["-sanitize=address"])]),
    ]
)
