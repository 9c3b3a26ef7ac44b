import Archives
import FileProviderCore
import Foundation
import MediaTypes

// Archives by their entries. All tests require entries: an empty list matches none.
extension Sniffers {
    /// Readium's packages and manifests: audiobook, DiViNa, web publication, and the protected ones.
    static let readiumWebPub: MediaType.Sniffer = { context in
        for (name, type) in packages where context.hasFileExtension(name) || context.hasMediaType(type) { return type }
        for type in manifests where context.hasMediaType(type) { return type }
        guard let manifest = try await context.contentAsRWPM else { return nil }
        let archive = try await context.zip
        let isProtected = archive?.entry(at: "license.lcpl") != nil
        let order = manifest.readingOrder
        if audiobookTypes.contains(manifest.metadata.type ?? "") || order.allAreAudio {
            return isProtected ? .lcpProtectedAudiobook : archive != nil ? .readiumAudiobook : .readiumAudiobookManifest
        }
        if order.allAreBitmap { return archive != nil ? .divina : .divinaManifest }
        if isProtected, order.allMatchMediaType(.pdf) { return .lcpProtectedPDF }
        if archive != nil { return .readiumWebPub }
        let isManifest = manifest.links.contains { $0.rels.contains("self") && $0.mediaType == .readiumWebPubManifest }
        return isManifest ? .readiumWebPubManifest : nil
    }

    private static let packages: [(String, MediaType)] = [
        ("audiobook", .readiumAudiobook), ("divina", .divina), ("webpub", .readiumWebPub),
        ("lcpa", .lcpProtectedAudiobook),
        ("lcpdf", .lcpProtectedPDF),
    ]
    private static let manifests: [MediaType] = [.readiumAudiobookManifest, .divinaManifest, .readiumWebPubManifest]
    /// The proposal has the first; schema.org's vocabularies are used with both.
    private static let audiobookTypes = ["http://schema.org/Audiobook", "https://schema.org/Audiobook"]

    /// The entry `mimetype` with the content that EPUB's container format requires (OCF 3.3, section 4.2.2), recognised
    /// by its checksum without reading it.
    static let epub: MediaType.Sniffer = { context in
        if context.hasFileExtension("epub") || context.hasMediaType(.epub) { return .epub }
        guard let archive = try await context.zip, let entry = archive.entry(at: "mimetype") else { return nil }
        if entry.length == 20, entry.checksum == 0x2CAB_616F { return .epub }
        guard entry.length <= 64, let data = try await context.readArchiveEntry(at: "mimetype") else { return nil }
        // Real books end it with a line break or begin it with a byte order mark; readers accept both.
        let text = String(decoding: data, as: UTF8.self).trimmingCharacters(
            in: CharacterSet(charactersIn: "\u{FEFF} \t\r\n"))
        return text == "application/epub+zip" ? .epub : nil
    }

    /// A W3C manifest in `publication.json`, or an entry page instead. Any packed web site has the latter; so the
    /// proposal defines it.
    static let lpf: MediaType.Sniffer = { context in
        if context.hasFileExtension("lpf") || context.hasMediaType(.lpf) { return .lpf }
        guard let archive = try await context.zip else { return nil }
        if archive.entry(at: "index.html") != nil { return .lpf }
        guard archive.entry(at: "publication.json") != nil,
            let data = try await context.readArchiveEntry(at: "publication.json")
        else {
            return nil
        }
        let json = JSONValue(lenient: data, maximumSize: Int(SniffedContent.maxDocumentSize))
        return json?.hasContext("https://www.w3.org/ns/pub-context") == true ? .lpf : nil
    }

    private static let pictures: Set<String> = [
        "avif", "bmp", "dib", "gif", "jfi", "jfif", "jif", "jpe", "jpeg", "jpg", "jxl", "png", "tif", "tiff", "webp",
    ]
    /// Files that may accompany a comic's pages and don't identify one.
    private static let comicNotes: Set<String> = ["acbf", "xml"]

    /// Archives of pictures only, or of sound only, with at least one file.
    static let freeFormArchive: MediaType.Sniffer = { context in
        if context.hasFileExtension("cbz") || context.hasMediaType("application/vnd.comicbook+zip", "application/x-cbz")
        {
            return .cbz
        }
        // Many of these are RAR archives, as they claim; their bytes decide.
        if !context.hasContent, !context.contentFollows, context.hasMediaType("application/x-cbr") { return .cbz }
        if context.hasFileExtension("zab") { return .zab }
        guard let archive = try await context.zip else { return nil }
        let kinds = kindsOfFiles(in: archive)
        if kinds.isSubset(of: pictures.union(comicNotes)), !kinds.isDisjoint(with: pictures) { return .cbz }
        let others = kinds.filter { !AudioFiles.isSound(fileExtension: $0) }
        return others.count < kinds.count && others.isSubset(of: AudioFiles.playlists) ? .zab : nil
    }

    /// Returns the extensions of the archive's files in lower case, "" for a file that has none. Ignores litter.
    private static func kindsOfFiles(in archive: any Archive) -> Set<String> {
        var kinds: Set<String> = []
        for entry in archive.entries where !entry.isDirectory {
            if Litter.contains(entry.path) { continue }
            kinds.insert(entry.fileExtension?.lowercased() ?? "")
        }
        return kinds
    }
}
