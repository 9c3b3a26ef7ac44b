import MediaTypes

/// Which files a comic consists of.
enum ImageFiles {
    /// Files that accompany the pictures and are not part of the comic.
    private static let others: Set<String> = ["acbf", "txt", "nfo", "xml"]

    static func type(_ file: ListedFile) -> MediaType? {
        MediaType.known(fileExtension: file.fileExtension).flatMap { $0.isBitmap ? $0 : nil }
    }

    static func isPage(_ file: ListedFile) -> Bool { type(file) != nil }

    static func mayLie(inComic file: ListedFile) -> Bool { isPage(file) || others.contains(file.fileExtension) }
}
