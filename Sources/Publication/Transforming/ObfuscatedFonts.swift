import Archives

extension Fetcher {
    /// A fetcher in front of this one that makes obfuscated fonts readable; this one where there are none.
    ///
    /// - Parameters:
    ///   - fonts: How each is obfuscated, by its address in the publication.
    ///   - identifiers: Those of the book, its unique one first.
    func deobfuscating(
        _ fonts: [String: FontDeobfuscator.Algorithm], identifiers: [String], warnings: WarningLog
    ) -> any Fetcher {
        guard !fonts.isEmpty else { return self }
        let deobfuscator = FontDeobfuscator(identifiers: identifiers, algorithms: fonts)
        if Set(fonts.values).contains(where: { !deobfuscator.hasKey(for: $0) }) {
            let sentence =
                "Fonts of the book are obfuscated with an identifier that it does not have; reading them is refused."
            warnings.warn("missing-obfuscation-key", severity: .moderate, message: sentence)
        }
        return TransformingFetcher(self, label: "deobfuscation", transformer: deobfuscator.transformer)
    }
}

extension Manifest {
    /// The fonts of the publication that its links say are obfuscated, by address; those elsewhere on the web are none
    /// of its own.
    var obfuscatedFonts: [String: FontDeobfuscator.Algorithm] {
        var fonts: [String: FontDeobfuscator.Algorithm] = [:]
        var rest = readingOrder + resources + links
        while let link = rest.popLast() {
            rest += link.alternates + link.children
            guard !link.isRemote, let encryption = link.properties.encryption,
                let href = HREFBase.root.resolve(link.href),
                let algorithm = FontDeobfuscator.Algorithm(rawValue: encryption.algorithm)
            else { continue }
            fonts[HREFBase.resource(of: href)] = algorithm
        }
        return fonts
    }
}

extension Metadata {
    /// The identifier and the further ones.
    var allIdentifiers: [String] { [identifier].compactMap(\.self) + alternateIdentifiers.map(\.value) }
}
