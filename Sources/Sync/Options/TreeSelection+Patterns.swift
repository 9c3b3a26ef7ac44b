public import FileProviderCore

extension TreeSelection {
    /// Selects by the patterns of ``SyncFilter`` and by a list of paths.
    ///
    /// - Parameters:
    ///   - including: If there are any, only what matches one of them takes part, with all that is in it.
    ///   - excluding: What matches one of them takes no part, nor does what is in it, whatever else says so.
    ///   - paths: If given, only these items take part, with all that is in them. They count from the folder that the
    ///     copy or removal begins with; the root is that folder.
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

    /// Reads one line of a list of paths, such as `find` prints: a slash or `./` in front changes nothing.
    ///
    /// - Returns: The path, counted from the folder that is listed; nil for an empty line.
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

    /// What includes whatever `pattern` matches, and all in it.
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
