import MediaTypes

/// Decides by its files whether an archive or a folder without a publication's type is an audiobook, a comic, or
/// neither.
///
/// Other files may be beside the sounds or the pictures if they are fewer, or if a sound is long, and if none of them
/// is a program: people keep such companions with a book. Other kinds of files mean that the folder is something else.
struct FileSurvey {
    enum Kind {
        case sound
        case pictures
    }

    /// A sound of more bytes than this is not a sound effect; 1 MiB.
    private static let longSound: Int64 = 1 << 20

    let kind: Kind?

    /// - Parameter files: The files, without litter.
    init(_ files: [ListedFile]) {
        let tracks = files.filter { AudioFiles.isTrack($0) }
        let pictures = files.filter { ImageFiles.isPage($0) }
        let books = files.filter { BookFiles.isBook($0) }
        let others = files.filter { file in
            !AudioFiles.isTrack(file) && !ImageFiles.isPage(file) && !BookFiles.isBook(file)
                && !Companions.areKnown(file)
        }
        // With two books, there is no telling which is meant.
        guard books.count <= 1, !others.contains(where: { Companions.programs.contains($0.fileExtension) }) else {
            kind = nil
            return
        }
        let pages = pictures.count { !AudioFiles.coverStems.contains($0.stem) }
        let hasLongSound = tracks.contains { $0.link.size ?? 0 > Self.longSound }
        if hasLongSound || tracks.count > pages {
            kind = hasLongSound || others.count < tracks.count ? .sound : nil
            return
        }
        // The pictures beside an EPUB are its cover; a PDF may come with a comic.
        let isComic = books.allSatisfy { $0.fileExtension == "pdf" } && books.count < pictures.count
        let strangers = others + files.filter { Companions.pagesOfTheWeb.contains($0.fileExtension) }
        let hasVideo = files.contains {
            MediaType.known(fileExtension: $0.fileExtension)?.isVideo == true && !AudioFiles.isTrack($0)
        }
        kind = isComic && !hasVideo && strangers.count < pictures.count && !pictures.isEmpty ? .pictures : nil
    }
}

/// Files that are a whole book each.
enum BookFiles {
    private static let more: Set<String> = ["mobi", "azw", "azw3", "kfx", "fb2", "djvu"]

    static func isBook(_ file: ListedFile) -> Bool {
        let name = file.fileExtension
        return more.contains(name) || name != "json" && MediaType.known(fileExtension: name)?.isPublication == true
    }

    /// Whether an audiobook lists such a file among its resources.
    static func isListed(_ file: ListedFile) -> Bool { ["epub", "pdf"].contains(file.fileExtension) }

    /// Returns a sentence that names two of several books in `paths`; nil if there are fewer than two.
    static func severalBooks(_ paths: some Sequence<String>, in name: String) -> String? {
        let books = paths.filter { !Litter.contains($0) && isBook(ListedFile(Link(href: HREF.encode($0)))) }
        guard books.count > 1 else { return nil }
        let more = books.count > 2 ? ", and \(books.count - 2) more" : ""
        return "“\(name)” contains several books, “\(books[0])” and “\(books[1])”\(more); open one of them."
    }
}

/// Files that come with sounds or pictures.
enum Companions {
    private static let known: Set<String> = [
        // Notes of programs and people about a book.
        "abs", "acbf", "csv", "doc", "docx", "info", "ini", "json", "log", "md", "nfo", "odt", "opf", "plist", "rtf",
        "txt", "url",
        "webloc",
        "xml", "yaml", "yml", "lnk", "accurip", "toc", "ncx",
        // Lyrics and subtitles.
        "ass", "lrc", "smi", "srt", "ssa", "sub", "sup", "vtt",
        // Checksums, and traces of a download.
        "crc", "ffp", "md5", "nzb", "par2", "sfv", "sha", "sha1", "sha256", "sha512", "st5", "torrent", "asc", "sig",
        // Leftovers.
        "bak", "db", "tmp", "part", "peak", "pk", "sfk", "reapeaks",
    ]

    /// Web pages. Beside sound they are notes; beside pictures they are the book itself.
    static let pagesOfTheWeb: Set<String> = ["htm", "html", "mht", "mhtml", "xhtml"]

    /// Extensions that mark a folder as a program, its source, or a web site.
    static let programs: Set<String> = [
        "apk", "app", "asp", "aspx", "bat", "c", "cc", "class", "cmd", "com", "cpp", "cs", "css", "deb", "dll", "dmg",
        "dylib", "exe", "go",
        "h", "hpp", "img", "iso", "jar", "java", "js", "jsp", "kt", "lua", "m", "mjs", "mm", "msi", "php", "pl", "ps1",
        "py", "rb", "rpm",
        "rs", "sh", "sln", "so", "swift", "sys", "ts", "tsx", "vb", "vue", "wasm",
    ]

    static func areKnown(_ file: ListedFile) -> Bool {
        let name = file.fileExtension
        return known.contains(name) || pagesOfTheWeb.contains(name) || AudioFiles.playlists.contains(name)
    }
}
