import Foundation

extension LayeredFileProvider {
    /// Makes a change of one item, between the layer's two calls.
    func changing<Value>(
        _ kind: LayerChange.Kind, _ path: ProviderPath, _ body: (ProviderPath) async throws -> Value
    ) async throws -> Value {
        try await changing(LayerChange(kind: kind, paths: [path])) { try await body($0[0]) }
    }

    /// Makes a change that leads from one path to another.
    func changing<Value>(
        _ kind: LayerChange.Kind, _ path: ProviderPath, _ destination: ProviderPath,
        _ body: (ProviderPath, ProviderPath) async throws -> Value
    ) async throws -> Value {
        try await changing(LayerChange(kind: kind, paths: [path, destination])) { try await body($0[0], $0[1]) }
    }

    private func changing<Value>(
        _ change: LayerChange, _ body: ([ProviderPath]) async throws -> Value
    ) async throws -> Value {
        let locations = try change.paths.map { try layer.basePath(of: $0) }
        // To the base, the layer's root is a folder like any other; its own root it protects itself.
        if let number = change.paths.indices.first(where: { change.paths[$0].isRoot && !locations[$0].isRoot }),
            let error = change.rootError(isDestination: number > 0)
        {
            throw error
        }
        defer { layer.didChange(change) }
        return try await translatingErrors { try await body(locations) }
    }

    /// An item of the base as callers know it; nil if they do not.
    func shown(_ item: FileObject) -> FileObject? { layer.path(ofBase: item.path).map { shown(item, as: $0) } }

    /// An item of the base that callers know as `path`.
    func shown(_ item: FileObject, as path: ProviderPath) -> FileObject {
        guard item.path != path else { return item }
        var item = item
        // A provider that addresses by identifier has a name of its own for each item.
        if path.isRoot || item.name == item.path.name { item.name = path.name }
        item.path = path
        return item
    }

    /// Runs `body`; its errors name the paths that callers know.
    func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw translated(error) }
    }

    /// An error of the base under the path that callers know. Errors without a path, and of items that are not shown,
    /// stay as they are.
    func translated(_ error: any Error) -> any Error {
        guard let error = error as? CocoaError, let text = error.userInfo[NSFilePathErrorKey] as? String,
            let location = try? ProviderPath(text), let path = layer.path(ofBase: location), path != location
        else { return error }
        var info = error.userInfo
        info[NSFilePathErrorKey] = path.string
        info[NSLocalizedDescriptionKey] = (info[NSLocalizedDescriptionKey] as? String)?
            .replacingOccurrences(of: "“\(location)”", with: "“\(path)”")
        return CocoaError(error.code, userInfo: info)
    }
}
