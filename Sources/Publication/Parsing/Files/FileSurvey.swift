import MediaTypes

/// What the files make of an archive or a folder that is no publication by its type: an audiobook, a comic, or neither.
///
/// Other files may lie beside the sounds or the pictures if they are fewer, or a sound is long, and none of them is a
/// program: somebody put them there along with the book. What cannot be a companion says that the folder is something
/// else.
struct FileSurvey {
    enum Kind {
        case sound
        case pictures
    }

    /// A sound of more bytes than this is no mere effect; 1 MiB.
    private static let longSound: Int64 = 1 << 20

    let kind: Kind?

    /// - Parameter files: Without litter.
    init(_ files: [ListedFile]) {
        let tracks = files.filter { AudioFiles.isTrack($0) }
        let pictures = files.filter { ImageFiles.isPage($0) }
        let books = files.filter { BookFiles.isBook($0) }
        let others = files.filter { file in
            !AudioFiles.isTrack(file) && !ImageFiles.isPage(file) && !BookFiles.isBook(file)
                && !Companions.areKnown(file)
        }
        // Which of two books is meant nobody can tell.
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

    /// Whether an audiobook lists it among its resources.
    static func isListed(_ file: ListedFile) -> Bool { ["epub", "pdf"].contains(file.fileExtension) }

    /// That two books lie side by side, with the names of both; nil where there are fewer than two in `paths`.
    static func severalBooks(_ paths: some Sequence<String>, in name: String) -> String? {
        let books = paths.filter { !Litter.contains($0) && isBook(ListedFile(Link(href: HREF.encode($0)))) }
        guard books.count > 1 else { return nil }
        let more = books.count > 2 ? ", and \(books.count - 2) more" : ""
        return "“\(name)” is no book: “\(books[0])” and “\(books[1])” lie side by side in it\(more); open one of them."
    }
}

/// Files that come with sounds or pictures.
enum Companions {
    private static let known: Set<String> = [
        // What programs and people note about a book.
        "abs", "acbf", "csv", "doc", "docx", "info", "ini", "json", "log", "md", "nfo", "odt", "opf", "plist", "rtf",
        "txt", "url",
        "webloc",
        "xml", "yaml", "yml", "lnk", "accurip", "toc", "ncx",
        // Words to the sound.
        "ass", "lrc", "smi", "srt", "ssa", "sub", "sup", "vtt",
        // Checksums, and how the files came here.
        "crc", "ffp", "md5", "nzb", "par2", "sfv", "sha", "sha1", "sha256", "sha512", "st5", "torrent", "asc", "sig",
        // Leftovers.
        "bak", "db", "tmp", "part", "peak", "pk", "sfk", "reapeaks",
    ]

    /// Web pages: notes beside sound; beside pictures the book itself, whose pictures they are.
    static let pagesOfTheWeb: Set<String> = ["htm", "html", "mht", "mhtml", "xhtml"]

    /// What makes a folder a program, its source, or a web site.
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
