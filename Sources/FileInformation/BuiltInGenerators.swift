public import FileProviderCore

extension FileInformationGenerators {
    /// Returns a list with the built-in generators.
    public static func withBuiltInGenerators() -> FileInformationGenerators {
        let generators = FileInformationGenerators()
        generators.registerBuiltInGenerators()
        return generators
    }

    /// Adds the built-in generators after the existing ones: images, audio, PDF, EPUB and comic books.
    ///
    /// Without the package trait `Formats`, images and covers are refused with a sentence that names it, and audio
    /// files have only their length and the tags that audiobooks use.
    public func registerBuiltInGenerators() {
        let tools = PDFTools()
        registerLast([
            FileInformationGenerator(
                name: "PDF", fileExtensions: ["pdf"], mediaTypes: ["application/pdf"], properties: tools.properties,
                thumbnail: tools.thumbnail),
            .images, .audio, .epub, .comics,
        ])
    }
}

extension FileInformationGenerator {
    private static let imageExtensions: Set = ["jpg", "jpeg", "jpe", "jfif", "png", "webp"]
    private static let imageTypes: Set = ["image/jpeg", "image/png", "image/webp"]
    private static let audioExtensions: Set = ["mp3", "flac", "ogg", "oga", "opus", "m4a", "m4b", "mp4"]
    private static let audioTypes: Set = [
        "audio/mpeg", "audio/flac", "audio/x-flac", "audio/ogg", "audio/opus", "audio/mp4", "audio/x-m4a", "video/mp4",
    ]
    private static let comicTypes: Set = ["application/vnd.comicbook+zip", "application/x-cbz"]

    #if Formats
        static let images = FileInformationGenerator(
            name: "images", fileExtensions: imageExtensions, mediaTypes: imageTypes,
            properties: ImageInformation.properties,
            thumbnail: ImageInformation.thumbnail)
        static let audio = FileInformationGenerator(
            name: "audio", fileExtensions: audioExtensions, mediaTypes: audioTypes,
            properties: AudioInformation.properties)
        static let epub = FileInformationGenerator(
            name: "EPUB", fileExtensions: ["epub"], mediaTypes: ["application/epub+zip"],
            properties: EPUBInformation.properties,
            thumbnail: EPUBInformation.thumbnail)
        static let comics = FileInformationGenerator(
            name: "comic books", fileExtensions: ["cbz"], mediaTypes: comicTypes,
            properties: ComicInformation.properties,
            thumbnail: ComicInformation.thumbnail)
    #else
        private static let missing = MissingTrait(name: "Formats", purpose: "reads images and makes thumbnails")
        static let images = FileInformationGenerator(
            name: "images", fileExtensions: imageExtensions, mediaTypes: imageTypes, missingTrait: missing)
        static let audio = FileInformationGenerator(
            name: "audio", fileExtensions: audioExtensions, mediaTypes: audioTypes,
            properties: AudioInformation.properties)
        static let epub = FileInformationGenerator(
            name: "EPUB", fileExtensions: ["epub"], mediaTypes: ["application/epub+zip"],
            properties: EPUBInformation.properties,
            missingTrait: missing)
        static let comics = FileInformationGenerator(
            name: "comic books", fileExtensions: ["cbz"], mediaTypes: comicTypes,
            properties: ComicInformation.properties,
            missingTrait: missing)
    #endif
}
