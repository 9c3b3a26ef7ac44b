// Former names, for apps that still use them.

extension MediaDescription {
    /// The name that ``maxChapters`` had.
    @available(*, deprecated, renamed: "maxChapters")
    public static var mostChapters: Int { maxChapters }

    /// The name that ``maxPictures`` had.
    @available(*, deprecated, renamed: "maxPictures")
    public static var mostPictures: Int { maxPictures }
}

extension CueSheet {
    /// The name that ``maxSize`` had.
    @available(*, deprecated, renamed: "maxSize")
    public static var largest: Int { maxSize }
}
