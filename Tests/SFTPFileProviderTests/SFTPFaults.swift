import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

/// Runs with a double and a provider of its files; both end with it. Whatever went wrong meanwhile, the protocol was
/// kept, no temporary file is left, and every handle was given back.
func withSFTPProvider(
    _ settings: SFTPDouble.Settings = .init(), files: [String: Data] = SFTPFaults.files, root: String = "/",
    options change: (inout ConnectionOptions) -> Void = { _ in },
    configure: (inout SFTPConfiguration) -> Void = { _ in },
    links: SFTPLinks.Limits = .init(), _ body: (SFTPDouble, SFTPFileProvider) async throws -> Void
) async throws {
    await SFTPFaults.permits.take()
    defer { SFTPFaults.permits.giveBack() }
    let double = SFTPDouble(settings, files: files)
    defer { double.stop() }
    let provider = try SFTPFaults.provider(
        SFTPLinks(double, limits: links), root: root, options: change, configure: configure)
    defer { provider.invalidate() }
    try await body(double, provider)
    #expect(double.violations == [])
    try await eventually { double.counts.openHandles == 0 }
    #expect(SFTPFaults.leftovers(double) == [])
}

/// What tests of faults share.
enum SFTPFaults {
    /// Some at a time: all tests run at once, and time-outs are short here.
    static let permits = Permits(4)

    static let book = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
    static let files = ["/book": book, "/old": Data("old".utf8), "/shelf/one": Data("1".utf8)]
    static let secret = "pa55wörd"

    static func provider(
        _ links: SFTPLinks, root: String = "/", options change: (inout ConnectionOptions) -> Void = { _ in },
        configure: (inout SFTPConfiguration) -> Void = { _ in }
    ) throws -> SFTPFileProvider {
        var configuration = SFTPConfiguration(
            baseURL: try #require(URL(string: "sftp://anna:\(secret)@shelf.example\(root)")))
        configure(&configuration)
        var options = ConnectionOptions(
            credentials: FixedCredential(.password(user: "anna", password: secret)),
            timeouts: Timeouts(connect: 20, idle: 20),
            retries: RetryPolicy(retries: 0, firstPause: 0.01), proxy: .none)
        change(&options)
        return try SFTPFileProvider(
            configuration: configuration, options: options, near: links.limits.near, standstill: links.limits.standstill
        ) { try links.connect() }
    }

    static func leftovers(_ double: SFTPDouble) -> [String] {
        double.paths.filter { $0.contains(TemporaryName.suffix) || $0.hasSuffix(".old") }
    }

    /// The error of `body`, which has to end in time and in one sentence that tells no secret; nil where it succeeded.
    static func failure(
        within seconds: Double = 15, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> some Sendable
    ) async -> (any Error)? {
        let start = ContinuousClock.now
        defer { #expect(start.duration(to: .now) < .seconds(seconds), sourceLocation: sourceLocation) }
        do {
            _ = try await body()
            return nil
        } catch {
            let sentence = error.sentence
            #expect(
                error is CocoaError || error is URLError || error is SFTPStatusError || error is CancellationError,
                "\(error)", sourceLocation: sourceLocation)
            #expect(!sentence.isEmpty && !sentence.contains("\n"), sourceLocation: sourceLocation)
            #expect(!"\(error) \(error as NSError) \(sentence)".contains(secret), sourceLocation: sourceLocation)
            return error
        }
    }

    /// As ``failure(within:sourceLocation:_:)``, of something that has to fail.
    static func mustFail(
        within seconds: Double = 15, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> some Sendable
    ) async throws -> any Error {
        try #require(
            await failure(within: seconds, sourceLocation: sourceLocation, body), sourceLocation: sourceLocation)
    }
}

extension Error {
    var urlCode: URLError.Code? { (self as? URLError)?.code }
    var cocoaCode: CocoaError.Code? { (self as? CocoaError)?.code }
    /// The cause that the system's call would have given.
    var posixCode: POSIXErrorCode? { (cause as? POSIXError)?.code }
    /// The server's own words, at the top or below it.
    var status: SFTPStatusError? { self as? SFTPStatusError ?? cause as? SFTPStatusError }
    private var cause: (any Error)? { (self as NSError).userInfo[NSUnderlyingErrorKey] as? any Error }
}

extension SFTPDouble.Settings {
    /// As `rclone serve sftp` 1.60.
    static var rclone: Self {
        var settings = Self()
        settings.isCareless = true
        settings.makesFoldersAgain = true
        settings.renameReplaces = true
        settings.listsDots = false
        settings.maximumRead = 32_768
        settings.extensions = [
            ("hardlink@openssh.com", "1"), ("posix-rename@openssh.com", "1"), ("statvfs@openssh.com", "2"),
        ]
        return settings
    }

    /// As ProFTPD 1.3.8.
    static var proFTPD: Self {
        var settings = Self()
        settings.lstatFollows = true
        settings.entriesPerReply = 27
        settings.extensions = [
            ("fsync@openssh.com", "1"), ("posix-rename@openssh.com", "1"), ("statvfs@openssh.com", "2"),
            ("fstatvfs@openssh.com", "2"),
            ("hardlink@openssh.com", "1"),
        ]
        return settings
    }

    /// One without any extension.
    static var plain: Self {
        var settings = Self()
        settings.extensions = []
        settings.maximumPacket = 34_000
        settings.maximumRead = 32_768
        return settings
    }
}
