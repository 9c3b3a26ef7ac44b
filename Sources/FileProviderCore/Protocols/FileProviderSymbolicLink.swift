/// Creating symbolic links and following them.
///
/// Without this protocol, a link at most shows in listings as ``FileType/symbolicLink``. Attributes, moves and removals
/// concern the link itself; reading follows it, if it stays below the root.
public protocol FileProviderSymbolicLink: FileProviderBasic {
    /// Creates a symbolic link at `path`, in a folder that exists.
    ///
    /// - Parameter target: The text to store, as for symlink(2): relative to the link's folder unless it starts with a
    ///   slash; 1 to 4,095 bytes without NUL. The target need not exist.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is an item at `path`; `CocoaError(.fileNoSuchFile)`
    ///   without its parent; `CocoaError(.fileWriteInvalidFileName)` for a target that cannot be stored.
    /// - Complexity: One request.
    func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws

    /// Returns the item that the link at `path` finally leads to, following links on the way.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no item; `CocoaError(.fileReadNoPermission)` if it leads
    ///   out of the root; `CocoaError(.fileReadUnknown)` with `ELOOP` below it for links in a circle, with `EINVAL` if
    ///   `path` is no link.
    func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject
}

extension FileProviderSymbolicLink {
    /// Creates a link at `path` to the item at `destination`, stored relative to the link's folder so that it still
    /// holds when the tree is moved.
    public func createSymbolicLink(path: ProviderPath, to destination: ProviderPath) async throws {
        try await createSymbolicLink(path: path, target: Self.relativeTarget(from: path, to: destination))
    }

    /// Creates a link that holds `text`, in which bytes that are not UTF-8 are escaped as in ``ProviderPath``.
    public func createSymbolicLink(path: ProviderPath, text: String) async throws {
        try await createSymbolicLink(path: path, target: NameEscape.bytes(of: text))
    }

    private static func relativeTarget(from path: ProviderPath, to destination: ProviderPath) -> [UInt8] {
        let folder = path.parent?.components ?? []
        let wanted = destination.components
        let shared = zip(folder, wanted).prefix { $0 == $1 }.count
        let names = Array(repeating: ArraySlice("..".utf8), count: folder.count - shared) + wanted[shared...]
        return names.isEmpty ? Array(".".utf8) : Array(names.joined(separator: "/".utf8))
    }
}
