import FileProviderCore
import Foundation
import LocalFileProvider

/// The folder of a shelf with its covers, as files that are published in one step.
///
/// A name has the book's number, the cover's tag and the size, never a word of a book or a server.
struct CoverFolder: Sendable {
    /// The parts of a file's name.
    private struct Name: Sendable {
        private static let prefix = "cover"

        var id: Int64
        var tag: String
        var dimension: Int

        init(id: Int64, tag: String, dimension: Int) {
            (self.id, self.tag, self.dimension) = (id, tag, dimension)
        }

        /// `nil` for a name that a shelf does not give.
        init?(_ text: String) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 4, parts[0] == Self.prefix, let id = Int64(parts[1]), let dimension = Int(parts[3])
            else { return nil }
            self.init(id: id, tag: String(parts[2]), dimension: dimension)
        }

        var text: String { "\(Self.prefix)-\(id)-\(tag)-\(dimension)" }
    }

    private let url: URL
    private let files: LocalFileProvider

    /// Opens `covers` in the shelf's folder, creates it if it is missing, and removes unfinished files: no other
    /// process writes there.
    static func open(in folder: URL) async throws -> CoverFolder {
        let url = folder.appendingPathComponent("covers", isDirectory: true)
        return try await BlockingThreads.shared.run {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let covers = CoverFolder(url: url, files: try LocalFileProvider(root: url))
            for name in try covers.allNames() where TemporaryName.kind(of: name) == .single {
                try FileManager.default.removeItem(at: url.appendingPathComponent(name))
            }
            return covers
        }
    }

    private init(url: URL, files: LocalFileProvider) {
        self.url = url
        self.files = files
    }

    /// Returns the picture that is kept for `dimension`, or the next larger one of `dimensions`; `nil` if there is
    /// none.
    func picture(of id: Int64, tag: String, dimension: Int, among dimensions: [Int]) async throws -> Data? {
        for kept in dimensions.sorted() where kept >= dimension {
            let path = try ProviderPath(Name(id: id, tag: tag, dimension: kept).text)
            do { return try await files.contents(path: path) } catch let error where error.isNoSuchFile { continue }
        }
        return nil
    }

    /// Returns all pictures that are kept of a book; `nil` if there is none.
    func pictures(of id: Int64, tag: String, among dimensions: [Int]) async throws -> CoverPictures? {
        var kept = CoverPictures(tag: tag)
        for dimension in dimensions {
            let path = try ProviderPath(Name(id: id, tag: tag, dimension: dimension).text)
            do { kept.pictures[dimension] = try await files.contents(path: path) } catch let error
                where error.isNoSuchFile
            { continue }
        }
        return kept.pictures.isEmpty ? nil : kept
    }

    /// Keeps the pictures of a book.
    func keep(_ pictures: CoverPictures, of id: Int64) async throws {
        for (dimension, data) in pictures.pictures {
            let path = try ProviderPath(Name(id: id, tag: pictures.tag, dimension: dimension).text)
            try await files.writeContents(path: path, contents: data, overwrite: true)
        }
    }

    /// Removes all pictures of the books with the numbers `ids`.
    func remove(of ids: Set<Int64>) async throws {
        for name in try await names() where ids.contains(name.id) { try await remove(name) }
    }

    /// Removes the pictures that are no book's.
    ///
    /// - Parameters:
    ///   - making: Returns the numbers of books whose covers are being made. Their pictures stay.
    ///   - tags: Returns the tags of those of some books that have covers.
    func sweep(
        making: @Sendable () async -> Set<Int64>, tags: @Sendable ([Int64]) async throws -> [Int64: String]
    ) async throws {
        let names = Dictionary(grouping: try await names(), by: \.id)
        let ids = names.keys.sorted()
        for start in stride(from: 0, to: ids.count, by: 500) {
            let page = Array(ids[start..<min(start + 500, ids.count)])
            let busy = await making()
            let known = try await tags(page)
            for id in page where !busy.contains(id) {
                for name in names[id] ?? [] where name.tag != known[id] { try await remove(name) }
            }
        }
    }

    private func remove(_ name: Name) async throws {
        do { try await files.removeItem(path: try ProviderPath(name.text), recursive: false) } catch let error
            where error.isNoSuchFile
        {}
    }

    private func names() async throws -> [Name] {
        try await BlockingThreads.shared.run { try allNames().compactMap { Name($0) } }
    }

    /// Only names: a listing with attributes takes several times as long.
    private func allNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path)
    }
}
