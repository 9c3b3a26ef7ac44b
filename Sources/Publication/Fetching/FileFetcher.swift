package import FileProviderCore
import Foundation
import MediaTypes
import Synchronization

/// Serves one file that is already open as the only resource, under its name.
package final class FileFetcher: Fetcher {
    let reader: any FileReader
    private let href: String
    private let closed = Atomic(false)

    /// Takes ownership of `reader`, which is closed with the fetcher.
    package init(_ reader: any FileReader) {
        self.reader = reader
        href = HREF.encode(reader.path.isRoot ? "file" : reader.path.name)
    }

    package func links() async throws -> [Link] {
        var link = Link(
            href: href, type: reader.path.fileExtension.flatMap { MediaType.known(fileExtension: $0) }?.string)
        link.size = try await reader.attributes().size
        return [link]
    }

    package func get(_ link: Link) -> any Resource {
        guard HREF.candidates(link.href).contains(where: { HREF.encode($0) == href }) else {
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
        return ReaderResource(link, of: self)
    }

    /// The file.
    package var resource: any Resource { self.get(Link(href: href)) }

    /// Closes the file. Its resource is `unavailable` from then on.
    package func close() async {
        closed.store(true, ordering: .relaxed)
        await reader.close()
    }

    fileprivate func openReader() throws -> any FileReader {
        if closed.load(ordering: .relaxed) { throw FileError.closedPublication(href) }
        return reader
    }
}

/// The file of a fetcher.
private final class ReaderResource: Resource {
    let link: Link
    private let fetcher: FileFetcher

    init(_ link: Link, of fetcher: FileFetcher) {
        self.link = link
        self.fetcher = fetcher
    }

    func length() async throws -> Int64 { try await fetcher.openReader().attributes().size }

    func validator() async throws -> ResourceValidator? {
        let attributes = try await fetcher.openReader().attributes()
        return ResourceValidator(length: attributes.size, tag: attributes.validator)
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await fetcher.openReader().stream(range, into: sink)
    }
}

extension FileReader {
    /// Sends the bytes in `range`, clamped to the file, into `sink`; nil for all.
    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let part = range.map { FilePart.range(max(0, $0.lowerBound)..<max(0, $0.upperBound)) } ?? .whole
        guard case .range(let range) = part, range.isEmpty else {
            _ = try await stream(part, into: sink)
            return
        }
        let size = try await attributes().size
        try await sink.take(Data(), extent: FileExtent(offset: min(range.lowerBound, size), count: 0, size: size))
    }
}
