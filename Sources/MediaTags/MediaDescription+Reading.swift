public import FileProviderCore
import Foundation

extension MediaDescription {
    /// Reads the description of the sound file in `reader`: MP4 and QuickTime, ID3, MPEG audio and AAC, FLAC, Ogg
    /// (Vorbis, Opus, FLAC, Speex), WAV and AIFF. Other and damaged files are described as far as possible.
    ///
    /// - Parameter reach: The offset at which reading ends, for files whose end costs as much as the whole to reach.
    /// - Throws: The reader's errors only.
    /// - Complexity: One range of 32 KiB, and one more for each distant place with tags: sound, pictures and sample
    ///   tables are skipped. At most 128 ranges and 32 MiB.
    public static func read(_ reader: any FileReader, reach: Int64 = .max) async throws -> MediaDescription {
        let window = try await ByteWindow(reader, reach: reach)
        guard let start = window.peek(0..<min(12, window.size)) else { return MediaDescription() }
        if start.starts(with: "fLaC".utf8) { return try await run(FLACParser(window, at: 0)) }
        if start.starts(with: "OggS".utf8) { return try await run(OggParser(window)) }
        if start.starts(with: "RIFF".utf8) || start.starts(with: "RF64".utf8) {
            return try await run(ChunkParser(window, isLittle: true))
        }
        if start.starts(with: "FORM".utf8) { return try await run(ChunkParser(window, isLittle: false)) }
        if MP4Parser.boxesAtStart.contains(MediaText.fourCharacters(start.dropFirst(4))) {
            return try await run(MP4Parser(window))
        }
        return try await run(MPEGParser(window))
    }
}
