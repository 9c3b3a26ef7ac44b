public import FileProviderCore

extension TreeSelection {
    /// Creates a selection from ``SyncFilter`` patterns and a list of paths.
    ///
    /// - Parameters:
    ///   - including: If not empty, only items that match one of these patterns are selected, with everything in them.
    ///   - excluding: Items that match one of these patterns are never selected, nor is anything in them.
    ///   - paths: If given, only these items are selected, with everything in them. Paths are relative to the folder
    ///     that is copied or removed; the root is that folder.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a pattern that ``SyncFilter/init(_:)`` refuses.
    public init(including: [String] = [], excluding: [String] = [], paths: Set<ProviderPath>? = nil) throws {
        let rules = excluding.map { "- " + $0 } + including.flatMap { Self.rules(including: $0) }
        let own = try SyncFilter(rules + (including.isEmpty ? [] : ["- *"]))
        let way = try SyncFilter(rules + (including.isEmpty ? [] : ["+ */", "- *"]))
        let onTheWay = paths.map { Set($0.flatMap { Self.folders(of: $0) }) }
        let takesTop = including.isEmpty && paths?.contains(.root) != false
        self.init { path, isFolder in
            if path.isRoot { return takesTop ? .taken : .passed }
            let byPattern: Part =
                own.includes(path, isFolder: isFolder)
                ? .taken : way.includes(path, isFolder: isFolder) ? .passed : .leftOut
            guard let paths, let onTheWay, byPattern != .leftOut else { return byPattern }
            if paths.contains(path) || Self.folders(of: path).contains(where: paths.contains) { return byPattern }
            return isFolder && onTheWay.contains(path) ? .passed : .leftOut
        }
    }

    /// Parses one line of a list of paths, such as `find` prints. A leading slash or `./` is ignored.
    ///
    /// - Returns: The path, relative to the listed folder, or `nil` for an empty line.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for `..`, an empty name or NUL.
    public static func path(ofLine line: some Sequence<UInt8>) throws -> ProviderPath? {
        let line = Array(line)
        if line.isEmpty { return nil }
        let dot = [UInt8(ascii: ".")]
        let names = line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).filter {
            Array($0) != dot
        }
        return try ProviderPath(bytes: names.joined(separator: CollectionOfOne(UInt8(ascii: "/"))))
    }

    /// The rules that include everything that `pattern` matches, and its content.
    private static func rules(including pattern: String) -> [String] {
        if pattern.hasSuffix("**") { return ["+ " + pattern] }
        let item = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
        return ["+ " + pattern, "+ " + (item.contains("/") ? "" : "**/") + item + "/**"]
    }

    /// The folders that an item is in, the root among them.
    private static func folders(of path: ProviderPath) -> [ProviderPath] {
        var (folders, item) = ([ProviderPath](), path)
        while let parent = item.parent {
            folders.append(parent)
            item = parent
        }
        return folders
    }
}
