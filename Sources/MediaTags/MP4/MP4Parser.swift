import FileProviderCore
import Foundation

/// MP4 and QuickTime files (ISO/IEC 14496-12; QuickTime File Format): a tree of boxes. Sound and sample tables are
/// skipped.
struct MP4Parser: MediaParser {
    struct Box {
        let type: String
        /// The range after the header.
        let content: Range<Int64>
    }

    /// The properties of a track.
    struct Track {
        var id: Int64 = 0
        var handler = ""
        var time = MediaTime()
        /// The pause before the track begins, in the units of the file.
        var delay: Int64 = 0
        /// The tracks with its chapters.
        var chapterTracks: [Int64] = []
        /// The content of its sample table.
        var table: Range<Int64>?
    }

    /// The boxes with which such a file may begin.
    static let boxesAtStart: Set<String> = ["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]
    private static let maxBoxes = 20_000
    private static let maxTracks = 64

    var window: ByteWindow
    var description = MediaDescription()
    private var time = MediaTime()
    private var fragmentDuration: Int64?
    private var tracks: [Track] = []
    private var boxCount = 0

    init(_ window: ByteWindow) {
        self.window = window
    }

    /// Returns the box at `offset`; nil if no other one fits before `end`. A box that claims to extend beyond `end` is
    /// cut there.
    mutating func box(at offset: Int64, before end: Int64) async throws -> Box? {
        guard end - offset >= 8 else { return nil }
        boxCount += 1
        guard boxCount <= Self.maxBoxes else { throw MediaFault.limit }
        let head = try await window.bytes(offset..<min(offset + 16, end))
        guard let short = head.big(0, 4) else { throw MediaFault.malformed }
        var (length, header) = (short, Int64(8))
        switch short {
        case 0: length = end - offset
        case 1:
            guard let long = head.big(8, 8) else { throw MediaFault.malformed }
            (length, header) = (long, 16)
        default: break
        }
        guard length >= header, header <= end - offset else { throw MediaFault.malformed }
        let stop = length > end - offset ? end : offset + length
        return Box(type: MediaText.fourCharacters(head.dropFirst(4)), content: offset + header..<stop)
    }

    mutating func parse() async throws {
        var position: Int64 = 0
        while let box = try await box(at: position, before: window.size) {
            if box.type == "moov" { return try await readMovie(box.content) }
            position = box.content.upperBound
        }
    }

    private mutating func readMovie(_ content: Range<Int64>) async throws {
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            switch box.type {
            case "mvhd": time = MediaTime(header: try await window.start(of: box.content, limit: 32))
            case "trak" where tracks.count < Self.maxTracks:
                tracks.append(Track())
                try await readTrack(box.content, depth: 0)
            case "mvex": try await readFragments(box.content)
            case "udta": try await readUserData(box.content)
            case "meta": try await readMetadata(box.content)
            default: break
            }
        }
    }

    private mutating func readFragments(_ content: Range<Int64>) async throws {
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            guard box.type == "mehd" else { continue }
            let bytes = try await window.start(of: box.content, limit: 12)
            fragmentDuration = bytes.first == 1 ? bytes.big(4, 8) : bytes.big(4, 4)
        }
    }

    /// Reads the boxes of a track into the last of `tracks`.
    private mutating func readTrack(_ content: Range<Int64>, depth: Int) async throws {
        guard depth < 4 else { return }
        let track = tracks.count - 1
        var position = content.lowerBound
        while let box = try await box(at: position, before: content.upperBound) {
            position = box.content.upperBound
            switch box.type {
            case "tkhd":
                let bytes = try await window.start(of: box.content, limit: 24)
                tracks[track].id = bytes.big(bytes.first == 1 ? 20 : 12, 4) ?? 0
            case "mdhd": tracks[track].time = MediaTime(header: try await window.start(of: box.content, limit: 32))
            // In QuickTime files `minf` has a second one, for the access to the data.
            case "hdlr" where depth == 1:
                tracks[track].handler = MediaText.fourCharacters(
                    try await window.start(of: box.content, limit: 12).dropFirst(8))
            case "chap":
                let bytes = try await window.start(of: box.content, limit: 256)
                tracks[track].chapterTracks = stride(from: 0, to: bytes.count, by: 4).compactMap { bytes.big($0, 4) }
            case "elst": tracks[track].delay = Self.delay(try await window.start(of: box.content, limit: 28))
            case "stbl": tracks[track].table = box.content
            case "edts", "tref", "mdia", "minf": try await readTrack(box.content, depth: depth + 1)
            default: break
            }
        }
    }

    /// Returns the length of the first entry of an edit list, if that is a pause (ISO/IEC 14496-12, section 8.6.6),
    /// that is, if its place in the track is −1.
    private static func delay(_ bytes: ArraySlice<UInt8>) -> Int64 {
        guard let count = bytes.big(4, 4), count > 0 else { return 0 }
        let width = bytes.first == 1 ? 8 : 4
        let location = bytes.dropFirst(8 + width).prefix(width)
        return location.count == width && location.allSatisfy { $0 == 0xFF } ? bytes.big(8, width) ?? 0 : 0
    }

    mutating func finish() async throws {
        let sound = tracks.first { $0.handler == "soun" } ?? tracks.first
        description.duration =
            time.seconds ?? sound?.time.seconds
            ?? fragmentDuration.flatMap { MediaTime(scale: time.scale, duration: $0).seconds }
        let named = Set(tracks.flatMap(\.chapterTracks))
        let isCut = description.chapters.count == 255
        guard description.chapters.isEmpty || isCut,
            let track = tracks.first(where: { named.contains($0.id) && ["text", "sbtl"].contains($0.handler) }),
            let table = track.table
        else { return }
        do {
            let delay = time.scale > 0 ? Double(track.delay) / Double(time.scale) : 0
            let found = ChapterTrack(samples: try await readSamples(of: table, scale: track.time.scale, delay: delay))
            if found.samples.count > description.chapters.count { try await take(found) }
        } catch is MediaFault {
            // Leaves out the chapters of a damaged track.
        }
    }

    /// Reads the titles now if that takes at most one request.
    private mutating func take(_ track: ChapterTrack) async throws {
        let last = track.samples.map(\.range.upperBound).max() ?? 0
        guard last <= window.reach else { return }
        if track.requests(at: window.reader.cost) > 1 {
            description.chapterTrack = track
        } else {
            description.chapters = try await track.chapters(from: window.reader)
        }
    }
}

/// A length with its time scale.
struct MediaTime {
    /// Units in a second; 0 if unknown.
    var scale: Int64 = 0
    var duration: Int64?

    init(scale: Int64 = 0, duration: Int64? = nil) {
        self.scale = scale
        self.duration = duration
    }

    /// Reads the content of a `mvhd` or `mdhd` box (ISO/IEC 14496-12, sections 8.2.2 and 8.4.2). All bits set means
    /// unknown.
    init(header bytes: ArraySlice<UInt8>) {
        if bytes.first == 1 {
            self.init(scale: bytes.big(20, 4) ?? 0, duration: bytes.big(24, 8))
        } else {
            self.init(scale: bytes.big(12, 4) ?? 0, duration: bytes.big(16, 4).flatMap { $0 == 0xFFFF_FFFF ? nil : $0 })
        }
    }

    /// Nil if unknown or zero.
    var seconds: Double? {
        guard let duration, scale > 0, duration > 0 else { return nil }
        return Double(duration) / Double(scale)
    }
}
