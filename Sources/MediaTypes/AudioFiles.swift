/// Which files an audiobook consists of, by their extensions in lower case.
package enum AudioFiles {
    /// Those whose extension is registered for something else, or not at all.
    private static let more: [String: String] = ["alac": "audio/alac", "mogg": "audio/ogg", "webm": "audio/webm"]

    /// Readium's media type proposal has these, but for the last.
    package static let playlists: Set<String> = [
        "asx", "bio", "m3u", "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl", "cue",
    ]

    /// The type of a file among sound files; that of any other where it is none.
    package static func type(fileExtension: String) -> MediaType? {
        more[fileExtension].flatMap { MediaType($0) } ?? MediaType.known(fileExtension: fileExtension)
    }

    package static func isSound(fileExtension: String) -> Bool { type(fileExtension: fileExtension)?.isAudio == true }
}
