/// The tags, length, chapters and pictures of a sound file.
///
/// The file is not trusted: every text, list and picture has a limit, and anything over it is left out.
public struct MediaDescription: Sendable, Hashable {
    /// The most chapters of one file; 4,096.
    public static let maxChapters = 4_096
    /// The most pictures of one file; 32.
    public static let maxPictures = 32
    /// The most bytes of one text; 64 KiB.
    static let maxTextLength = 64 << 10
    /// The most bytes of all texts together; 256 KiB.
    private static let maxText = 256 << 10

    /// The values by name, in the file's order. In every format the names are those of Vorbis comments in capitals,
    /// such as `TITLE` and `ALBUMARTIST`.
    public private(set) var tags: [String: [String]] = [:]
    /// The length in seconds; nil if the file does not have it.
    public internal(set) var duration: Double?
    /// The chapters in the order of the file's own table of contents, else by their starts.
    public internal(set) var chapters: [MediaChapter] = []
    /// The pictures in the file's order.
    public private(set) var pictures: [MediaPicture] = []
    /// A track of chapters whose titles are too scattered to be read at once; nil if there is none.
    public internal(set) var chapterTrack: ChapterTrack?
    private var textBytes = 0

    /// An empty description.
    public init() {}

    /// Returns the first value of the first of `names` that has one.
    public func first(_ names: String...) -> String? {
        names.lazy.compactMap { self.tags[$0]?.first }.first
    }

    /// The picture of the front cover, else the first one.
    public var cover: MediaPicture? { pictures.first { $0.isFrontCover } ?? pictures.first }

    /// Adds a value to the tag `name`, unless it is empty or exists already.
    mutating func add(_ name: String, _ value: String?) {
        guard let value = value.map(MediaText.trimmed), !value.isEmpty, tags[name]?.contains(value) != true else {
            return
        }
        let count = name.utf8.count + value.utf8.count
        guard textBytes + count <= Self.maxText else { return }
        tags[name, default: []].append(value)
        textBytes += count
    }

    mutating func add(_ picture: MediaPicture) {
        if pictures.count < Self.maxPictures, !picture.isEmpty { pictures.append(picture) }
    }

    /// Sets the chapters, and drops the chapter track.
    package mutating func use(_ chapters: [MediaChapter]) {
        self.chapters = chapters
        chapterTrack = nil
    }

    /// The description without chapters and chapter track.
    package var withoutChapters: MediaDescription {
        var description = self
        description.use([])
        return description
    }

    /// Without pictures.
    package var withoutPictures: MediaDescription { mapPictures { _ in nil } }

    /// Returns a copy with each picture changed by `change`, without those for which it returns nil.
    func mapPictures(_ change: (MediaPicture) -> MediaPicture?) -> MediaDescription {
        var description = self
        description.pictures = pictures.compactMap(change)
        return description
    }

    /// Adds what `other` has and this description lacks.
    mutating func merge(_ other: MediaDescription) {
        for (name, values) in other.tags where tags[name] == nil {
            for value in values { add(name, value) }
        }
        duration = duration ?? other.duration
        if chapters.isEmpty { chapters = other.chapters }
        for picture in other.pictures { add(picture) }
        chapterTrack = chapterTrack ?? other.chapterTrack
    }
}
