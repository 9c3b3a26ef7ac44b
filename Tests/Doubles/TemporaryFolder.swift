package import Foundation

/// A folder of this machine that is removed with all it holds when nobody holds it any more.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// Makes an empty one.
    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(
            path: "carrel-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
