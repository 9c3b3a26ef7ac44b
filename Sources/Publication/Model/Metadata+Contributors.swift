extension Metadata {
    /// The contributors with the role `role`.
    public subscript(role: ContributorRole) -> [Contributor] {
        get { contributorsByRole[role] ?? [] }
        set { contributorsByRole[role] = newValue.isEmpty ? nil : newValue }
    }

    /// The people who wrote it.
    public var authors: [Contributor] {
        get { self[.author] }
        set { self[.author] = newValue }
    }

    /// The people who translated it.
    public var translators: [Contributor] {
        get { self[.translator] }
        set { self[.translator] = newValue }
    }

    /// The people who edited it.
    public var editors: [Contributor] {
        get { self[.editor] }
        set { self[.editor] = newValue }
    }

    /// The people who drew it.
    public var artists: [Contributor] {
        get { self[.artist] }
        set { self[.artist] = newValue }
    }

    /// The people who illustrated it.
    public var illustrators: [Contributor] {
        get { self[.illustrator] }
        set { self[.illustrator] = newValue }
    }

    /// The people who lettered it.
    public var letterers: [Contributor] {
        get { self[.letterer] }
        set { self[.letterer] = newValue }
    }

    /// The people who penciled it.
    public var pencilers: [Contributor] {
        get { self[.penciler] }
        set { self[.penciler] = newValue }
    }

    /// The people who coloured it.
    public var colorists: [Contributor] {
        get { self[.colorist] }
        set { self[.colorist] = newValue }
    }

    /// The people who inked it.
    public var inkers: [Contributor] {
        get { self[.inker] }
        set { self[.inker] = newValue }
    }

    /// The people who read it aloud.
    public var narrators: [Contributor] {
        get { self[.narrator] }
        set { self[.narrator] = newValue }
    }

    /// The people who had another part in it.
    public var contributors: [Contributor] {
        get { self[.contributor] }
        set { self[.contributor] = newValue }
    }

    /// The people and companies that published it.
    public var publishers: [Contributor] {
        get { self[.publisher] }
        set { self[.publisher] = newValue }
    }

    /// The names under which the publishers published it.
    public var imprints: [Contributor] {
        get { self[.imprint] }
        set { self[.imprint] = newValue }
    }
}
