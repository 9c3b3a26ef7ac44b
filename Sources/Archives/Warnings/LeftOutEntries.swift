/// Entries that an archive has and does not give, or not under their names, told apart by the reason.
struct LeftOutEntries: Hashable, Sendable {
    /// Those whose names could lead out of the root, or name nothing.
    var unsafe = CountedNames()
    /// Those whose names begin with a slash, which are given without it.
    var rooted = CountedNames()
    /// Files called like an earlier entry.
    var repeated = CountedNames()
    /// Links and devices, which stand for something else.
    var special = CountedNames()

    var warnings: [ContentWarning] {
        [
            unsafe.warning(
                "unsafe-entry", severity: .moderate,
                one: "in the archive is a name that may lead out of it, or names nothing; the entry was left out.",
                many: "in the archive are names that may lead out of it, or name nothing; the entries were left out."),
            rooted.warning(
                "rooted-entry", severity: .minor,
                one: "in the archive begins with a slash; it was taken for a name below the archive's root.",
                many: "in the archive begin with a slash; they were taken for names below the archive's root."),
            repeated.warning(
                "repeated-entry", severity: .moderate, one: "is in the archive more than once; the first entry counts.",
                many: "are in the archive more than once; the first entry of each name counts."),
            special.warning(
                "special-entry", severity: .moderate, one: "is a link or a device, not a file; it was left out.",
                many: "are links or devices, not files; they were left out."),
        ].compactMap(\.self)
    }
}
