import FileProviderCore
import SFTPEngine

/// The entries of one folder as items. Leaves out names that no path can hold, and names that were listed before.
struct SFTPEntries {
    let folder: ProviderPath
    /// The names that were left out.
    private(set) var unusable = UnusableNames()
    /// Hashes of the names so far, which take less memory than the names of a large folder.
    private var seen: Set<Int> = []

    init(folder: ProviderPath) { self.folder = folder }

    /// - Returns: Nil for the folder itself and the one above it, and for an entry that is left out.
    mutating func object(_ name: SFTPName) -> FileObject? {
        let dot = UInt8(ascii: ".")
        if name.filename == [dot] || name.filename == [dot, dot] { return nil }
        guard let path = try? folder.appending(nameBytes: name.filename), seen.insert(name.filename.hashValue).inserted
        else {
            unusable.add(nameBytes: name.filename)
            return nil
        }
        return FileObject(name.attributes, at: path, longname: name.longname)
    }
}
