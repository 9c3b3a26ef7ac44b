public import Foundation

/// A package trait that this build lacks: an error itself, or the underlying error of an operation that needs the
/// trait.
public struct MissingTrait: LocalizedError, Hashable, Sendable {
    /// The trait's name in `Package.swift`, such as `Formats`.
    public var name: String
    /// What the trait does, such as “reads images and makes thumbnails”.
    public var purpose: String

    /// A trait that is missing. `purpose` completes “which …”.
    public init(name: String, purpose: String) {
        self.name = name
        self.purpose = purpose
    }

    /// One sentence that names the trait and what it does.
    public var errorDescription: String? {
        "This Carrel was built without the package trait \(name), which \(purpose)."
    }
}

extension FileError {
    /// The file at `path` cannot be read because this build lacks a package trait.
    public static func missing(_ trait: MissingTrait, path: String) -> CocoaError {
        make(.featureUnsupported, path: path, sentence: trait.sentence, underlying: trait)
    }
}

extension Error {
    /// The package trait whose absence is the reason for this error, or `nil` if the reason is another one.
    public var missingTrait: MissingTrait? {
        self as? MissingTrait ?? (self as? CocoaError)?.underlying as? MissingTrait
    }
}
