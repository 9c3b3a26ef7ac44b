extension ZIPArchive {
    /// Repairs, entries that were left out, the encoding that was assumed for names, and bytes outside the archive.
    public var warnings: [ContentWarning] {
        let strangers = [
            Self.stray(directory.bytesBefore, tag: "bytes-before-archive", position: "in front of"),
            Self.stray(directory.bytesBehind, tag: "bytes-behind-archive", position: "behind"),
        ]
        let others = [directory.nameWarning] + strangers
        return repairWarnings + directory.leftOutEntries.warnings + others.compactMap(\.self)
    }

    private static func stray(_ count: Int64, tag: String, position: String) -> ContentWarning? {
        guard count > 0 else { return nil }
        let sentence =
            count == 1
            ? "One byte \(position) the archive is no part of it; it was ignored."
            : "\(count) bytes \(position) the archive are no part of it; they were ignored."
        return ContentWarning(tag, severity: .minor, message: sentence)
    }
}
