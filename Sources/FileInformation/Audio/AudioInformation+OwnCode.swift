#if !Formats
    import FileProviderCore
    import MediaTags

    /// Lengths and tags of audio files without TagLib: what audiobooks need, under the same names.
    enum AudioInformation {
        /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that says nothing; the reader's errors.
        /// - Complexity: As ``MediaDescription/read(_:reach:)``.
        static func properties(_ reader: any FileReader) async throws -> FileProperties {
            let found = try await MediaDescription.read(reader)
            guard found.duration != nil || !found.tags.isEmpty else {
                throw reader.damaged("it is no audio file of a kind that is known here")
            }
            var properties = AudioTags(found).properties
            if let duration = found.duration { properties.set("duration", .double(duration)) }
            return properties
        }
    }
#endif
