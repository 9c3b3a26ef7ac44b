#if Formats
    import CAudioTags
    import FileProviderCore
    import Foundation

    /// Reads tags of audio files with TagLib: ID3, APE, Vorbis comments, MP4.
    enum AudioInformation {
        /// - Complexity: Ranges of a few KiB where the tags are; a tag with a picture is read with it.
        static func properties(_ reader: any FileReader) async throws -> FileProperties {
            let size = try await reader.attributes().size
            let kind = try await kind(of: reader)
            let flag = CancellationFlag()
            let source = BlockingReader(reader, flag: flag)
            return try await withTaskCancellationHandler {
                try await InformationThreads.tags.run { try parse(kind, source, size: size, path: reader.path) }
            } onCancel: {
                source.cancel()
            }
        }

        /// Decides by the first bytes, whatever the name; an unrecognised file may contain an MPEG frame anywhere.
        private static func kind(of reader: any FileReader) async throws -> carrel_audio_kind {
            let start = Array(try await reader.read(0..<64))
            if start.starts(with: "fLaC".utf8) { return carrel_audio_flac }
            if start.dropFirst(4).starts(with: "ftyp".utf8) { return carrel_audio_mp4 }
            if start.starts(with: "OggS".utf8) {
                return start.dropFirst(28).starts(with: "OpusHead".utf8) ? carrel_audio_opus : carrel_audio_vorbis
            }
            // An ID3 tag in front of FLAC is invalid, but occurs.
            return reader.path.fileExtension == "flac" ? carrel_audio_flac : carrel_audio_mpeg
        }

        /// The state of the callbacks from C.
        private final class Work {
            let source: BlockingReader
            var tags: [(key: String, value: String)] = []

            init(_ source: BlockingReader) {
                self.source = source
            }
        }

        private static func parse(
            _ kind: carrel_audio_kind, _ source: BlockingReader, size: Int64, path: ProviderPath
        ) throws -> FileProperties {
            let work = Work(source)
            var facts = carrel_audio_facts()
            let result = withExtendedLifetime(work) {
                carrel_audio_parse(kind, size, Unmanaged.passUnretained(work).toOpaque(), read, take, &facts)
            }
            if let failure = source.failure { throw failure }
            guard result == 1 else {
                let why =
                    result == 0
                    ? "it is not an audio file of a supported format" : "its tags are invalid or cut off"
                throw FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is damaged: \(why).")
            }
            var properties = AudioTags(work.tags).properties
            if facts.milliseconds > 0 { properties.set("duration", .double(Double(facts.milliseconds) / 1000)) }
            if facts.bitrate > 0 { properties.set("bitRate", .integer(Int64(facts.bitrate) * 1000)) }
            if facts.sample_rate > 0 { properties.set("sampleRate", .integer(Int64(facts.sample_rate))) }
            if facts.channels > 0 { properties.set("channels", .integer(Int64(facts.channels))) }
            return properties
        }

        private static let read: carrel_audio_read = { context, offset, buffer, count in
            guard let context, let buffer else { return -1 }
            let work = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue()
            return work.source.read(at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) ?? -1
        }

        private static let take: carrel_audio_tag = { context, key, value in
            guard let context, let key, let value else { return }
            let work = Unmanaged<Work>.fromOpaque(context).takeUnretainedValue()
            guard work.tags.count < InformationLimits.properties else { return }
            work.tags.append((String(cString: key), String(cString: value)))
        }
    }
#endif
