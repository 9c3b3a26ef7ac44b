import Archives
import FileProviderCore
import Foundation
import MediaTags
import MediaTypes

/// Makes audiobooks of sound files: in archives (`zab`), in folders, and single files.
///
/// Metadata come from the files' tags: title, author, narrator, album, length, chapters, and a cover. The order is that
/// of a single playlist (`m3u`, `m3u8`) if it names each of the files once, else the natural order of the paths. An
/// archive or a folder of another type is accepted if sound prevails in it, see `FileSurvey`. Other files are
/// reported as a warning.
public struct AudioParser: PublicationParser {
    /// The profile of audiobooks.
    public static let profile = "https://readium.org/webpub-manifest/profiles/audiobook"

    private let readsFiles: Bool

    /// A parser. It keeps no state, so one may read any number of publications, also at once.
    ///
    /// - Parameter readsFiles: Whether to read the tags of the files. If false, a book consists of its file names, and
    ///   opening it costs only their list.
    public init(readsFiles: Bool = true) {
        self.readsFiles = readsFiles
    }

    /// Returns the sound in `asset`; nil if it is something else.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the type says archive and it is not one, or if it contains no
    ///   sound; the fetcher's errors.
    /// - Complexity: About three ranges of 32 KiB for each file, whatever its size, eight files at once. Reads
    ///   playlists and cue sheets as a whole, but neither sound nor pictures.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        let isAudiobook = asset.mediaType == .zab
        if asset.form == .file {
            if isAudiobook { throw asset.isNoArchive }
            return try await single(asset, warnings)
        }
        guard isAudiobook || asset.mayBeFiles else { return nil }
        let files = try await ListedFile.all(of: asset.fetcher)
        guard isAudiobook || FileSurvey(files).kind == .sound else { return nil }
        let natural = files.filter { AudioFiles.isTrack($0) }
        guard !natural.isEmpty else {
            throw asset.damaged("contains no sound files, so there is nothing to listen to.")
        }
        warnings.warn(
            ListedFile.strangers(in: files, "no part of an audiobook") {
                AudioFiles.mayLie(inAudiobook: $0) || BookFiles.isListed($0)
            })
        let ordered =
            try await Playlist(among: files, in: asset.fetcher, warnings: warnings)?.order(natural, warnings) ?? natural
        var tracks = ordered.map { AudioTrack(file: $0) }
        if readsFiles { tracks = try await AudioTracks(fetcher: asset.fetcher).read(ordered, warnings) }
        let sheet = try await CueSheets(fetcher: asset.fetcher, warnings: warnings).add(files, to: &tracks)
        let others = pictures(among: files) + files.filter { BookFiles.isListed($0) }.map(\.link)
        return builder(tracks, sheet, others, files: files, asset)
    }

    private func single(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> PublicationBuilder? {
        guard asset.mediaType?.isAudio == true || AudioFiles.isUnregistered(asset.path.fileExtension) else {
            return nil
        }
        // Read first: this returns the size, too, which the list of files would otherwise request.
        let reader = (asset.fetcher as? FileFetcher)?.reader
        var description: MediaDescription?
        if readsFiles, let reader { description = try await AudioTracks.description(reader) }
        guard var file = try await ListedFile.only(in: asset) else { return nil }
        if let type = asset.mediaType, type.isAudio { file.link.type = type.string }
        if readsFiles, reader == nil {
            description = try await AudioTracks.description(ResourceReader(asset.fetcher.get(file.link)))
        }
        if readsFiles, description == nil { warnings.warn(AudioTracks.warning(CountedNames([file.path]))) }
        var track = AudioTrack(file: file, description: description ?? MediaDescription())
        var sheet: CueSheet?
        if readsFiles, track.description.chapters.isEmpty, track.description.chapterTrack == nil {
            sheet = try await CueSheets(fetcher: asset.siblings, warnings: warnings).beside(file)
            if let files = sheet?.files, files.count == 1 { track.description.use(files[0].chapters) }
        }
        return builder([track], sheet, [], files: [file], asset)
    }

    private func builder(
        _ tracks: [AudioTrack], _ sheet: CueSheet?, _ others: [Link], files: [ListedFile], _ asset: PublicationAsset
    ) -> PublicationBuilder {
        let contents = AudioContents(tracks)
        let title = tracks.count == 1 && asset.form == .file ? nil : contents.title
        var manifest = Manifest(
            metadata: AudioMetadata(tracks, sheet: sheet).metadata(titled: title ?? asset.nameWithoutExtension),
            readingOrder: tracks.map { $0.link(isOnly: tracks.count == 1) }, resources: others,
            tableOfContents: contents.links)
        var fetcher = asset.fetcher
        let names = Set(files.map { $0.path.lowercased() })
        if manifest.resources.firstWithRel("cover") == nil,
            let track = tracks.first(where: { $0.description.cover != nil }),
            let cover = EmbeddedCover(of: track, besides: names, base: fetcher)
        {
            manifest.resources.insert(cover.link, at: 0)
            fetcher = RoutingFetcher([
                RoutingFetcher.Route(cover, label: "cover") { cover.accepts($0) },
                RoutingFetcher.Route(fetcher, label: "sound"),
            ])
        }
        var builder = PublicationBuilder(manifest: manifest, fetcher: fetcher)
        if tracks.contains(where: { $0.description.chapterTrack != nil }) {
            builder.contents = { [base = asset.fetcher] in try await Self.completed(tracks, base) }
        }
        return builder
    }

    /// Returns the table of contents with the chapters that are stored among the sound.
    private static func completed(_ tracks: [AudioTrack], _ fetcher: any Fetcher) async throws -> [Link] {
        var tracks = tracks
        let readers = AudioTracks(fetcher: fetcher)
        for index in tracks.indices {
            guard let pending = tracks[index].description.chapterTrack else { continue }
            tracks[index].description.use(try await pending.chapters(from: readers.reader(of: tracks[index].file)))
        }
        return AudioContents(tracks).links
    }

    /// The pictures. The one called cover, folder or front that is nearest to the root is the cover.
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
}

extension AudioFiles {
    private static let texts: Set<String> = ["txt", "nfo"]
    /// Names without extension of pictures that belong to the whole publication and are not pages.
    static let coverStems: Set<String> = [
        "albumart", "albumartsmall", "back", "cover", "disc", "folder", "front", "poster", "thumb",
    ]

    static func isTrack(_ file: ListedFile) -> Bool { isSound(fileExtension: file.fileExtension) }

    static func mayLie(inAudiobook file: ListedFile) -> Bool {
        isTrack(file) || ImageFiles.isPage(file) || playlists.contains(file.fileExtension)
            || texts.contains(file.fileExtension)
    }

    /// Whether a single file with this extension is sound although no media type is registered for it; `webm` is video
    /// more often.
    static func isUnregistered(_ fileExtension: String?) -> Bool {
        ["alac", "mogg"].contains(fileExtension?.lowercased() ?? "")
    }

    static func link(_ file: ListedFile) -> Link {
        var link = file.link
        link.type = type(fileExtension: file.fileExtension)?.string ?? link.type
        return link
    }
}
