import FTPFileProvider
import FileProviderCore
import Foundation
import Testing

/// An FTP server of this run, as `Tests/Servers/servers.sh env` names it.
struct RealFTPServer: Sendable, CustomTestStringConvertible {
    let name: String
    let url: URL
    /// The folder on this machine that the server shows.
    let data: URL

    var testDescription: String { name }

    static let all = ["VSFTPD", "PROFTPD", "PUREFTPD", "PYFTPD"].compactMap(named)

    static func named(_ name: String) -> RealFTPServer? {
        let environment = TestServers.environment
        guard let url = environment["CARREL_FTP_\(name)_URL"].flatMap({ URL(string: $0) }),
            let data = environment["CARREL_FTP_\(name)_DATA"]
        else { return nil }
        return RealFTPServer(name: name, url: url, data: URL(fileURLWithPath: data))
    }

    /// A new folder on the server for one test, removed at its end.
    ///
    /// - Parameter settings: Those of a connection, such as `verify`.
    func withFolder<Value>(
        _ settings: [String: String] = [:], _ body: (FTPFileProvider, ProviderPath) async throws -> Value
    ) async throws -> Value {
        var options = TestServers.options()
        options.settings = settings
        let registry = ProviderRegistry()
        try registry.register(FTPFileProvider.registration)
        let provider = try #require(try await registry.location(of: url, options: options).provider as? FTPFileProvider)
        defer { provider.invalidate() }
        let folder = try ProviderPath("test-\(UInt64.random(in: 0 ... .max))")
        try await provider.createFolder(path: folder)
        do {
            let value = try await body(provider, folder)
            try await provider.removeItem(path: folder)
            return value
        } catch {
            // The test's own error is the one to show.
            try? await provider.removeItem(path: folder)
            throw error
        }
    }
}
