import Foundation

/// Comics in archives that are no ZIP archives.
extension SamplePublication {
    #if Formats
        static let packedComics: [SamplePublication] = [
            comic(
                "cbr", "application/vnd.comicbook-rar",
                RARBuilder.version5(pages.map { RARBuilder.File($0.name, $0.content) })),
            comic(
                "old.cbr", "application/vnd.comicbook-rar",
                RARBuilder.version4(pages.map { RARBuilder.File($0.name, $0.content) })),
            comic("cb7", "application/x-cb7", StoredArchives.sevenZip(pages)),
            comic("cbt", "application/x-cbt", StoredArchives.tar(pages)),
        ]

        private static let pages = ["page10.png", "page2.png", "page1.png"].map { (name: $0, content: png) }

        private static func comic(_ ending: String, _ mediaType: String, _ data: Data) -> SamplePublication {
            let name = "comic.\(ending)"
            return SamplePublication(
                fileName: name, mediaType: mediaType, title: String(name.dropLast(4)), start: png.prefix(8),
                count: pages.count,
                files: [(name, data)])
        }
    #else
        static let packedComics: [SamplePublication] = []
    #endif
}
