import FileProviderCore
import Foundation

/// The frames of an ID3 tag of version 2.2, 2.3 or 2.4: texts, pictures, and chapters (ID3v2 Chapter Frame Addendum).
struct ID3Frames {
    /// A frame whose content follows.
    struct Frame {
        let id: String
        let content: Range<Int64>
        let isUnsynchronised: Bool
    }

    private static let maxFrames = 10_000
    /// The most bytes of a chapter that are read, for its times and its title; a picture may follow.
    private static let maxChapterLength = 4_096

    var window: ByteWindow
    let version: Int
    private(set) var description = MediaDescription()
    private var chapters = ID3Chapters()
    private var milliseconds: Double?
    private var year: String?
    private var dayAndMonth: String?
    private var frameCount = 0

    init(_ window: ByteWindow, version: Int) {
        self.window = window
        self.version = version
    }

    /// Reads the frames in `range`, up to the padding.
    mutating func read(_ range: Range<Int64>) async throws {
        var position = range.lowerBound
        while let frame = try await frame(at: position, before: range.upperBound) {
            position = frame.content.upperBound
            try await take(frame)
        }
    }

    /// Completes the description from all that was read.
    mutating func finish() {
        description.chapters = chapters.tree
        if let year { description.add("DATE", ID3Text.date(year: year, dayAndMonth: dayAndMonth ?? "")) }
        description.duration = milliseconds.flatMap { $0 > 0 ? $0 / 1_000 : nil }
    }

    // MARK: Headers

    private var idLength: Int { version == 2 ? 3 : 4 }
    private var headerLength: Int64 { version == 2 ? 6 : 10 }

    /// Returns the next readable frame, skipping compressed and encrypted ones; nil at the padding.
    private mutating func frame(at offset: Int64, before end: Int64) async throws -> Frame? {
        var offset = offset
        while end - offset >= headerLength {
            frameCount += 1
            guard frameCount <= Self.maxFrames else { throw MediaFault.limit }
            let head = try await window.bytes(offset..<offset + headerLength)
            guard let id = Self.id(head.prefix(idLength)) else { return nil }
            let content = offset + headerLength..<offset + headerLength + size(head, at: offset, before: end)
            guard content.upperBound <= end else { return nil }
            if let frame = ID3FrameFlags(head.dropFirst(8), version: version).frame(id, content) { return frame }
            offset = content.upperBound
        }
        return nil
    }

    private func size(_ head: ArraySlice<UInt8>, at offset: Int64, before end: Int64) -> Int64 {
        if version == 2 { return head.big(3, 3) ?? 0 }
        let plain = head.big(4, 4) ?? 0
        guard version == 4, let safe = ID3Header.synchsafe(head.dropFirst(4)) else { return plain }
        guard safe != plain else { return safe }
        // Some writers put the plain number here; the bytes that follow show which of the two it is.
        func leadsToFrame(_ size: Int64) -> Bool {
            let next = offset + headerLength + size
            if next == end { return true }
            guard next <= end - headerLength, let bytes = window.peek(next..<next + headerLength) else { return false }
            return Self.id(bytes.prefix(4)) != nil || bytes.allSatisfy { $0 == 0 }
        }
        return !leadsToFrame(safe) && leadsToFrame(plain) ? plain : safe
    }

