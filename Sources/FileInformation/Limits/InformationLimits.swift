import FileProviderCore

/// Limits for reading one file. See `Documentation/FileInformation.md`.
enum InformationLimits {
    /// Bytes of an encoded image, which is in memory while it is decoded; 64 MiB.
    static let imageBytes = 64 << 20
    /// Pixels of an image that is scaled down while it is decoded; 100 million.
    static let scalablePixels = 100_000_000
    /// Pixels of an image that must be decoded in full, at four to eight bytes each; 40 million.
    static let pixels = 40_000_000
    /// Pixels times scans of a progressive JPEG, because each scan goes over all pixels; 600 million.
    static let scannedPixels = 600_000_000
    /// Bytes of a PDF, which goes to a temporary file; 256 MiB.
    static let documentBytes: Int64 = 256 << 20
    /// Characters of one text among the properties; 16,384.
    static let text = 16_384
    /// Properties of one file; 500.
    static let properties = 500
}

/// Threads for decoders and for libraries with blocking callbacks: they compute for long, or wait.
enum InformationThreads {
    static let decoding = BlockingThreads(count: 2, name: "carrel.image")
    /// A remote file blocks one of these for as long as its server takes.
    static let tags = BlockingThreads(count: 8, name: "carrel.tags")
}

extension FileProperties {
    /// Sets `key`, unless the value is nil or there are enough properties.
    mutating func set(_ key: String, _ value: Value?) {
        guard let value, keys.count < InformationLimits.properties else { return }
        self[key] = value
    }

    /// Sets `key` to a text, shortened to the limit; ignores an empty one.
    mutating func set(_ key: String, text: String?) {
        guard let text, !text.isEmpty else { return }
        set(key, .string(String(text.prefix(InformationLimits.text))))
    }

    /// Sets `key` to one text, or to a list if there are several.
    mutating func set(_ key: String, texts: [String]) {
        let texts = texts.filter { !$0.isEmpty }.prefix(100).map { String($0.prefix(InformationLimits.text)) }
        if texts.count > 1 { set(key, .list(texts.map { .string($0) })) } else { set(key, text: texts.first) }
    }
}
