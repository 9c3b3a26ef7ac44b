import Carrel
import Foundation

/// The folder of this machine with `catalogue.json` and `covers/`; for one process at a time.
struct ShelfFolder: Sendable {
    private static let (catalogue, covers, prefix) = ("catalogue.json", "covers", "cover-")
    private let storage: LocalFileProvider

    init(_ folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        storage = try LocalFileProvider(root: folder)
        try await storage.createFolderWithParents(path: ProviderPath(Self.covers))
    }

    /// The catalogue of `location`, empty where there is none yet. Covers that a crash left are removed.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that is no catalogue, or another folder's: it is left as
    ///   it is.
    func load(_ location: String) async throws -> Catalogue {
        let path = try ProviderPath(Self.catalogue)
        var catalogue = Catalogue(of: location)
        var json: Data?
        do { json = try await storage.contents(path: path) } catch  where error.isNoSuchFile {
            // The first start.
        }
        do { catalogue = try json.map(Catalogue.init(json:)) ?? catalogue } catch {
            let sentence = "“\(Self.catalogue)” is damaged or of another program. Move it away to have a new one made."
            throw FileError.make(.fileReadCorruptFile, path: path, sentence: sentence, underlying: error)
        }
        guard catalogue.location == location else {
            let sentence =
                "“\(Self.catalogue)” is the catalogue of \(catalogue.location.plain); use another folder for \(location.plain)."
            throw FileError.make(.fileReadCorruptFile, path: path, sentence: sentence)
        }
        let named = Set(catalogue.entries.values.compactMap(\.cover))
        for file in try await storage.contentsOfDirectory(path: ProviderPath(Self.covers))
        where !named.contains(file.name) {
            let isOurs = file.isRegularFile && (file.name.hasPrefix(Self.prefix) || TemporaryName.matches(file.name))
            if isOurs { try await storage.removeItem(path: file.path) }
        }
        return catalogue
    }

    /// Replaces the catalogue in one step; only then the covers go that it names no more.
    func save(_ catalogue: Catalogue, removing covers: [String]) async throws {
        try await storage.writeContents(path: ProviderPath(Self.catalogue), contents: catalogue.json(), overwrite: true)
        for cover in covers {
            do { try await storage.removeItem(path: Self.path(of: cover)) } catch  where error.isNoSuchFile {
                // Somebody else has removed it.
            }
        }
    }

    /// - Returns: The cover's name: a number, never a word of the server's.
    func add(_ cover: Cover) async throws -> String {
        let name = "\(Self.prefix)\(String(UInt64.random(in: 0 ... .max), radix: 36)).\(cover.fileExtension)"
        try await storage.writeContents(path: Self.path(of: name), contents: cover.data)
        return name
    }

    private static func path(of cover: String) throws -> ProviderPath { try ProviderPath(covers).appending(cover) }
}
