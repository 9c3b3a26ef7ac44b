import Foundation

/// The comments of Vorbis, Opus and FLAC (Vorbis I, section 5): pairs of a name and a text.
enum VorbisComments {
    /// The most bytes of comments that are held; 8 MiB.
    static let maxSize: Int64 = 8 << 20
    private static let maxCount = 10_000

    /// Adds the content of the comments in `bytes`: tags, chapters (`CHAPTER001`, `CHAPTER001NAME`), cue sheets and
    /// pictures.
    static func read(_ bytes: ArraySlice<UInt8>, into description: inout MediaDescription) {
        guard let vendor = bytes.little(0, 4), let count = bytes.little(4 + Int(vendor), 4) else { return }
        var rest = bytes.dropFirst(8 + Int(vendor))
        var chapters = NumberedChapters()
        for _ in 0..<min(count, Int64(maxCount)) {
            guard let length = rest.little(0, 4), length <= rest.count - 4 else { break }
            let comment = rest.dropFirst(4).prefix(Int(length))
            rest = rest.dropFirst(4 + Int(length))
            guard let sign = comment.firstIndex(of: UInt8(ascii: "=")), sign - comment.startIndex <= 64 else {
                continue
            }
            let name = MediaText.latin1(comment[..<sign]).uppercased()
            take(name, comment[(sign + 1)...], &chapters, &description)
        }
        if description.chapters.isEmpty { description.chapters = chapters.all }
    }

    private static func take(
        _ name: String, _ value: ArraySlice<UInt8>, _ chapters: inout NumberedChapters,
        _ description: inout MediaDescription
    ) {
        switch name {
        case "METADATA_BLOCK_PICTURE":
            guard value.count <= MediaPicture.maxDecodedSize * 4 / 3, let data = Data(base64Encoded: Data(value)) else {
                return
            }
            if let picture = FLACPicture(Array(data)[...])?.decoded { description.add(picture) }
        case "COVERART":
            guard value.count <= MediaPicture.maxDecodedSize * 4 / 3, let data = Data(base64Encoded: Data(value)) else {
                return
            }
            description.add(MediaPicture(.bytes(data), mediaType: MediaPicture.mediaType(of: data), isFrontCover: true))
        case "CUESHEET":
            guard value.count <= CueSheet.maxSize, description.chapters.isEmpty else { return }
            description.chapters = CueSheet(MediaText.guessed(value)).files.first?.chapters ?? []
        default:
            guard value.count <= MediaDescription.maxTextLength else { return }
            let text = String(decoding: value, as: UTF8.self)
            if !chapters.take(name, text) { description.add(synonyms[name] ?? name, text) }
        }
    }

    private static let synonyms = [
        "ALBUM ARTIST": "ALBUMARTIST", "ORGANIZATION": "PUBLISHER", "LABEL": "PUBLISHER", "YEAR": "DATE",
        "TRACK": "TRACKNUMBER",
        "DISC": "DISCNUMBER",
    ]
}

/// Chapters in comments: `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=A title`, with two or three digits.
private struct NumberedChapters {
    private var starts: [Int: Double] = [:]
    private var titles: [Int: String] = [:]

    /// Reads a comment about a chapter.
    ///
    /// - Returns: Whether the comment is about a chapter.
    mutating func take(_ name: String, _ text: String) -> Bool {
        guard name.hasPrefix("CHAPTER") else { return false }
        let rest = name.dropFirst(7)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (2...4).contains(digits.count), let number = Int(digits),
            starts.count + titles.count < 2 * MediaDescription.maxChapters
        else {
            return false
        }
        switch rest.dropFirst(digits.count) {
        case "": starts[number] = Self.seconds(text)
        case "NAME": titles[number] = text
        default: break
        }
        return true
    }

    var all: [MediaChapter] {
        starts.sorted { $0.key < $1.key }.map { MediaChapter(start: $0.value, title: titles[$0.key]) }.inOrder
    }

    /// Of hours, minutes and seconds with a fraction.
    private static func seconds(_ text: String) -> Double? {
        let parts = MediaText.trimmed(text).split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...3).contains(parts.count) else { return nil }
        return parts.reduce(Double?.some(0)) { sum, part in
            guard let sum, let part, part.isFinite, part >= 0 else { return nil }
            return sum * 60 + part
        }
    }
}
