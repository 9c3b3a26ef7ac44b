extension Error {
    /// The sentence of the error on one line of at most 1,000 characters, without secrets.
    package var loggedSentence: String { LogText.shown(Secrets.removed(from: sentence), limit: 1000) }
}
