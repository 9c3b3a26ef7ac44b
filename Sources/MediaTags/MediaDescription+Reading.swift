public import FileProviderCore
import Foundation

extension MediaDescription {
    /// Reads what the sound file behind `reader` says of itself: MP4 and QuickTime, ID3, MPEG audio and AAC, FLAC, Ogg
    /// (Vorbis, Opus, FLAC, Speex), WAV and AIFF. What is none of these, or damaged, is described as far as it can be.
    ///
    /// - Parameter reach: Nothing is read beyond this offset, for files of which the end costs as much as the whole.
    /// - Throws: The reader's errors only.
    /// - Complexity: One range of 32 KiB, and one more for each place with tags that is further away: sound, pictures
    ///   and sample tables are skipped. At most 128 ranges and 32 MiB.
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
