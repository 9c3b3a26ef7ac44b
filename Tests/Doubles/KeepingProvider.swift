package import FileProviderCore
import Foundation

/// A storage that keeps one version of each file, whose content is `1`.
package final class KeepingProvider: ForwardingProvider, FileProviderVersions {
    package static let type = "Keeping"
    package let underlying: any FileProvider

    package init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    package func versions(of path: ProviderPath) async throws -> [FileVersion] {
        [FileVersion(identifier: "1", path: path)]
    }

    package func open(_ version: FileVersion) async throws -> any FileReader {
        DataReader(Data("1".utf8), path: version.path)
    }

    package func restore(_ version: FileVersion) async throws {
        try await underlying.writeContents(path: version.path, contents: Data("1".utf8), overwrite: true)
    }
}
