extension EPUBMetadataParser {
    /// The package's accessibility metadata (EPUB Accessibility 1.1, section 2); nil if there are none.
    ///
    /// EPUB 3 writes properties and links, EPUB 2 names with a `content`; both are read in both.
    var accessibility: Accessibility? {
        let source = package.metadata
        var result = Accessibility()
        result.accessModes = source.values("schema:accessMode")
        result.accessModesSufficient = source.values("schema:accessModeSufficient").map(Self.list).filter {
            !$0.isEmpty
        }
        result.features = source.values("schema:accessibilityFeature")
        result.hazards = source.values("schema:accessibilityHazard")
        result.summary = source.values("schema:accessibilitySummary").first
        result.conformsTo = source.linked("dcterms:conformsTo") + source.values("dcterms:conformsTo")
        result.exemption = source.values("a11y:exemption").first
        let certification = Accessibility.Certification(
            certifiedBy: certifier("a11y:certifiedBy"), credential: certifier("a11y:certifierCredential"),
            report: certifier("a11y:certifierReport"))
        if certification != Accessibility.Certification() { result.certification = certification }
        return result == Accessibility() ? nil : result
    }

    /// A certifier may be declared alone, or refine the statement that it certifies.
    private func certifier(_ property: String) -> String? {
        let source = package.metadata
        let own = (source.linked(property) + source.values(property)).first
        let conformance = source.property("dcterms:conformsTo")
        return own ?? conformance.lazy.compactMap { source.refinement($0, property: property) }.first
    }

    /// The different words of a list that is separated by commas.
    private static func list(_ text: String) -> [String] {
        var seen: Set<String> = []
        return text.split(separator: ",").map { MarkupText.trimmed(String($0)) }.filter {
            !$0.isEmpty && seen.insert($0).inserted
        }
    }
}
