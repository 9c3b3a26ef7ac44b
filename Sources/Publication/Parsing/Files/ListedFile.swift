import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// A file that a fetcher lists, for publications of plain files.
struct ListedFile {
    /// The link as the fetcher returned it.
    var link: Link
    /// The link's address, decoded: names separated by slashes.
    let path: String

    init(_ link: Link) {
        self.link = link
        path = HREF.decoded(link.href[...])
    }

    /// The last name of the path.
    var name: Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    }

    /// The last name without its extension, in lower case.
    var stem: String { dot.map { name[..<$0].lowercased() } ?? name.lowercased() }

    /// The part of the name after its last dot, in lower case; empty if there is none.
    var fileExtension: String { dot.map { name[$0...].dropFirst().lowercased() } ?? "" }

    private var dot: Substring.Index? { name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } }

    /// The folders above it, the outermost first, up to the greatest depth of a table of contents.
    var folders: [Substring] {
        let folders = path.utf8.dropLast(name.utf8.count).split(
            separator: UInt8(ascii: "/"), maxSplits: Self.maxFolders)
        return folders.prefix(Self.maxFolders).map { Substring($0) }
    }

    private static let maxFolders = 16

    /// The last name without its extension, as it is written.
    var title: String { String(dot.map { name[..<$0] } ?? name) }

    /// Whether it is a file that systems create by themselves.
    var isLitter: Bool { Litter.contains(path) }
}

extension MediaType {
    /// Returns the type of a resource that declares none, by the extension in its address; ``binary`` for an unknown
    /// extension.
    static func byExtension(of href: String) -> MediaType {
        switch ListedFile(Link(href: HREFBase.resource(of: href))).fileExtension {
        case "xhtml", "xht": .xhtml
        case let fileExtension: known(fileExtension: fileExtension) ?? .binary
        }
    }
}

extension ListedFile {
    /// Returns a warning that the files which are not `known` were ignored, and that each of them is `what`; nil if
    /// there are none.
    ///
    /// A picture, a sound or a video of an unusual kind may belong to the book, so its warning is more severe.
    static func strangers(in files: [ListedFile], _ what: String, known: (ListedFile) -> Bool) -> ContentWarning? {
        let strangers = files.filter { !known($0) }
        let types = Set(strangers.map(\.fileExtension)).compactMap { MediaType.known(fileExtension: $0)?.type }
        let isMissed = types.contains { ["image", "audio", "video"].contains($0) }
        return CountedNames(strangers.lazy.map(\.path)).warning(
            "unused-file", severity: isMissed ? .moderate : .minor, one: "is \(what); it was ignored.",
            many: "are \(what); they were ignored.")
    }

    /// Returns the files that `fetcher` lists, without litter, in natural order.
    ///
    /// - Throws: The fetcher's errors.
    static func all(of fetcher: any Fetcher) async throws -> [ListedFile] {
        let files = try await fetcher.links().map { ListedFile($0) }.filter { !$0.isLitter }
        return files.map { ($0, NaturalOrder($0.path)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }
}
