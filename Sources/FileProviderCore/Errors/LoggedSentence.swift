extension Error {
    /// The sentence of the error on one line of at most 1,000 characters, without secrets and without characters that
    /// control a terminal.
    public var loggedSentence: String { LogText.shown(Secrets.removed(from: sentence), limit: 1000) }
}
