import Foundation

/// Shows no item of its base.
struct EmptyLayer: FileProviderLayer {
    func basePath(of path: ProviderPath) throws -> ProviderPath {
        throw FileError.make(.fileReadNoPermission, path: path)
    }

    func path(ofBase path: ProviderPath) -> ProviderPath? { nil }
}
