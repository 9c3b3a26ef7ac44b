import FileProviderCore
import Foundation

/// Makes audiobooks of sound files: in archives (`zab`), in folders, and single ones.
///
/// The order is that of a lone playlist (`m3u`, `m3u8`) which names each of the files once, else the natural one of the paths. An archive
/// or a folder of another type is taken only if nothing but sound, playlists, pictures and text is in it. How long the files are is
/// not found out, because each of them would have to be read for that.
public struct AudioParser: PublicationParser {
    /// The profile of audiobooks.
    public static let profile = "https://readium.org/webpub-manifest/profiles/audiobook"

    /// A parser; it holds nothing, so one may read any number of publications, also at once.
    public init() {}

    /// The sound in `asset`; nil where it is something else.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for an archive by type that is none, or without sound in it; the fetcher's errors.
    /// - Complexity: No sound is read; a playlist is.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        let isAudiobook = asset.mediaType == .zab
        if asset.form == .file {
            if isAudiobook { throw asset.isNoArchive }
            return try await single(asset)
        }
        guard isAudiobook || asset.mayBeFiles else { return nil }
        let files = try await ListedFile.all(of: asset.fetcher)
        if !isAudiobook, !files.allSatisfy({ AudioFiles.mayLie(inAudiobook: $0) }) { return nil }
        let natural = files.filter { AudioFiles.isTrack($0) }
        guard !natural.isEmpty else {
            if isAudiobook { throw asset.damaged("has no sound in it, so there is nothing to listen to.") }
            return nil
        }
        warnings.warn(ListedFile.strangers(in: files, "no part of an audiobook") { AudioFiles.mayLie(inAudiobook: $0) })
        let tracks = try await Playlist(among: files, in: asset.fetcher, warnings)?.order(natural, warnings) ?? natural
        let contents = FolderContents(tracks)
        let manifest = Manifest(
            metadata: metadata(titled: contents.title ?? asset.nameWithoutExtension), readingOrder: tracks.map(AudioFiles.link),
            resources: pictures(among: files), tableOfContents: contents.tableOfContents)
        return PublicationBuilder(manifest: manifest, fetcher: asset.fetcher)
    }

    private func metadata(titled title: String) -> Metadata {
        var metadata = Metadata(title: LocalizedString(title))
        metadata.type = "http://schema.org/Audiobook"
        metadata.conformsTo = [Self.profile]
        return metadata
    }

    /// The one called cover, folder or front that lies nearest to the root is the cover.
    private func pictures(among files: [ListedFile]) -> [Link] {
        let pictures = files.filter { ImageFiles.isPage($0) }
        let covers = ["cover", "folder", "front"].lazy.flatMap { stem in pictures.filter { $0.stem == stem } }
        let cover = covers.min { $0.folders.count < $1.folders.count }
        return pictures.map { picture in
            var link = picture.link
            if picture.path == cover?.path { link.rels.append("cover") }
            return link
        }
    }

    private func single(_ asset: PublicationAsset) async throws -> PublicationBuilder? {
        guard asset.mediaType?.isAudio == true || AudioFiles.isUnregistered(asset.path.fileExtension),
            let file = try await ListedFile.only(in: asset)
        else { return nil }
        var link = AudioFiles.link(file)
        if let type = asset.mediaType, type.isAudio { link.type = type.string }
        let manifest = Manifest(metadata: metadata(titled: asset.nameWithoutExtension), readingOrder: [link])
        return PublicationBuilder(manifest: manifest, fetcher: asset.fetcher)
    }
}

extension AudioFiles {
    private static let texts: Set<String> = ["txt", "nfo"]

    static func isTrack(_ file: ListedFile) -> Bool { isSound(fileExtension: file.fileExtension) }

    static func mayLie(inAudiobook file: ListedFile) -> Bool {
        isTrack(file) || ImageFiles.isPage(file) || playlists.contains(file.fileExtension) || texts.contains(file.fileExtension)
    }

    /// Whether a single file with this extension is sound although no media type says so; `webm` is video more often.
    static func isUnregistered(_ fileExtension: String?) -> Bool { ["alac", "mogg"].contains(fileExtension?.lowercased() ?? "") }

    static func link(_ file: ListedFile) -> Link {
        var link = file.link
        link.type = type(fileExtension: file.fileExtension)?.string ?? link.type
        return link
    }
}
