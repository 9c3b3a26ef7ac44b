public import Foundation

/// A cue sheet: the tracks in files and where they begin.
///
/// `FILE`, `TRACK`, `TITLE`, `PERFORMER` and `INDEX` are read; times count minutes, seconds and 75ths of a second.
public struct CueSheet: Sendable, Hashable {
    /// The largest sheet to read, in bytes; 1 MiB.
    public static let maxSize = 1 << 20

    /// A file, with the tracks in it.
    public struct File: Sendable, Hashable {
        /// The name in the sheet: a name or a path, with slashes of either kind.
        public var name: String
        /// A chapter for each track, in order.
        public var chapters: [MediaChapter]
    }

    /// The title of the whole recording.
    public private(set) var title: String?
    /// The performer of the whole recording.
    public private(set) var performer: String?
    /// The files in order; those without a track are left out.
    public private(set) var files: [File] = []

    /// Parses a sheet; ignores invalid lines.
    public init(_ text: String) {
        var isInTrack = false
        var track: (title: String?, number: String?) = (nil, nil)
        var isPlaced = false
        for line in text.split(whereSeparator: \.isNewline) {
            let words = Self.words(line)
            guard let command = words.first?.uppercased(), words.count > 1 else { continue }
            switch command {
            case "FILE":
                files.append(File(name: words[1], chapters: []))
                isInTrack = false
            case "TRACK":
                (isInTrack, isPlaced, track) = (true, false, (nil, Int(words[1]).map(String.init)))
            case "TITLE" where isInTrack: track.title = words[1]
            case "TITLE" where files.isEmpty: title = words[1]
            case "PERFORMER" where !isInTrack && files.isEmpty: performer = words[1]
            // Index 00 is the pause before a track.
            case "INDEX" where isInTrack && words.count > 2 && Int(words[1]) == 1 && !isPlaced:
                guard let start = Self.seconds(words[2]), !files.isEmpty else { continue }
                guard files[files.count - 1].chapters.count < MediaDescription.maxChapters else { continue }
                isPlaced = true
                files[files.count - 1].chapters.append(MediaChapter(start: start, title: track.title ?? track.number))
            default: continue
            }
        }
        files = files.filter { !$0.chapters.isEmpty }.map { File(name: $0.name, chapters: $0.chapters.inOrder) }
    }

    /// Reads a sheet in UTF-8, UTF-16 or Latin-1.
    public init(data: Data) { self.init(MediaText.guessed(data)) }

    /// Words are separated by space; one in quotation marks may have space in it.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var rest = line.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        while let first = rest.first, words.count < 8 {
            let isQuoted = first == "\""
            let body = isQuoted ? rest.dropFirst() : rest
            let word = body.prefix { isQuoted ? $0 != "\"" : !$0.isWhitespace }
            words.append(String(word))
            rest = body.dropFirst(word.count + (isQuoted ? 1 : 0)).drop { $0.isWhitespace }
        }
        return words
    }

    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2],
            (0...1_000_000).contains(minutes),
            (0..<60).contains(seconds), (0..<75).contains(frames)
        else { return nil }
        return Double(minutes * 60 + seconds) + Double(frames) / 75
    }
}
