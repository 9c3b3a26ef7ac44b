#if !Formats
    import FileProviderCore
    import MediaTags

    /// Lengths and tags of audio files without TagLib: those that audiobooks need, under the same names.
    enum AudioInformation {
        /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file without any of them; the reader's errors.
        /// - Complexity: As ``MediaDescription/read(_:reach:)``.
        static func properties(_ reader: any FileReader) async throws -> FileProperties {
            let found = try await MediaDescription.read(reader)
            guard found.duration != nil || !found.tags.isEmpty else {
                throw reader.damaged("it is not an audio file of a supported format")
            }
            var properties = AudioTags(found).properties
            if let duration = found.duration { properties.set("duration", .double(duration)) }
            return properties
        }
    }
#endif
