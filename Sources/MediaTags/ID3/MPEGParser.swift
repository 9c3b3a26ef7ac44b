import FileProviderCore
import Foundation

/// Files that begin with an ID3 tag, or with MPEG audio.
struct MPEGParser: MediaParser {
    private static let maxUnsynchronisedSize: Int64 = 16 << 20
    /// How far behind the tag the sound may begin, since some writers understate the tag's length.
    private static let searched = 16 << 10

    private var window: ByteWindow
    private(set) var description = MediaDescription()
    private var tagDuration: Double?

    init(_ window: ByteWindow) {
        self.window = window
    }

    mutating func parse() async throws {
        var end: Int64 = 0
        let head = try await window.start(of: 0..<window.size, limit: Int(ID3Header.length))
        if let header = ID3Header(head) {
            end = header.total
            do {
                let tag = try await Self.tag(header, in: window, at: 0)
                window = tag.window
                description = tag.description
                tagDuration = description.duration
                description.duration = nil
            } catch is MediaFault {
                // Sound behind a damaged tag still has a length.
            }
        }
        guard end < window.size else { return }
        let start = try await window.start(of: end..<window.size, limit: Self.searched)
        if start.starts(with: "fLaC".utf8) {
            // The comments of the format itself take precedence.
            var found = try await MediaDescription.run(FLACParser(window, at: end))
            found.merge(description)
            description = found
            return
        }
        let sound = window.size - end
        description.duration =
            MPEGFrame.duration(start, audioBytes: sound) ?? ADTSFrame.duration(start, audioBytes: sound)
        // The older tag is at the end, and is read only if there is no newer one.
        if description.tags.isEmpty, window.reach == window.size, window.size >= 128 {
            readLastBytes(try await window.bytes(window.size - 128..<window.size))
        }
    }

    /// Fields of fixed length, filled with zeros or space (ID3v1).
    private mutating func readLastBytes(_ bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: "TAG".utf8) else { return }
        var rest = bytes.dropFirst(3)
        for (name, length) in [("TITLE", 30), ("ARTIST", 30), ("ALBUM", 30), ("DATE", 4), ("COMMENT", 28)] {
            description.add(name, MediaText.latin1(rest.prefix(length).prefix { $0 != 0 }))
            rest = rest.dropFirst(length)
        }
        // From version 1.1 on the comment ends with a zero and the number of the track.
        if rest.first == 0, let number = rest.big(1, 1), number > 0 { description.add("TRACKNUMBER", "\(number)") }
    }

    mutating func finish() async throws {
        description.duration = description.duration ?? tagDuration
    }

    /// The tag with `header` at `offset`, and the window at its end.
    static func tag(
        _ header: ID3Header, in window: ByteWindow, at offset: Int64
    ) async throws -> (description: MediaDescription, window: ByteWindow) {
        var window = window
        var content = offset + ID3Header.length..<min(offset + ID3Header.length + header.size, window.size)
        let plain: [UInt8]?
        // From version 2.4 on each frame has its own flag.
        if header.isUnsynchronised, header.version < 4 {
            guard header.size <= maxUnsynchronisedSize else { throw MediaFault.limit }
            plain = ID3Header.resynchronised(try await window.bytes(content))
        } else {
            plain = nil
        }
        var frames = ID3Frames(window, version: header.version)
        if let plain {
            frames = ID3Frames(try await ByteWindow(DataReader(Data(plain))), version: header.version)
            content = 0..<Int64(plain.count)
        }
        do {
            if header.hasExtension {
                content = try await skipExtension(content, header: header, window: &frames.window)
            }
            try await frames.read(content)
        } catch is MediaFault {
            // Keeps the frames before the damage.
        }
        frames.finish()
        guard let plain else { return (frames.description, frames.window) }
        return (frames.description.withPictures(from: plain), window)
    }

    /// The size of the extended header counts itself in version 2.4 only.
    private static func skipExtension(
        _ content: Range<Int64>, header: ID3Header, window: inout ByteWindow
    ) async throws -> Range<Int64> {
        let bytes = try await window.start(of: content, limit: 4)
        let size = header.version == 4 ? ID3Header.synchsafe(bytes) : bytes.big(0, 4).map { $0 + 4 }
        guard let size, size <= content.count else { throw MediaFault.malformed }
        return content.lowerBound + size..<content.upperBound
    }
}

extension MediaDescription {
    /// Returns a copy with pictures that are parts of `bytes` replaced by their bytes.
    fileprivate func withPictures(from bytes: [UInt8]) -> MediaDescription {
        mapPictures { picture in
            guard case .range(let range) = picture.content else { return picture }
            guard range.count <= MediaPicture.maxDecodedSize, range.upperBound <= bytes.count else { return nil }
            var picture = picture
            picture.content = .bytes(Data(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            return picture
        }
    }
}
