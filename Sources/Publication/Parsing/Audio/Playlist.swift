import Archives
import FileProviderCore
import Foundation

/// The order that a playlist gives the files beside it (M3U: one path a line; comments begin with a hash mark).
struct Playlist {
    private let name: String
    private let text: String
    /// The folder against which its lines are resolved, with a trailing slash.
    private let folder: String

    private static let limit = 1 << 20
    private static let consequence = "the tracks are sorted by name"

    /// The one playlist in `files`; nil if there is none and, with a warning, if there are several or it cannot
    /// be read.
    ///
    /// - Throws: Errors of the storage.
    init?(among files: [ListedFile], in fetcher: any Fetcher, warnings: WarningLog) async throws {
        let playlists = files.filter { $0.fileExtension == "m3u" || $0.fileExtension == "m3u8" }
        guard playlists.count == 1, let playlist = playlists.first else {
            if !playlists.isEmpty {
                warnings.warn(
                    "several-playlists", severity: .minor,
                    message: "The book has \(playlists.count) playlists; \(Self.consequence).")
            }
            return nil
        }
        do {
            let data = try await fetcher.data(playlist.link.href, limit: Self.limit)
            text = String(validating: data, as: UTF8.self) ?? String(data: data, encoding: .isoLatin1) ?? ""
        } catch let error as CocoaError where ContentErrors.isOne(error) {
            warnings.warn(
                "damaged-playlist", severity: .moderate,
                message: "The playlist “\(playlist.path)” cannot be read; \(Self.consequence).")
            return nil
        }
        name = playlist.path
        folder = String(playlist.path.dropLast(playlist.name.count))
    }

    /// Returns `tracks` in the order of the playlist; nil, with a warning, unless it names each of them exactly once
    /// and no other file.
    func order(_ tracks: [ListedFile], _ warnings: WarningLog) -> [ListedFile]? {
        let paths = Dictionary(tracks.indices.map { (tracks[$0].path, $0) }, uniquingKeysWith: { first, _ in first })
        var order: [Int] = []
        var missing = CountedNames()
        for line in text.split(whereSeparator: \.isNewline) {
            let line = MarkupText.trimmed(line.drop { $0 == "\u{FEFF}" }.description)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let locations = [line, HREF.decoded(line[...])].compactMap { EntryName.confined($0) }.map { folder + $0 }
            if let index = locations.lazy.compactMap({ paths[$0] }).first {
                order.append(index)
            } else {
                missing.add(line)
            }
        }
        warnings.warn(
            missing.warning(
                "wrong-playlist", severity: .moderate,
                one: "is in the playlist “\(name)” but is not a track of the book; \(Self.consequence).",
                many: "are in the playlist “\(name)” but are not tracks of the book; \(Self.consequence)."))
        guard missing.count == 0 else { return nil }
        guard order.count == tracks.count, Set(order).count == order.count else {
            let sentence = "The playlist “\(name)” does not name each track of the book once; \(Self.consequence)."
            warnings.warn("wrong-playlist", severity: .moderate, message: sentence)
            return nil
        }
        return order.map { tracks[$0] }
    }
}
