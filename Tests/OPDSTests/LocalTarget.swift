import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles

/// A name in an empty folder of this machine.
struct LocalTarget {
    let provider: LocalFileProvider
    let path: ProviderPath
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        provider = try LocalFileProvider(root: folder.url)
        path = try ProviderPath("book.epub")
    }

    func content() async throws -> Data { try await provider.contents(path: path) }

    /// The names in the folder, hidden ones too.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).sorted()
    }
}
