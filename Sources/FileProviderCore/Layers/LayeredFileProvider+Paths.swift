import Foundation

extension LayeredFileProvider {
    /// Makes a change of one item, between the layer's two calls.
    func changing<Value>(
        _ kind: LayerChange.Kind, _ path: ProviderPath, _ body: (ProviderPath) async throws -> Value
    ) async throws -> Value {
        try await changing(LayerChange(kind: kind, paths: [path])) { try await body($0[0]) }
    }

    /// Makes a change from one path to another.
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
        // To the base, the layer's root is a folder like any other; the base protects only its own root.
        if let number = change.paths.indices.first(where: { change.paths[$0].isRoot && !locations[$0].isRoot }),
            let error = change.rootError(isDestination: number > 0)
        {
            throw error
        }
        try await layer.willChange(change)
        defer { layer.didChange(change) }
        return try await translatingErrors { try await body(locations) }
    }

    /// Returns an item of the base as callers know it; nil if the layer hides it.
    func shown(_ item: FileObject) -> FileObject? { layer.path(ofBase: item.path).map { shown(item, as: $0) } }

    /// Returns an item of the base that callers know as `path`.
    func shown(_ item: FileObject, as path: ProviderPath) -> FileObject {
        guard item.path != path else { return item }
        var item = item
        // A provider that addresses by identifier has a separate name for each item.
        if path.isRoot || item.name == item.path.name { item.name = path.name }
        item.path = path
        return item
    }

    /// Runs `body`; its errors name the paths that callers know.
    func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw translated(error) }
    }

    /// Returns an error of the base under the path that callers know, with the errors below it. Errors without a path,
    /// and of hidden items, stay as they are.
    func translated(_ error: any Error) -> any Error {
        switch error {
        case let error as CocoaError: relocated(error)
        case let error as URLError: relocated(error)
        case let error as any RelocatableError: relocated(error)
        default: error
        }
    }

    private func relocated(_ error: CocoaError) -> CocoaError {
        guard let text = error.userInfo[NSFilePathErrorKey] as? String, let location = try? ProviderPath(text),
            let path = layer.path(ofBase: location), path != location
        else { return error }
        var info = error.userInfo
        info[NSFilePathErrorKey] = path.string
        info[NSLocalizedDescriptionKey] = (info[NSLocalizedDescriptionKey] as? String)?
            .replacingOccurrences(of: "“\(location)”", with: "“\(path)”")
        info[NSUnderlyingErrorKey] = (info[NSUnderlyingErrorKey] as? any Error).map(translated)
        return CocoaError(error.code, userInfo: info)
    }

    /// A `URLError` has the path in its URL and its sentence only.
    private func relocated(_ error: URLError) -> URLError {
        guard let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL,
            let location = try? base.relativePath(of: url), let path = layer.path(ofBase: location), path != location
        else { return error }
        var info = error.userInfo
        info[NSLocalizedDescriptionKey] = (info[NSLocalizedDescriptionKey] as? String)?
            .replacingOccurrences(of: "“\(location)”", with: "“\(path)”")
        info[NSUnderlyingErrorKey] = (info[NSUnderlyingErrorKey] as? any Error).map(translated)
        return URLError(error.code, userInfo: info)
    }

    private func relocated(_ error: any RelocatableError) -> any Error {
        guard let location = try? ProviderPath(error.path), let path = layer.path(ofBase: location), path != location
        else { return error }
        return error.about(path)
    }
}
