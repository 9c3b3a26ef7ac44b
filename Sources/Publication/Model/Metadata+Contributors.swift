extension Metadata {
    /// Those who had the part `role` in the publication.
    public subscript(role: ContributorRole) -> [Contributor] {
        get { contributorsByRole[role] ?? [] }
        set { contributorsByRole[role] = newValue.isEmpty ? nil : newValue }
    }

    /// Who wrote it.
    public var authors: [Contributor] {
        get { self[.author] }
        set { self[.author] = newValue }
    }

    /// Who translated it.
    public var translators: [Contributor] {
        get { self[.translator] }
        set { self[.translator] = newValue }
    }

    /// Who edited it.
    public var editors: [Contributor] {
        get { self[.editor] }
        set { self[.editor] = newValue }
    }

    /// Who drew it.
    public var artists: [Contributor] {
        get { self[.artist] }
        set { self[.artist] = newValue }
    }

    /// Who illustrated it.
    public var illustrators: [Contributor] {
        get { self[.illustrator] }
        set { self[.illustrator] = newValue }
    }

    /// Who lettered it.
    public var letterers: [Contributor] {
        get { self[.letterer] }
        set { self[.letterer] = newValue }
    }

    /// Who penciled it.
    public var pencilers: [Contributor] {
        get { self[.penciler] }
        set { self[.penciler] = newValue }
    }

    /// Who coloured it.
    public var colorists: [Contributor] {
        get { self[.colorist] }
        set { self[.colorist] = newValue }
    }

    /// Who inked it.
    public var inkers: [Contributor] {
        get { self[.inker] }
        set { self[.inker] = newValue }
    }

    /// Who reads it aloud.
    public var narrators: [Contributor] {
        get { self[.narrator] }
        set { self[.narrator] = newValue }
    }

    /// Who had another part in it.
    public var contributors: [Contributor] {
        get { self[.contributor] }
        set { self[.contributor] = newValue }
    }

    /// Who published it.
    public var publishers: [Contributor] {
        get { self[.publisher] }
        set { self[.publisher] = newValue }
    }

    /// The names under which the publishers did.
    public var imprints: [Contributor] {
        get { self[.imprint] }
        set { self[.imprint] = newValue }
    }
}
