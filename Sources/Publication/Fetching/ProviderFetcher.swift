public import FileProviderCore
import Foundation
import MediaTypes

/// Files of any provider as resources: everything below a folder, or one file. Readium's proposal calls it
/// `FileFetcher`.
///
/// Nothing outside the root is reachable: `..`, plain or percent-encoded, encoded slashes and NUL are `notFound`. The
/// provider decides whether to follow symbolic links, and keeps them below its root.
public final class ProviderFetcher: Fetcher {
    /// The most files that ``links()`` lists; 200,000.
    public static let maxLinks = 200_000

    private let provider: any FileProviderReadWrite
    private let root: ProviderPath
    /// The address of the only file, when the root is one.
    private let fileName: ProviderPath?
    private let leavesOutLinks: Bool
    private let readers = OpenReaders()

    /// The files below `folder`, by hrefs relative to it.
    public init(_ provider: any FileProviderReadWrite, folder: ProviderPath) {
        self.provider = provider
        root = folder
        fileName = nil
        leavesOutLinks = false
    }

    /// The files in the folder of `manifest` and below it, without symbolic links: one that came with the manifest may
    /// lead to any file that the provider reads.
    ///
    /// - Complexity: For each resource, one more request for each of its names, beside the one that opens it.
    package init(_ provider: any FileProviderReadWrite, beside manifest: ProviderPath) {
        self.provider = provider
        root = manifest.parent ?? .root
        fileName = nil
        leavesOutLinks = provider is any FileProviderSymbolicLink
    }

    /// One file, by its name as href.
    public init(_ provider: any FileProviderReadWrite, file: ProviderPath) {
        self.provider = provider
        root = file.parent ?? .root
        fileName = file.relative(to: root)
        leavesOutLinks = false
    }

    /// The files, sorted by path. Symbolic links are left out, because a listing doesn't say what they point to.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``maxLinks`` files, or deeper than a walk goes.
    /// - Complexity: One listing for each folder; for a single file, one request.
    public func links() async throws -> [Link] {
        var files: [FileObject] = []
        if let fileName {
            files = [try await provider.attributesOfItem(path: root.appending(fileName))]
        } else {
            let found = CollectedValues<FileObject>()
            let seen = ProgressReporter()
            try await provider.walk(path: root) { item in
                guard item.isRegularFile else { return }
                seen.advance(by: 1)
                guard seen.completed <= Self.maxLinks else { throw Self.tooMany(item.path) }
                found.append(item)
            }
            files = found.values.sorted { $0.path < $1.path }
        }
        return files.compactMap { link(to: $0) }
    }

    private static func tooMany(_ path: ProviderPath) -> CocoaError {
        FileError.make(
            .fileReadTooLarge, path: path,
            sentence: "The folder holds more than \(maxLinks) files, so they cannot be listed.")
    }

    private func link(to file: FileObject) -> Link? {
        guard file.isRegularFile, let path = file.path.relative(to: root) else { return nil }
        var link = Link(
            href: path.percentEncoded, type: path.fileExtension.flatMap { MediaType.known(fileExtension: $0) }?.string)
        link.size = file.size
        return link
    }

    /// The file at the link's href, which may start with a slash.
    ///
    /// The href is percent-decoded, without query and fragment. If that file doesn't exist, tries the href with them,
    /// then as written, then in the other Unicode normalisation.
    public func get(_ link: Link) -> any Resource {
        let paths = locations(for: link.href)
        guard !paths.isEmpty else {
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
        var link = link
        link.type = link.type ?? paths[0].fileExtension.flatMap { MediaType.known(fileExtension: $0) }?.string
        let (provider, root) = (provider, root)
        let locations = paths.map { root.appending($0) }.map { path -> OpenedResource.Open in
            if leavesOutLinks { return { try await Self.open(path, below: root, of: provider) } }
            return { try await provider.open(path: path) }
        }
        return OpenedResource(link, readers: readers, locations: locations) { reader, length in
            let known = length.map { FileObject(path: reader.path, type: .regular, size: $0) }
            try await provider.checkArrival(of: reader, listed: known)
        }
    }

    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if the path leads through a symbolic link below `root`.
    private static func open(_ path: ProviderPath, below root: ProviderPath, of provider: any FileProviderReadWrite)
        async throws -> any FileReader
    {
        async let isLinked = hasLink(path, below: root, of: provider)
        let reader = try await provider.open(path: path)
        do {
            if try await !isLinked { return reader }
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
        throw FileError.make(.fileReadNoSuchFile, path: path)
    }

    private static func hasLink(_ path: ProviderPath, below root: ProviderPath, of provider: any FileProviderReadWrite)
        async throws -> Bool
    {
        var item = path
        while item != root {
            if try await provider.attributesOfItem(path: item).isSymbolicLink { return true }
            item = item.parent ?? root
        }
        return false
    }

    /// Closes the files that its resources hold open; the resources are `unavailable` from then on. The provider stays
    /// open.
    public func close() async { await readers.close() }

    /// The places below the root where the file may be, each once, the likeliest first; none for an href that leads out
    /// of the root.
    private func locations(for href: String) -> [ProviderPath] {
        let bare = String(Substring(href.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
        var locations: [ProviderPath] = []
        func add(_ path: ProviderPath?) {
            guard let path, !path.isRoot, !locations.contains(path), fileName == nil || path == fileName else { return }
            locations.append(path)
        }
        for text in bare == href ? [href] : [bare, href] {
            if let path = try? ProviderPath(percentEncoded: text) {
                add(path)
            } else if PercentEncoding.isWellFormed(Array(text.utf8)) {
                // Well-formed but refused: it leads out of the root, or contains an encoded slash or NUL.
                return []
            }
            add(try? ProviderPath(text))
        }
        for path in locations where path.bytes.contains(where: { $0 >= 0x80 }) {
            add(try? ProviderPath(path.string.precomposedStringWithCanonicalMapping))
            add(try? ProviderPath(path.string.decomposedStringWithCanonicalMapping))
        }
        return locations
    }
}
