import Archives

extension Fetcher {
    /// Returns a fetcher that wraps this one and makes obfuscated fonts readable; this one if there are none.
    ///
    /// - Parameters:
    ///   - fonts: The algorithm of each font, by its address in the publication.
    ///   - identifiers: The identifiers of the book, its unique one first.
    func deobfuscating(
        _ fonts: [String: FontDeobfuscator.Algorithm], identifiers: [String], warnings: WarningLog
    ) -> any Fetcher {
        guard !fonts.isEmpty else { return self }
        let deobfuscator = FontDeobfuscator(identifiers: identifiers, algorithms: fonts)
        if Set(fonts.values).contains(where: { !deobfuscator.hasKey(for: $0) }) {
            let sentence =
                "Fonts of the book are obfuscated with an identifier that it does not have; they cannot be read."
            warnings.warn("missing-obfuscation-key", severity: .moderate, message: sentence)
        }
        return TransformingFetcher(self, label: "deobfuscation", transformer: deobfuscator.transformer)
    }
}

extension Manifest {
    /// The fonts that the publication's links mark as obfuscated, by address; without fonts elsewhere on the web.
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
