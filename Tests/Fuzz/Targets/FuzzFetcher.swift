import FileProviderCore
import Foundation
import Publication

/// Resources out of a dictionary, by address. It cannot read ahead.
final class FuzzFetcher: Fetcher {
    private let files: [String: Data]

    init(_ files: [String: Data]) { self.files = files }

    func links() async throws -> [Link] { files.keys.sorted().map { Link(href: $0) } }

    func get(_ link: Link) -> any Resource {
        if let data = files[link.href] { return BytesResource(link, data: data) }
        return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
    }
}
