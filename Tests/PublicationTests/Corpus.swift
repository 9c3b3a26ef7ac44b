import Foundation

/// Public documents to try the model on, which are no part of the package.
///
/// They are looked for in `$CARREL_CORPUS`, then in `../shared/corpus` beside the package.
enum Corpus {
    /// The manifests in the folder `webpub`; none when there is no corpus.
    static var manifests: [URL] {
        let folder = root.appending(path: "webpub", directoryHint: .isDirectory)
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }

    /// Its folder, which may be missing.
    static var root: URL {
        if let path = ProcessInfo.processInfo.environment["CARREL_CORPUS"] { return URL(filePath: path) }
        let package = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return package.deletingLastPathComponent().appending(path: "shared/corpus", directoryHint: .isDirectory)
    }
}
