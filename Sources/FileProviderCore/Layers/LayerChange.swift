import Foundation

/// A change that a caller asks of a provider with a layer.
public struct LayerChange: Sendable, Hashable {
    /// What is changed. The raw value follows “cannot” in a sentence.
    public enum Kind: String, Sendable, Hashable {
        /// Making a folder.
        case createFolder = "make folders"
        /// Writing a file, new or existing.
        case write
        /// Adding bytes at the end of a file.
        case append
        /// Moving or renaming.
        case move
        /// Copying within the provider.
        case copy
        /// Removing an item with everything in it.
        case remove
        /// Setting permissions, times or extended attributes.
        case setAttributes = "set attributes"
        /// Making a symbolic link.
        case createSymbolicLink = "make symbolic links"
        /// Making a link under which anybody can read an item.
        case share = "make public links"
        /// Restoring an item of the trash, or a version of a file.
        case restore
        /// Removing an item of the trash for good.
        case removeFromTrash = "remove items from the trash"
    }

    /// What is changed.
    public let kind: Kind
    /// The items, as callers know them; source and destination of a move or a copy.
    public let paths: [ProviderPath]

    /// The error with which a provider refuses this change of its root; nil if the change is possible.
    ///
    /// - Parameter isDestination: Whether the root is the destination of a move or a copy.
    func rootError(isDestination: Bool) -> CocoaError? {
        switch kind {
        case .write, .append: FileError.isADirectory(.root, writing: true)
        case .createFolder, .createSymbolicLink: FileError.make(errno: EEXIST, path: .root, writing: true)
        case .move, .copy:
            isDestination
                ? FileError.make(errno: EEXIST, path: .root, writing: true)
                : Self.rootIsFixed(kind == .move ? "moved" : "copied")
        case .remove: Self.rootIsFixed("removed")
        case .setAttributes, .share, .restore, .removeFromTrash: nil
        }
    }

    private static func rootIsFixed(_ verb: String) -> CocoaError {
        FileError.make(
            .fileWriteNoPermission, path: .root, sentence: "The root of a provider cannot be \(verb).")
    }

    /// The items that differ afterwards: all but the source of a copy.
    public var changedPaths: [ProviderPath] { kind == .copy ? Array(paths.dropFirst()) : paths }
}
