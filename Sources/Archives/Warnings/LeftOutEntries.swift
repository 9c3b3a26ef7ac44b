/// Entries of an archive that are left out or renamed, by reason.
struct LeftOutEntries: Hashable, Sendable {
    /// Names that could lead out of the root, or name nothing.
    var unsafe = CountedNames()
    /// Names that begin with a slash, which is removed.
    var rooted = CountedNames()
    /// Files with the name of an earlier entry.
    var repeated = CountedNames()
    /// Links and devices, which are not files.
    var special = CountedNames()

    var warnings: [ContentWarning] {
        [
            unsafe.warning(
                "unsafe-entry", severity: .moderate,
                one: "in the archive is an unsafe or empty name; the entry was left out.",
                many: "in the archive are unsafe or empty names; the entries were left out."),
            rooted.warning(
                "rooted-entry", severity: .minor,
                one: "in the archive begins with a slash; it was read as a name below the archive's root.",
                many: "in the archive begin with a slash; they were read as names below the archive's root."),
            repeated.warning(
                "repeated-entry", severity: .moderate,
                one: "is in the archive more than once; the first entry was used.",
                many: "are in the archive more than once; the first entry of each name was used."),
            special.warning(
                "special-entry", severity: .moderate, one: "is a link or a device, not a file; it was left out.",
                many: "are links or devices, not files; they were left out."),
        ].compactMap(\.self)
    }
}
