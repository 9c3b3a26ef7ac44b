import FileProviderCore
import Foundation

/// FLAC files (RFC 9639, section 8): blocks of metadata. Pictures and padding are skipped.
struct FLACParser: MediaParser {
    private static let maxBlocks = 1_000

    private var window: ByteWindow
    private(set) var description = MediaDescription()
    private var position: Int64
    private var sampleRate: Int64 = 0

    /// - Parameter offset: The offset of the letters “fLaC”.
    init(_ window: ByteWindow, at offset: Int64) {
        self.window = window
        position = offset + 4
    }

    mutating func parse() async throws {
        for _ in 0..<Self.maxBlocks {
            let head = try await window.bytes(position..<position + 4)
            guard let kind = head.big(0, 1), let length = head.big(1, 3) else { return }
            let content = position + 4..<position + 4 + length
            position = content.upperBound
            try await take(kind & 0x7F, content)
            if kind & 0x80 != 0 { return }
        }
    }

    private mutating func take(_ kind: Int64, _ content: Range<Int64>) async throws {
        switch kind {
        case 0:
            let information = StreamInformation(try await window.start(of: content, limit: 34))
            sampleRate = information.sampleRate
            description.duration = information.duration
        case 4 where content.count <= VorbisComments.maxSize:
            VorbisComments.read(try await window.bytes(content), into: &description)
        case 5 where content.count <= 1 << 20: takeTracks(try await window.bytes(content))
        case 6:
            let head = try await window.start(of: content, limit: 1_024)
            guard let found = FLACPicture(head) else { return }
            let start = content.lowerBound + Int64(found.offset)
            let range = start..<min(start + found.count, content.upperBound)
            guard found.offset <= content.count else { return }
            description.add(found.picture(.range(range), start: head.dropFirst(found.offset)))
        default: break
        }
    }

    /// Reads the tracks of a cue sheet; they have no titles. Numbers 170 and 255 mark its end (RFC 9639, section 8.7).
    private mutating func takeTracks(_ bytes: ArraySlice<UInt8>) {
        guard sampleRate > 0, description.chapters.isEmpty, let count = bytes.big(395, 1) else { return }
        var rest = bytes.dropFirst(396)
        var chapters: [MediaChapter] = []
        for _ in 0..<count {
            guard let offset = rest.big(0, 8), let number = rest.big(8, 1), let indices = rest.big(35, 1) else { break }
            let points = (0..<Int(indices)).compactMap { index -> Int64? in
                let point = rest.dropFirst(36 + 12 * index)
                return point.big(8, 1) == 1 ? point.big(0, 8) : nil
            }
            let (sum, overflow) = offset.addingReportingOverflow(points.first ?? 0)
            if number != 170, number != 255, !overflow {
                chapters.append(MediaChapter(start: Double(sum) / Double(sampleRate), title: nil))
            }
            rest = rest.dropFirst(36 + 12 * Int(indices))
        }
        description.chapters = chapters.count > 1 ? chapters.inOrder : []
    }
}

/// The first block of a FLAC stream (RFC 9639, section 8.2).
struct StreamInformation {
    let sampleRate: Int64
    /// Seconds; nil if unknown.
    let duration: Double?

    init(_ bytes: ArraySlice<UInt8>) {
        let fields = bytes.big(10, 4) ?? 0
        sampleRate = fields >> 12
        let samples = (fields & 0xF) << 32 | (bytes.big(14, 4) ?? 0)
        duration = sampleRate > 0 && samples > 0 ? Double(samples) / Double(sampleRate) : nil
    }
}

/// The header of a picture block (RFC 9639, section 8.8).
struct FLACPicture {
    /// The offset of the picture's bytes.
    let offset: Int
    /// Bytes of the picture.
    let count: Int64
    private let mediaType: String?
    private let isFrontCover: Bool
    private let bytes: ArraySlice<UInt8>

    init?(_ bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.big(0, 4), let typeLength = bytes.big(4, 4), typeLength <= 256,
            let textLength = bytes.big(8 + Int(typeLength), 4), textLength <= 64 << 10,
            let count = bytes.big(28 + Int(typeLength + textLength), 4)
        else { return nil }
        let name = MediaText.latin1(bytes.dropFirst(8).prefix(Int(typeLength)))
        guard name != "-->" else { return nil }
        mediaType = MediaPicture.mediaType(named: name)
        isFrontCover = kind == 3
        offset = 32 + Int(typeLength + textLength)
        self.count = count
        self.bytes = bytes
    }

    func picture(_ content: MediaPicture.Content, start: some Collection<UInt8>) -> MediaPicture {
        MediaPicture(content, mediaType: MediaPicture.mediaType(of: start) ?? mediaType, isFrontCover: isFrontCover)
    }

    /// The picture, which follows in the same bytes.
    var decoded: MediaPicture {
        let data = bytes.dropFirst(offset).prefix(Int(count))
        return picture(.bytes(Data(data)), start: data)
    }
}
