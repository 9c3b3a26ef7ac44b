/// Making symbolic links and looking where they lead.
///
/// Elsewhere a link shows in listings as ``FileType/symbolicLink`` at most. Looking at a link, moving and removing it
/// mean the link itself; reading follows it, as far as it stays below the root.
public protocol FileProviderSymbolicLink: FileProviderBasic {
    /// Makes a symbolic link at `path`, in a folder that exists.
    ///
    /// - Parameter target: What is stored, as symlink(2) takes it: counted from the link's own folder unless it starts
    ///   with a slash; 1 to 4,095 bytes without NUL. Nothing has to be there.
    /// - Throws: `CocoaError(.fileWriteFileExists)` when anything is at `path`; `CocoaError(.fileNoSuchFile)` without
    ///   its parent; `CocoaError(.fileWriteInvalidFileName)` for a target that cannot be stored.
    /// - Complexity: One request.
    func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws

    /// What the link at `path` leads to in the end, over as many links as there are on the way.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` when nothing is there; `CocoaError(.fileReadNoPermission)` when it
    ///   leads out of the root; `CocoaError(.fileReadUnknown)` with `ELOOP` below it for links in a circle, with
    ///   `EINVAL` where `path` is no link.
    func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject
}

extension FileProviderSymbolicLink {
    /// Makes a link at `path` to the item at `destination`, stored relative to the link's folder so that it holds when
    /// the tree is moved.
    public func createSymbolicLink(path: ProviderPath, to destination: ProviderPath) async throws {
        try await createSymbolicLink(path: path, target: Self.relativeTarget(from: path, to: destination))
    }

    /// Makes a link that holds `text`, in which bytes that are not UTF-8 are escaped as in ``ProviderPath``.
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
