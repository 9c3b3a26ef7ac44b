public import Publication

extension LCPProblem: ContentProtectionError {
    /// ``/Publication/OpeningFailure/incorrectCredentials`` if the passphrase is missing or wrong, else the kind of
    /// ``underlying``: refusals are forbidden, damage is a failure of parsing, a provider that does not answer is
    /// unavailable.
    public var openingFailure: OpeningFailure {
        switch kind {
        case .passphraseNeeded, .wrongPassphrase: .incorrectCredentials
        default: OpeningFailure(underlying)
        }
    }
}