    /// Returns the name of a frame; nil if the bytes are not one.
    static func id(_ bytes: ArraySlice<UInt8>) -> String? {
        let isName = bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }
        return isName && !bytes.isEmpty ? MediaText.latin1(bytes) : nil
    }

    // MARK: Contents

    private mutating func take(_ frame: Frame) async throws {
        switch frame.id {
        case "APIC", "PIC": try await takePicture(frame)
        case "CHAP": chapters.take(chapter: try await bytes(of: frame, limit: Self.maxChapterLength), version: version)
        case "CTOC":
            chapters.take(contents: try await bytes(of: frame, limit: MediaDescription.maxTextLength), version: version)
        case "TXXX", "TXX", "COMM", "COM":
            let isComment = frame.id.hasPrefix("C")
            let fields = ID3Text.described(
                try await bytes(of: frame, limit: MediaDescription.maxTextLength), hasLanguage: isComment)
            guard let fields, isComment ? fields.name.isEmpty : !fields.name.isEmpty else { return }
            for text in fields.texts { description.add(isComment ? "COMMENT" : fields.name.uppercased(), text) }
        case "TLEN", "TLE":
            let texts = ID3Text.texts(try await bytes(of: frame, limit: 64))
            milliseconds = texts.first.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        case "TYER", "TYE": year = ID3Text.texts(try await bytes(of: frame, limit: 64)).first
        case "TDAT", "TDA": dayAndMonth = ID3Text.texts(try await bytes(of: frame, limit: 64)).first
        default:
            guard let name = ID3Text.names[frame.id] else { return }
            for text in ID3Text.texts(try await bytes(of: frame, limit: MediaDescription.maxTextLength)) {
                description.add(name, name == "GENRE" ? ID3Text.genre(text) : text)
            }
        }
    }

    private mutating func bytes(of frame: Frame, limit: Int) async throws -> ArraySlice<UInt8> {
        let bytes = try await window.start(of: frame.content, limit: limit)
        return frame.isUnsynchronised ? ID3Header.resynchronised(bytes)[...] : bytes
    }

    /// Encoding, type, kind and description precede the picture (ID3v2.4, section 4.14).
    private mutating func takePicture(_ frame: Frame) async throws {
        if frame.isUnsynchronised {
            guard frame.content.count <= MediaPicture.maxDecodedSize else { return }
            let bytes = ID3Header.resynchronised(try await window.bytes(frame.content))
            guard let found = ID3PictureHeader(bytes[...], version: version) else { return }
            let picture = bytes.dropFirst(found.length)
            description.add(found.picture(.bytes(Data(picture)), start: picture))
            return
        }
        let head = try await window.start(of: frame.content, limit: 1_024)
        guard let found = ID3PictureHeader(head, version: version) else { return }
        let range = frame.content.lowerBound + Int64(found.length)..<frame.content.upperBound
        description.add(found.picture(.range(range), start: head.dropFirst(found.length)))
    }
}

/// The two bytes of flags of a frame.
private struct ID3FrameFlags {
    private let isLocked: Bool
    private let isUnsynchronised: Bool
    /// Bytes in front of the content.
    private let extra: Int64

    init(_ bytes: ArraySlice<UInt8>, version: Int) {
        let flags = version == 2 ? 0 : bytes.dropFirst().first ?? 0
        if version == 4 {
            isLocked = flags & 0x0C != 0
            isUnsynchronised = flags & 0x02 != 0
            extra = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
        } else {
            isLocked = flags & 0xC0 != 0
            isUnsynchronised = false
            extra = flags & 0x20 != 0 ? 1 : 0
        }
    }

    /// Returns the frame without the fields that its flags announce; nil if it is compressed or encrypted.
    func frame(_ id: String, _ content: Range<Int64>) -> ID3Frames.Frame? {
        guard !isLocked, extra <= content.count else { return nil }
        return ID3Frames.Frame(
            id: id, content: content.lowerBound + extra..<content.upperBound, isUnsynchronised: isUnsynchronised)
    }
}

/// The fields before the picture's bytes.
private struct ID3PictureHeader {
    let length: Int
    private let mediaType: String?
    private let kind: UInt8

    init?(_ bytes: ArraySlice<UInt8>, version: Int) {
        guard let encoding = bytes.first else { return nil }
        var rest = bytes.dropFirst()
        let name: String
        if version == 2 {
            name = MediaText.latin1(rest.prefix(3))
            rest = rest.dropFirst(3)
        } else {
            name = MediaText.latin1(rest.prefix { $0 != 0 })
            rest = rest.dropFirst(name.unicodeScalars.count + 1)
        }
        // An address instead of a picture.
        guard name != "-->", let kind = rest.first else { return nil }
        guard let text = ID3Text.terminated(rest.dropFirst(), encoding: encoding) else { return nil }
        mediaType = MediaPicture.mediaType(named: name)
        self.kind = kind
        length = text.rest.startIndex - bytes.startIndex
    }

    func picture(_ content: MediaPicture.Content, start: some Collection<UInt8>) -> MediaPicture {
        MediaPicture(content, mediaType: MediaPicture.mediaType(of: start) ?? mediaType, isFrontCover: kind == 3)
    }
}
