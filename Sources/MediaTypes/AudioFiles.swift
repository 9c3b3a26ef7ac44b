/// Recognises the files of an audiobook by their extensions in lower case.
package enum AudioFiles {
    /// Extensions that are registered for another type, or not at all.
    private static let more: [String: String] = ["alac": "audio/alac", "mogg": "audio/ogg", "webm": "audio/webm"]

    /// All but the last are in Readium's media type proposal.
    package static let playlists: Set<String> = [
        "asx", "bio", "m3u", "m3u8", "pla", "pls", "smil", "vlc", "wpl", "xspf", "zpl", "cue",
    ]

    /// Returns the type of a sound file with this extension; for other extensions, their usual type.
    package static func type(fileExtension: String) -> MediaType? {
        more[fileExtension].flatMap { MediaType($0) } ?? MediaType.known(fileExtension: fileExtension)
    }

    package static func isSound(fileExtension: String) -> Bool { type(fileExtension: fileExtension)?.isAudio == true }
}
