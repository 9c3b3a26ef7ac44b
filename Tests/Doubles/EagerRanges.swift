package import FileProviderCore

extension RangePace.Limits {
    /// Tries as many ranges as there may be, however small the file is, and whatever they bring.
    package static var eager: RangePace.Limits {
        var limits = RangePace.Limits()
        (limits.minFileSize, limits.minRest, limits.maxRate) = (1, 0, .infinity)
        (limits.minGrowth, limits.interval) = (0, 0...0)
        return limits
    }
}
