/// The problem with a database file.
package struct DatabaseProblem: Error, Hashable {
    package enum Kind: Hashable {
        /// The content is damaged.
        case damaged
        /// The version is newer than this program's.
        case newer(Int)
        /// The database belongs to another program.
        case foreign
    }

    package let kind: Kind
    /// Details, without a full stop.
    package let detail: String

    package init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
