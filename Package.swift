// swift-tools-version: 6.2
import PackageDescription

// For `swift package generate-documentation`. Packages that depend on this one never fetch it; `make docs` does without.
let documentation: [Package.Dependency] =
    Context.environment["CARREL_DOCC_PLUGIN"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0")]

let package = Package(
    name: "carrel",
    products: [
        // README.md, "Products", lists what each links and compiles; Tests/Products compares.
        .library(name: "Carrel", targets: ["Carrel"]),
        .library(name: "FileProviderCore", targets: ["FileProviderCore"]),
        .library(name: "FileProviderUndo", targets: ["FileProviderUndo"]),
        .library(name: "PredicateFormat", targets: ["PredicateFormat"]),
        .library(name: "FileProviderConformance", targets: ["FileProviderConformance"]),
        .library(name: "LocalFileProvider", targets: ["LocalFileProvider"]),
        .library(name: "MemoryFileProvider", targets: ["MemoryFileProvider"]),
        .library(name: "HTTPFileProvider", targets: ["HTTPFileProvider", "CurlTransport"]),
        .library(name: "WebDAVFileProvider", targets: ["WebDAVFileProvider"]),
        .library(name: "FTPFileProvider", targets: ["FTPFileProvider"]),
        .library(name: "SFTPFileProvider", targets: ["SFTPFileProvider"]),
        .library(name: "S3FileProvider", targets: ["S3FileProvider"]),
        .library(name: "MediaTags", targets: ["MediaTags"]),
        .library(name: "MediaTypes", targets: ["MediaTypes"]),
        .library(name: "Archives", targets: ["Archives"]),
        // With the provider of this machine's files, which needs no library.
        .library(name: "Publication", targets: ["Publication", "LocalFileProvider"]),
        .library(name: "PublicationCache", targets: ["PublicationCache"]),
        .library(name: "LCP", targets: ["LCP"]),
        .library(name: "LCPStore", targets: ["LCPStore"]),
        .library(name: "LCPConnection", targets: ["LCPConnection"]),
        .library(name: "PublicationServer", targets: ["PublicationServer", "WebServer"]),
        .library(name: "OPDS", targets: ["OPDS", "OPDSClient"]),
        .library(name: "Shelf", targets: ["Shelf"]),
        .library(name: "ShelfServer", targets: ["ShelfServer"]),
        .library(name: "FileInformation", targets: ["FileInformation"]),
        .library(name: "ReaderApplication", targets: ["ReaderApplication"]),
        .library(name: "ReaderDriver", targets: ["ReaderDriver"]),
        .library(name: "ReaderLink", targets: ["ReaderLink"]),
        .library(name: "ReaderLibrary", targets: ["ReaderLibrary"]),
        .library(name: "Sync", targets: ["Sync"]),
        .library(name: "SyncFleet", targets: ["SyncFleet", "PostgresTransport"]),
        .library(name: "CarrelCommand", targets: ["CarrelCommand"]),
        .executable(name: "carrel", targets: ["CarrelTool"]),
    ],
    traits: [
        // One of them by default: SwiftPM passes several names in random order, and then compiles every module again.
        .default(enabledTraits: ["Formats"]),
        .trait(
            name: "Formats",
            description:
                "PDF files, comics in RAR, 7z and TAR, properties of images and sound, and thumbnails, by C libraries."),
        .trait(
            name: "Serving",
            description: "A web server for PublicationServer, by Hummingbird, and `carrel book serve`."),
        .trait(name: "Fleet", description: "Sync workers on PostgreSQL, by libpq, and `carrel fleet`."),
        .trait(name: "Metrics", description: "Counters and timers of each provider's requests, by swift-metrics."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Needed with the trait Metrics only.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Needed with the trait Serving only.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ] + documentation,
    targets: [
        // System libraries: a module map and a shim each.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSSH2", pkgConfig: "libssh2", providers: [.apt(["libssh2-1-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(name: "CChild"),
        // What to install where SQLite is missing, which GRDB links.
        .target(name: "CSQLite"),
        // Needed with the trait Formats only.
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        // Needed with the trait Formats only.
        .target(
            name: "CPDF",
            cxxSettings: [
                .define("CARREL_WITH_QPDF", .when(traits: ["Formats"])), .define("POINTERHOLDER_TRANSITION", to: "4"),
            ],
            linkerSettings: [.linkedLibrary("qpdf", .when(traits: ["Formats"]))]),
        // Needed with the trait Formats only.
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CExif", pkgConfig: "libexif", providers: [.apt(["libexif-dev"])]),
        // Needed with the trait Fleet only.
        .systemLibrary(name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "CAudioTags",
            cxxSettings: [.define("CARREL_WITH_TAGLIB", .when(traits: ["Formats"]))],
            linkerSettings: [.linkedLibrary("tag", .when(traits: ["Formats"]))]),

        // The contracts, and what holds for every provider.
        .target(
            name: "FileProviderCore",
            dependencies: [
                "CChild", "CLinux", .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
            ]),
        // Beside them: steps that are taken back, and queries in the words of NSPredicate.
        .target(name: "FileProviderUndo", dependencies: ["FileProviderCore"]),
        .target(name: "PredicateFormat", dependencies: ["FileProviderCore"]),
        .target(name: "FileProviderConformance", dependencies: ["FileProviderCore"]),

        // One Swift owner for each C library.
        .target(name: "CurlTransport", dependencies: ["CCurl", "FileProviderCore"]),
        .target(
            name: "SSHTransport",
            dependencies: ["CLinux", "CSSH2", "FileProviderCore", "Cryptography"]),
        .target(
            name: "PostgresTransport",
            dependencies: [
                .target(name: "CPQ", condition: .when(traits: ["Fleet"])), "FileProviderCore",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "SafeXML", dependencies: ["CXML2"]),
        .target(name: "Cryptography", dependencies: ["CCrypto"]),

        // SFTP's packets over any channel of bytes.
        .target(name: "SFTPEngine", dependencies: ["FileProviderCore"]),

        // Providers, one folder each.
        .target(name: "LocalFileProvider", dependencies: ["CLinux", "FileProviderCore"], path: "Providers/Local"),
        .target(name: "MemoryFileProvider", dependencies: ["FileProviderCore"], path: "Providers/Memory"),
        .target(
            name: "HTTPFileProvider",
            dependencies: ["FileProviderCore", "CurlTransport", "Cryptography", "MediaTypes"], path: "Providers/HTTP"),
        .target(
            name: "WebDAVFileProvider",
            dependencies: [
                "FileProviderCore", "CurlTransport", "HTTPFileProvider", "SafeXML", "Cryptography",
            ],
            path: "Providers/WebDAV"),
        .target(
            name: "S3FileProvider",
            dependencies: [
                "FileProviderCore", "CurlTransport", "HTTPFileProvider", "SafeXML", "Cryptography",
            ], path: "Providers/S3"),

        .target(
            name: "FTPFileProvider",
            dependencies: ["CZlib", "FileProviderCore", "CurlTransport", "Cryptography"],
            path: "Providers/FTP"),

        .target(
            name: "SFTPFileProvider", dependencies: ["FileProviderCore", "SFTPEngine", "SSHTransport"],
            path: "Providers/SFTP"),

        // What sound files say of themselves, by ranges; no C library.
        .target(name: "MediaTags", dependencies: ["FileProviderCore"]),

        // Books: what their files are, archives over ranges, publications, and what a reader keeps of them.
        .target(name: "MediaTypes"),
        .target(
            name: "Archives",
            dependencies: [
                "CDeflate", "CZlib", .target(name: "CArchive", condition: .when(traits: ["Formats"])),
                "FileProviderCore",
            ]),
        .target(
            name: "Publication",
            dependencies: [
                "Archives", .target(name: "CPDF", condition: .when(traits: ["Formats"])), "Cryptography",
                "FileProviderCore",
                "MediaTags", "MediaTypes", "SafeXML", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "PublicationCache",
            dependencies: ["Archives", "Cryptography", "FileProviderCore", "MediaTypes", "Publication"]),

        // Books that Readium LCP protects, a store in SQLite for what an app keeps of their licences, and the way to their
        // servers.
        .target(
            name: "LCP",
            dependencies: [
                "Archives", "Cryptography", "FileProviderCore", "MediaTypes", "Publication",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "LCPStore",
            dependencies: ["CSQLite", "FileProviderCore", "LCP", .product(name: "GRDB", package: "GRDB.swift")]),
        .target(
            name: "LCPConnection", dependencies: ["CurlTransport", "FileProviderCore", "HTTPFileProvider", "LCP"]),

        // What servers over HTTP have in common. Without the trait, for a server of the app's own.
        .target(
            name: "WebServer",
            dependencies: [
                "Cryptography", "FileProviderCore", .product(name: "Logging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Serving"])),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: .when(traits: ["Serving"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Serving"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Serving"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Serving"])),
            ]),
        // Publications over HTTP, and a page to read on.
        .target(
            name: "PublicationServer",
            dependencies: [
                "Archives", "Cryptography", "FileProviderCore", "MediaTypes", "Publication", "WebServer",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Serving"])),
            ],
            resources: [.embedInCode("Page")]),

        // Properties and thumbnails. Without the trait, of what needs no further library.
        .target(
            name: "FileInformation",
            dependencies: [
                "FileProviderCore", "MediaTags", "Publication",
                .target(name: "CTurboJPEG", condition: .when(traits: ["Formats"])),
                .target(name: "CPNG", condition: .when(traits: ["Formats"])),
                .target(name: "CWebP", condition: .when(traits: ["Formats"])),
                .target(name: "CExif", condition: .when(traits: ["Formats"])),
                .target(name: "CAudioTags", condition: .when(traits: ["Formats"])),
            ]),

        // Catalogues of publications in both versions of OPDS, and a client of them.
        .target(name: "OPDS", dependencies: ["FileProviderCore", "MediaTypes", "Publication", "SafeXML"]),
        .target(
            name: "OPDSClient",
            dependencies: [
                "CurlTransport", "FileProviderCore", "HTTPFileProvider", "MediaTypes", "OPDS", "Publication",
            ]),

        // Databases that are verified when they are opened, and what catalogues of books in them have in common.
        .target(
            name: "SQLiteStorage",
            dependencies: ["CSQLite", "FileProviderCore", .product(name: "GRDB", package: "GRDB.swift")]),
        // A catalogue of the books of any storage.
        .target(
            name: "Shelf",
            dependencies: [
                "CSQLite", "Cryptography", "FileInformation", "FileProviderCore", "LocalFileProvider", "MediaTypes",
                "Publication", "SQLiteStorage", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // A shelf over HTTP, with pages, both versions of OPDS, and KOReader's synchronisation. Without the trait, for a server of
        // the app's own.
        .target(
            name: "ShelfServer",
            dependencies: [
                "Archives", "CSQLite", "Cryptography", "FileInformation", "FileProviderCore", "MediaTypes", "OPDS",
                "Publication", "PublicationCache", "PublicationServer", "SQLiteStorage", "Shelf", "WebServer",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Serving"])),
            ],
            resources: [.embedInCode("Page")]),

        // Two folders kept in step.
        .target(
            name: "Sync",
            dependencies: [
                "CSQLite", "Cryptography", "FileProviderCore", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        // Many pairs of folders, kept in step by workers on any number of machines. Without the trait, nothing connects.
        .target(
            name: "SyncFleet",
            dependencies: [
                "Cryptography", "FileProviderCore", "LocalFileProvider", "PostgresTransport", "Sync",
                .product(name: "Logging", package: "swift-log"),
            ]),

        // calibre's protocol with reader applications: what is exchanged, the side of the application, the side of the
        // driver.
        .target(name: "ReaderMessages", dependencies: ["Cryptography", "FileProviderCore"]),
        .target(
            name: "ReaderApplication",
            dependencies: [
                "Cryptography", "FileProviderCore", "ReaderMessages", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "ReaderDriver",
            dependencies: [
                "Cryptography", "FileProviderCore", "Publication", "ReaderMessages",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "ReaderLink", dependencies: ["ReaderApplication", "ReaderDriver"]),
        // A library in SQLite for the application's side.
        .target(
            name: "ReaderLibrary",
            dependencies: [
                "CSQLite", "FileProviderCore", "LocalFileProvider", "Publication", "ReaderLink", "SQLiteStorage",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),

        // What apps and people see.
        .target(
            name: "Carrel",
            dependencies: [
                "FileProviderCore", "FileProviderUndo", "PredicateFormat", "LocalFileProvider", "MemoryFileProvider",
                "HTTPFileProvider",
                "WebDAVFileProvider", "FTPFileProvider", "S3FileProvider", "SFTPFileProvider", "Publication",
                "PublicationCache",
                "ReaderLink", "FileInformation", "SafeXML",
            ]),
        .target(
            name: "CarrelCommand",
            dependencies: [
                "Carrel", "Cryptography", "FileProviderConformance", "LCP", "LCPConnection", "LCPStore", "OPDS",
                "OPDSClient", "PostgresTransport", "PublicationServer", "ReaderLibrary", "Shelf", "ShelfServer", "Sync",
                "SyncFleet", "WebServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(name: "CarrelTool", dependencies: ["CarrelCommand"]),

        // Books that the project makes itself, for tests, benchmarks and the demo.
        .target(
            name: "SampleBooks", dependencies: ["CCrypto", "CZlib"], path: "Tests/Fixtures",
            exclude: ["LCP/make-vectors.sh", "LCP/make-vectors.py"]),
        .executableTarget(
            name: "sniffing-benchmark",
            dependencies: ["FileProviderCore", "LocalFileProvider", "Publication", "SampleBooks"],
            path: "Tests/Performance/Sniffing"),
        .executableTarget(
            name: "sync-memory-benchmark", dependencies: ["FileProviderCore", "Sync"],
            path: "Tests/Performance/SyncMemory"),
        .executableTarget(
            name: "checkpoints-benchmark", dependencies: ["Carrel", "SampleBooks"],
            path: "Tests/Performance/Checkpoints"),
        .executableTarget(
            name: "logging-benchmark", dependencies: ["Carrel", .product(name: "Logging", package: "swift-log")],
            path: "Tests/Performance/Logging"),
        .executableTarget(
            name: "search-benchmark",
            dependencies: ["FileProviderCore", "LocalFileProvider", "Publication", "SampleBooks"],
            path: "Tests/Performance/Search"),
        .executableTarget(name: "sample-book", dependencies: ["SampleBooks"], path: "Examples/SampleBook"),
        .executableTarget(name: "reading-a-book", dependencies: ["Carrel"], path: "Examples/ReadingABook"),
        .executableTarget(
            name: "protected-book", dependencies: ["Carrel", "FaultServer", "LCP", "LCPConnection", "SampleBooks"],
            path: "Examples/ProtectedBook", exclude: ["README.md"]),

        // Tests. Those against real servers are started by Tests/run.sh.
        .testTarget(
            name: "FileProviderCoreTests",
            dependencies: [
                "FileProviderCore", "LocalFileProvider", "MemoryFileProvider", "PredicateFormat", "ProviderDoubles",
                .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "LocalFileProviderTests", dependencies: ["FileProviderUndo", "LocalFileProvider", "ProviderDoubles"]),
        .testTarget(
            name: "MemoryFileProviderTests",
            dependencies: ["FileProviderUndo", "MemoryFileProvider", "PredicateFormat", "ProviderDoubles"]),
        .testTarget(
            name: "HTTPFileProviderTests",
            dependencies: [
                "HTTPFileProvider", "CurlTransport", "FaultServer", "FileProviderConformance", "ProviderDoubles",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "WebDAVFileProviderTests",
            dependencies: [
                "WebDAVFileProvider", "HTTPFileProvider", "FaultServer", "PredicateFormat", "ProviderDoubles",
            ]),
        .testTarget(
            name: "S3FileProviderTests",
            dependencies: [
                "S3FileProvider", "HTTPFileProvider", "Cryptography", "CurlTransport", "FaultServer", "ProviderDoubles",
            ]),
        .testTarget(
            name: "FTPFileProviderTests",
            dependencies: [
                "FTPFileProvider", "CurlTransport", "FaultServer", "FileProviderConformance", "ProviderDoubles",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "SFTPEngineTests", dependencies: ["SFTPEngine", "FaultServer", "ProviderDoubles"]),
        .testTarget(
            name: "SSHTransportTests",
            dependencies: ["CSSH2", "FaultServer", "FileProviderCore", "ProviderDoubles", "SSHTransport"]),
        .testTarget(
            name: "SFTPFileProviderTests",
            dependencies: [
                "SFTPFileProvider", "SFTPEngine", "FaultServer", "FileProviderConformance", "ProviderDoubles",
                "Publication", "SampleBooks", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "SyncFleetTests",
            dependencies: [
                "FileProviderCore", "LocalFileProvider", "MemoryFileProvider", "PostgresTransport", "ProviderDoubles",
                "Sync", "SyncFleet", .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "PostgresTransportTests", dependencies: ["FileProviderCore", "PostgresTransport"]),
        .testTarget(name: "SafeXMLTests", dependencies: ["SafeXML"]),
        .testTarget(name: "CryptographyTests", dependencies: ["CCrypto", "Cryptography", "SampleBooks"]),
        .testTarget(
            name: "MediaTagsTests", dependencies: ["FileProviderCore", "MediaTags", "ProviderDoubles", "SampleBooks"]),
        .testTarget(
            name: "PublicationTests",
            dependencies: [
                "Archives", "Publication", "PublicationCache", "LocalFileProvider", "MediaTypes", "MemoryFileProvider",
                "ProviderDoubles",
                "SafeXML", "SampleBooks",
                .target(name: "CArchive", condition: .when(traits: ["Formats"])), "Cryptography",
            ]),
        .testTarget(
            name: "LCPTests",
            dependencies: [
                "Archives", "CCrypto", "Cryptography", "LCP", "LCPStore", "LocalFileProvider", "MediaTypes",
                "MemoryFileProvider", "ProviderDoubles", "Publication", "PublicationCache", "SampleBooks",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "WebServerTests", dependencies: ["FileProviderCore", "WebServer"]),
        .testTarget(
            name: "PublicationServerTests",
            dependencies: [
                "Archives", "Cryptography", "FileProviderCore", "MediaTypes", "MemoryFileProvider", "ProviderDoubles",
                "Publication", "PublicationServer", "SampleBooks", "WebServer",
            ]),
        .testTarget(
            name: "OPDSTests",
            dependencies: [
                "CurlTransport", "FaultServer", "FileProviderCore", "HTTPFileProvider", "LocalFileProvider",
                "MediaTypes", "MemoryFileProvider", "OPDS", "OPDSClient", "ProviderDoubles", "Publication",
                "SafeXML", "SampleBooks",
            ]),
        .testTarget(
            name: "ShelfTests",
            dependencies: [
                "FileProviderCore", "LocalFileProvider", "MediaTypes", "MemoryFileProvider", "ProviderDoubles",
                "Publication", "SQLiteStorage", "SampleBooks", "Shelf",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "ShelfServerTests",
            dependencies: [
                "Cryptography", "FileInformation", "FileProviderCore", "LocalFileProvider", "MediaTypes",
                "MemoryFileProvider", "OPDS", "ProviderDoubles", "Publication", "PublicationCache", "SQLiteStorage",
                "SampleBooks", "Shelf", "ShelfServer", "WebServer",
            ]),
        .testTarget(
            name: "FileInformationTests",
            dependencies: [
                "FileInformation", "LocalFileProvider", "MediaTags", "MemoryFileProvider", "ProviderDoubles",
                "SampleBooks",
            ]),
        .testTarget(
            name: "ReaderLinkTests",
            dependencies: [
                "ReaderApplication", "ReaderDriver", "ReaderLink", "ReaderMessages", "LocalFileProvider",
                "MemoryFileProvider",
                "ProviderDoubles", "SampleBooks",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "ReaderLibraryTests",
            dependencies: [
                "ReaderLibrary", "ReaderLink", "LocalFileProvider", "MemoryFileProvider", "ProviderDoubles",
                "Publication", "SQLiteStorage", "SampleBooks",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "Sync", "LocalFileProvider", "MemoryFileProvider", "ProviderDoubles", "SyncHistories",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "FileProviderConformanceTests",
            dependencies: ["FileProviderConformance", "LocalFileProvider", "MemoryFileProvider", "ProviderDoubles"]),
        // Doubles of storages, readers and sources, and what tests need for waiting and for folders.
        .target(
            name: "ProviderDoubles",
            dependencies: ["FileProviderCore", "SampleBooks", .product(name: "Logging", package: "swift-log")],
            path: "Tests/Doubles"),
        // Random histories of two folders in step, on any storages.
        .target(
            name: "SyncHistories", dependencies: ["FileProviderCore", "ProviderDoubles", "Sync"],
            path: "Tests/SyncHistories"),
        .target(
            name: "FaultServer", dependencies: ["FileProviderCore", "SampleBooks"], path: "Tests/Servers/FaultServer"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Carrel", "CarrelCommand", "CarrelTool", "CurlTransport", "FaultServer", "FileProviderConformance",
                "LCPConnection", "PostgresTransport", "ProviderDoubles", "ReaderLibrary", "SampleBooks", "SFTPEngine",
                "Shelf", "Sync", "SyncFleet",
                "SyncHistories", "SSHTransport",
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: ["Calibre"]),
    ]
)

for target in package.targets where target.type != .system {
    if target.path?.hasPrefix("Providers/") == true { target.exclude.append("README.md") }
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}
