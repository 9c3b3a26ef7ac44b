/// Files that systems create in folders by themselves. They are not part of a publication.
package enum Litter {
    /// Names of folders in lower case: macOS, Synology, QNAP, NetApp, Windows, ext4.
    private static let folders: Set<String> = [
        "__macosx", "@eadir", "#recycle", "#snapshot", "@recycle", "@recently-snapshot", "@tmp", "$recycle.bin",
        "recycler",
        "system volume information", "found.000", "lost+found", "~snapshot", "network trash folder", "temporary items",
    ]
    /// Names of files in lower case.
    private static let files: Set<String> = ["thumbs.db", "ehthumbs.db", "desktop.ini"]

    /// Whether one of the names in `path`, separated by slashes, is litter, or begins with a dot as `.thumbnails` and
    /// `.DS_Store` do.
    package static func contains(_ path: String) -> Bool {
        // By bytes: a combining mark would make one character with the dot or the slash.
        let names = path.utf8.split(separator: UInt8(ascii: "/"))
        guard let last = names.last else { return false }
        if names.contains(where: { $0.first == UInt8(ascii: ".") || isLitter($0, folders) }) { return true }
        return isLitter(last, files)
    }

    private static func isLitter(_ name: Substring.UTF8View, _ known: Set<String>) -> Bool {
        // Longer names are never litter; skips the work for them.
        name.count <= 32 && known.contains(String(Substring(name)).lowercased())
    }
}
