import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// Makes publications of pictures: comics in archives of any kind (`cbz` and its relatives), folders of pictures, and
/// single pictures.
///
/// The reading order is the natural order of the paths, `2` before `10`. Other metadata come from `ComicInfo.xml`, if
/// there is one. An archive or a folder that is not a comic by type is accepted if pictures prevail in it, see
/// `FileSurvey`. Files that are not pages are reported as a warning.
public struct ImageParser: PublicationParser {
    /// The profile of Digital Visual Narratives.
    public static let profile = "https://readium.org/webpub-manifest/profiles/divina"

    /// A parser. It keeps no state, so one may read any number of publications, also at once.
    public init() {}

    /// Returns the pictures in `asset`; nil if it is something else.
    ///
    /// ``PublicationBuilder/protection`` says how many pictures are encrypted with a password.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the type says comic and it is not an archive, or contains no
    ///   picture; the fetcher's errors.
    /// - Complexity: Reads `ComicInfo.xml`, but no picture.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        if asset.form == .file {
            if asset.mediaType == .cbz { throw asset.isNoArchive }
            return asset.mediaType?.isBitmap == true ? try await single(asset) : nil
        }
        guard asset.isComic || asset.mayBeFiles else { return nil }
        let files = try await ListedFile.all(of: asset.fetcher)
        guard asset.isComic || FileSurvey(files).kind == .pictures else { return nil }
        let pages = files.filter { ImageFiles.isPage($0) }
        guard !pages.isEmpty else {
            throw asset.damaged("contains no pictures, so there is nothing to read.")
        }
        warnings.warn(
            ListedFile.strangers(in: files, "neither picture nor known metadata") { ImageFiles.mayLie(inComic: $0) })
        let manifest = try await manifest(pages, comicInfo(files, asset: asset, warnings: warnings), asset, warnings)
        var builder = PublicationBuilder(manifest: manifest, fetcher: asset.fetcher)
        builder.protection = Self.protection(of: pages, in: asset.fetcher)
        return builder
    }

    /// Returns a protection if the archive lists encrypted pictures, else nil.
    private static func protection(of pages: [ListedFile], in fetcher: any Fetcher) -> Protection? {
        guard let archive = fetcher.archiveBelow else { return nil }
        let encrypted = Set(archive.entries.lazy.filter(\.isEncrypted).map { HREF.encode($0.path) })
        let count = pages.count { encrypted.contains($0.link.href) }
        guard count > 0 else { return nil }
        let which =
            count == pages.count
            ? "The comic's pictures are"
            : count == 1 ? "One of the comic's pictures is" : "\(count) of the comic's \(pages.count) pictures are"
        return .locked(.other("password"), reason: "\(which) encrypted with a password and cannot be read here.")
    }

    private func manifest(
        _ pages: [ListedFile], _ info: ComicInfo?, _ asset: PublicationAsset, _ warnings: WarningLog
    ) async throws -> Manifest {
        let contents = FolderContents(pages)
        let title = contents.title ?? asset.nameWithoutExtension
        var metadata = info?.metadata(titleOfLastResort: title) ?? Metadata(title: LocalizedString(title))
        metadata.conformsTo = [Self.profile]
        metadata.layout = .fixed
        metadata.numberOfPages = pages.count
        var links = pages.map { page in
            var link = page.link
            link.type = ImageFiles.type(page).map(\.string) ?? link.type
            return link
        }
        info?.describe(&links, warnings: warnings)
        if links.firstWithRel("cover") == nil { links[0].rels.append("cover") }
        let bookmarks = info?.bookmarks(links) ?? []
        return Manifest(
            metadata: metadata, readingOrder: links,
            tableOfContents: contents.tableOfContents.isEmpty ? bookmarks : contents.tableOfContents)
    }

    /// Returns the `ComicInfo.xml` nearest to the root, whatever the case of its name; ignores a damaged one.
    private func comicInfo(_ files: [ListedFile], asset: PublicationAsset, warnings: WarningLog) async throws
        -> ComicInfo?
    {
        let all = files.filter { $0.name.lowercased() == "comicinfo.xml" }
        guard let href = all.min(by: { $0.folders.count < $1.folders.count })?.link.href else { return nil }
        if all.count > 1 {
            let sentence =
                "The comic has \(all.count) files called ComicInfo.xml; “\(href)” was used, which is nearest to the root."
            warnings.warn("repeated-metadata", severity: .minor, message: sentence)
        }
        do {
            return ComicInfo(try await asset.fetcher.xml(href, limits: ComicInfo.limits, warnings: warnings))
        } catch let error as CocoaError where ContentErrors.isOne(error) {
            warnings.warn(
                "damaged-metadata", severity: .moderate,
                message: "\(error.clause); the metadata in “\(href)” were not used.")
            return nil
        }
    }

    private func single(_ asset: PublicationAsset) async throws -> PublicationBuilder? {
        guard var file = try await ListedFile.only(in: asset) else { return nil }
        file.link.type = asset.mediaType?.string
        file.link.rels = ["cover"]
        var metadata = Metadata(title: LocalizedString(asset.nameWithoutExtension))
        metadata.conformsTo = [Self.profile]
        metadata.layout = .fixed
        metadata.numberOfPages = 1
        return PublicationBuilder(
            manifest: Manifest(metadata: metadata, readingOrder: [file.link]), fetcher: asset.fetcher)
    }
}

extension PublicationAsset {
    /// Whether its type or its name says that it is a comic, whatever the kind of archive.
    fileprivate var isComic: Bool {
        guard let mediaType, !MediaType.cbz.contains(mediaType) else { return mediaType != nil }
        if mediaType.subtype.hasPrefix("vnd.comicbook") || ["x-cbr", "x-cb7", "x-cbt"].contains(mediaType.subtype) {
            return true
        }
        return !mediaType.isPublication
            && ["cbz", "cbr", "cb7", "cbt"].contains(path.fileExtension?.lowercased() ?? "")
    }

    /// Whether it may be an archive or a folder of plain files, that is, not a publication by type.
    var mayBeFiles: Bool { form != .file && mediaType?.isPublication != true }
}

extension ListedFile {
    /// Returns the only file of an asset that is a single file.
    static func only(in asset: PublicationAsset) async throws -> ListedFile? {
        try await asset.fetcher.links().first.map { ListedFile($0) }
    }
}
