import CurlTransport
import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// Runs with a double and a provider of its files; both end with it. Whatever went wrong meanwhile, the protocol was
/// kept, and no temporary file is left.
func withFTPProvider(
    _ settings: FTPDouble.Settings = .init(), files: [String: Data] = FTPFaults.files,
    options change: (inout ConnectionOptions) -> Void = { _ in },
    configure: (inout FTPConfiguration) -> Void = { _ in },
    _ body: (FTPDouble, FTPFileProvider) async throws -> Void
) async throws {
    var settings = settings
    settings.allowsPipelining = true
    await FTPFaults.permits.take()
    defer { FTPFaults.permits.giveBack() }
    let double = try FTPDouble(settings, files: files)
    defer { double.stop() }
    let provider = try FTPFaults.provider(of: double.url(), options: change, configure: configure)
    defer { provider.invalidate() }
    try await body(double, provider)
    #expect(double.violations == [])
    #expect(FTPFaults.leftovers(double) == [])
}

/// What tests of faults share.
enum FTPFaults {
    /// Some at a time: all tests run at once, and time-outs are short here.
    static let permits = Permits(4)

    static let book = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) })
    static let files = ["/book": book, "/old": Data("old".utf8), "/shelf/one": Data("1".utf8)]
    static let password = "pa:ss wörd%1/?#"

    static func provider(
        of url: URL, options change: (inout ConnectionOptions) -> Void = { _ in },
        configure: (inout FTPConfiguration) -> Void = { _ in }
    ) throws -> FTPFileProvider {
        var configuration = FTPConfiguration(baseURL: url)
        configure(&configuration)
        var options = ConnectionOptions(
            credentials: FixedCredential(.password(user: "anna", password: password)),
            timeouts: Timeouts(connect: 5, idle: 5),
            retries: RetryPolicy(retries: 0, firstPause: 0.01), proxy: .none)
        change(&options)
        return try FTPFileProvider(configuration: configuration, options: options)
    }

    static func leftovers(_ double: FTPDouble) -> [String] {
        double.paths.filter { $0.contains(TemporaryName.suffix) }
    }

    /// The error of `body`, which has to end in time and in one sentence that tells no secret; nil where it succeeded.
    static func failure(
        within seconds: Double = 30, sourceLocation: SourceLocation = #_sourceLocation,
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
                error is CocoaError || error is URLError || error is FTPReplyError || error is CancellationError,
                sourceLocation: sourceLocation)
            #expect(!sentence.isEmpty && !sentence.contains("\n"), sourceLocation: sourceLocation)
            #expect(!"\(error) \(error as NSError) \(sentence)".contains(password), sourceLocation: sourceLocation)
            return error
        }
    }

    /// As ``failure(within:sourceLocation:_:)``, of something that has to fail.
    static func mustFail(
        within seconds: Double = 30, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> some Sendable
    ) async throws -> any Error {
        try #require(
            await failure(within: seconds, sourceLocation: sourceLocation, body), sourceLocation: sourceLocation)
    }
}

/// Each kind of operation.
enum FTPActivity: String, CaseIterable, Sendable {
    case look
    case list
    case read
    case readPart
    case publish
    case replace
    case writeInPlace
    case makeFolder
    case move
    case remove

    static let content = Data("new content".utf8)

    func run(_ provider: FTPFileProvider, _ name: String = "new") async throws {
        switch self {
        case .look: _ = try await provider.attributesOfItem(path: ProviderPath("book"))
        case .list: _ = try await provider.contentsOfDirectory(path: ProviderPath("shelf"))
        case .read: _ = try await provider.contents(path: ProviderPath("book"))
        case .readPart: _ = try await provider.contents(path: ProviderPath("book"), part: .range(100..<200))
        case .publish: _ = try await provider.writeContents(path: ProviderPath(name), contents: Self.content)
        case .replace:
            _ = try await provider.writeContents(path: ProviderPath("old"), contents: Self.content, overwrite: true)
        case .writeInPlace:
            let options = WriteOptions(placement: .inPlace)
            _ = try await provider.writeContents(
                path: ProviderPath(name), from: DataSource(Self.content), options: options)
        case .makeFolder: try await provider.createFolder(path: ProviderPath(name))
        case .move: try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath(name))
        case .remove: try await provider.removeItem(path: ProviderPath("old"))
        }
    }
}

extension Error {
    var urlCode: URLError.Code? { (self as? URLError)?.code }
    var cocoaCode: CocoaError.Code? { (self as? CocoaError)?.code }
}
