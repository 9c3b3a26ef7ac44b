// The media types of publications' resources. Those without a note are from the final Readium media type proposal.

// MARK: Images

extension MediaType {
    /// AVIF image.
    public static let avif = MediaType(constant: "image/avif", fileExtension: "avif")
    /// Windows bitmap image.
    public static let bmp = MediaType(constant: "image/bmp", fileExtension: "bmp")
    /// GIF image.
    public static let gif = MediaType(constant: "image/gif", fileExtension: "gif")
    /// HEIC image; not in the proposals.
    public static let heic = MediaType(constant: "image/heic", fileExtension: "heic")
    /// HEIF image; not in the proposals.
    public static let heif = MediaType(constant: "image/heif", fileExtension: "heif")
    /// JPEG image.
    public static let jpeg = MediaType(constant: "image/jpeg", fileExtension: "jpeg")
    /// JPEG XL image.
    public static let jxl = MediaType(constant: "image/jxl", fileExtension: "jxl")
    /// PNG image.
    public static let png = MediaType(constant: "image/png", fileExtension: "png")
    /// SVG drawing.
    public static let svg = MediaType(constant: "image/svg+xml", fileExtension: "svg")
    /// TIFF image.
    public static let tiff = MediaType(constant: "image/tiff", fileExtension: "tiff")
    /// WebP image.
    public static let webp = MediaType(constant: "image/webp", fileExtension: "webp")
}

// MARK: Sound and video

extension MediaType {
    /// AAC sound.
    public static let aac = MediaType(constant: "audio/aac", fileExtension: "aac")
    /// AIFF sound.
    public static let aiff = MediaType(constant: "audio/aiff", fileExtension: "aiff")
    /// FLAC sound; not in the proposals.
    public static let flac = MediaType(constant: "audio/flac", fileExtension: "flac")
    /// MIDI notes; not in the proposals.
    public static let midi = MediaType(constant: "audio/midi", fileExtension: "mid")
    /// MP3 sound.
    public static let mp3 = MediaType(constant: "audio/mpeg", fileExtension: "mp3")
    /// MPEG-4 sound, such as `m4a` and `m4b` files; not in the proposals.
    public static let mp4Audio = MediaType(constant: "audio/mp4", fileExtension: "m4a")
    /// Ogg sound.
    public static let ogg = MediaType(constant: "audio/ogg", fileExtension: "oga")
    /// Opus sound.
    public static let opus = MediaType(constant: "audio/opus", fileExtension: "opus")
    /// WAV sound.
    public static let wav = MediaType(constant: "audio/wav", fileExtension: "wav")
    /// WebM sound.
    public static let webmAudio = MediaType(constant: "audio/webm", fileExtension: "webm")
    /// AVI video.
    public static let avi = MediaType(constant: "video/x-msvideo", fileExtension: "avi")
    /// Matroska video; not in the proposals.
    public static let matroska = MediaType(constant: "video/matroska", fileExtension: "mkv")
    /// Matroska sound; not in the proposals.
    public static let matroskaAudio = MediaType(constant: "audio/matroska", fileExtension: "mka")
    /// MPEG-4 video; not in the proposals.
    public static let mp4Video = MediaType(constant: "video/mp4", fileExtension: "mp4")
    /// MPEG video.
    public static let mpeg = MediaType(constant: "video/mpeg", fileExtension: "mpeg")
    /// Ogg video.
    public static let ogv = MediaType(constant: "video/ogg", fileExtension: "ogv")
    /// QuickTime video; not in the proposals.
    public static let quickTime = MediaType(constant: "video/quicktime", fileExtension: "mov")
    /// WebM video.
    public static let webmVideo = MediaType(constant: "video/webm", fileExtension: "webm")
}

// MARK: Fonts

extension MediaType {
    /// OpenType font.
    public static let otf = MediaType(constant: "font/otf", fileExtension: "otf")
    /// Several OpenType fonts in one file; not in the proposals.
    public static let fontCollection = MediaType(constant: "font/collection", fileExtension: "ttc")
    /// TrueType font.
    public static let ttf = MediaType(constant: "font/ttf", fileExtension: "ttf")
    /// WOFF font.
    public static let woff = MediaType(constant: "font/woff", fileExtension: "woff")
    /// WOFF 2 font.
    public static let woff2 = MediaType(constant: "font/woff2", fileExtension: "woff2")
}

// MARK: Archives and bytes

extension MediaType {
    /// Bytes of unknown kind.
    public static let binary = MediaType(constant: "application/octet-stream")
    /// Gzip file.
    public static let gz = MediaType(constant: "application/gzip", fileExtension: "gz")
    /// Bzip2 file; not in the proposals.
    public static let bzip2 = MediaType(constant: "application/x-bzip2", fileExtension: "bz2")
    /// RAR archive; not in the proposals.
    public static let rar = MediaType(constant: "application/vnd.rar", fileExtension: "rar")
    /// 7z archive; not in the proposals.
    public static let sevenZip = MediaType(constant: "application/x-7z-compressed", fileExtension: "7z")
    /// TAR archive; not in the proposals.
    public static let tar = MediaType(constant: "application/x-tar", fileExtension: "tar")
    /// XZ file; not in the proposals.
    public static let xz = MediaType(constant: "application/x-xz", fileExtension: "xz")
    /// Zstandard file (RFC 8878); not in the proposals.
    public static let zstd = MediaType(constant: "application/zstd", fileExtension: "zst")
    /// ZIP archive.
    public static let zip = MediaType(constant: "application/zip", fileExtension: "zip")
}
