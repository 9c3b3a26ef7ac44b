// Names that were changed, for apps that use them still.
public import Foundation

/// The name that ``CollectedValues`` had.
@available(*, deprecated, renamed: "CollectedValues")
public typealias Collected<Value> = CollectedValues<Value>

extension WatchOptions {
    /// The name that ``minInterval`` had.
    @available(*, deprecated, renamed: "minInterval")
    public var shortestInterval: Double {
        get { minInterval }
        set { minInterval = newValue }
    }

    /// The name that ``maxInterval`` had.
    @available(*, deprecated, renamed: "maxInterval")
    public var longestInterval: Double {
        get { maxInterval }
        set { maxInterval = newValue }
    }

    /// The name that ``maxPending`` had.
    @available(*, deprecated, renamed: "maxPending")
    public var mostPending: Int {
        get { maxPending }
        set { maxPending = newValue }
    }

    /// With the labels that ``minInterval``, ``maxInterval`` and ``maxPending`` had.
    @available(*, deprecated, renamed: "init(isRecursive:window:minInterval:maxInterval:maxPending:alwaysPolls:)")
    @_disfavoredOverload
    public init(
        isRecursive: Bool = true, window: Double = 0.1, shortestInterval: Double = 2, longestInterval: Double = 60,
        mostPending: Int = 65_536, alwaysPolls: Bool = false
    ) {
        self.init(
            isRecursive: isRecursive, window: window, minInterval: shortestInterval, maxInterval: longestInterval,
            maxPending: mostPending, alwaysPolls: alwaysPolls)
    }
}

extension CachePolicy {
    /// The name that ``maxItems`` had.
    @available(*, deprecated, renamed: "maxItems")
    public var mostItems: Int {
        get { maxItems }
        set { maxItems = newValue }
    }

    /// With the label that ``maxItems`` had.
    @available(*, deprecated, renamed: "init(lifetime:maxItems:folder:capacity:largestFile:validates:)")
    public init(
        lifetime: Double = 0, mostItems: Int, folder: String? = nil, capacity: Int64 = 256 << 20,
        largestFile: Int64 = 1 << 20, validates: Bool = true
    ) {
        self.init(
            lifetime: lifetime, maxItems: mostItems, folder: folder, capacity: capacity, largestFile: largestFile,
            validates: validates)
    }
}

extension CopyTap {
    /// The name that ``maxAtOnce`` had.
    @available(*, deprecated, renamed: "maxAtOnce")
    public var mostAtOnce: Int { maxAtOnce }
}

extension NamedConnections {
    /// The name that ``maxFileSize`` had.
    @available(*, deprecated, renamed: "maxFileSize")
    public static var largestFile: Int { maxFileSize }
}

extension ConfigurationFile {
    /// The name that ``maxSize`` had.
    @available(*, deprecated, renamed: "maxSize")
    public static var largest: Int { maxSize }
}

extension TextMatch {
    /// The form without a label that ``equals(_:options:)`` had.
    @available(*, deprecated, renamed: "equals(_:options:)")
    public static func equals(_ text: String, _ options: Options) -> Self { equals(text, options: options) }

    /// The form without a label that ``begins(_:options:)`` had.
    @available(*, deprecated, renamed: "begins(_:options:)")
    public static func begins(_ text: String, _ options: Options) -> Self { begins(text, options: options) }

    /// The form without a label that ``ends(_:options:)`` had.
    @available(*, deprecated, renamed: "ends(_:options:)")
    public static func ends(_ text: String, _ options: Options) -> Self { ends(text, options: options) }

    /// The form without a label that ``contains(_:options:)`` had.
    @available(*, deprecated, renamed: "contains(_:options:)")
    public static func contains(_ text: String, _ options: Options) -> Self { contains(text, options: options) }

    /// The form without a label that ``like(_:options:)`` had.
    @available(*, deprecated, renamed: "like(_:options:)")
    public static func like(_ text: String, _ options: Options) -> Self { like(text, options: options) }

    /// The form without a label that ``glob(_:options:)`` had.
    @available(*, deprecated, renamed: "glob(_:options:)")
    public static func glob(_ text: String, _ options: Options) -> Self { glob(text, options: options) }
}

extension FileError {
    /// The form without a label that ``notAsListed(_:file:url:)`` had.
    @available(*, deprecated, renamed: "notAsListed(_:file:url:)")
    public static func notAsListed(_ path: ProviderPath, _ file: UnexpectedFile, url: URL? = nil) -> CocoaError {
        notAsListed(path, file: file, url: url)
    }
}
