import MediaTags

/// The table of contents of an audiobook.
struct AudioContents {
    private let tracks: [AudioTrack]

    init(_ tracks: [AudioTrack]) {
        self.tracks = tracks
    }

    /// The name of the one folder that contains all files.
    var title: String? { FolderContents(tracks.map(\.file)).title }

    /// The chapters of all tracks. If none has any: the folders, else the tracks, if each has a title.
    var links: [Link] {
        let files = tracks.map(\.file)
        if tracks.contains(where: { !$0.description.chapters.isEmpty }) {
            return FolderContents(files, links: tracks.map(\.contents)).tableOfContents
        }
        let folders = FolderContents(files).tableOfContents
        let titles = Set(tracks.compactMap { $0.description.first("TITLE") })
        guard folders.isEmpty, tracks.count > 1, titles.count == tracks.count else { return folders }
        return tracks.flatMap(\.contents)
    }
}
