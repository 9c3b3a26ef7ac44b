import Archives

/// Reads a Readium manifest and warns of what it ignores.
struct ReadiumManifestReader {
    private let asset: PublicationAsset
    private let warnings: WarningLog

    init(_ asset: PublicationAsset, warnings: WarningLog) {
        self.asset = asset
        self.warnings = warnings
    }

    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with metadata.
    func manifest(_ json: JSONValue) throws -> Manifest {
        guard case .object(var members) = json, var metadata = json["metadata"]?.objectValue else {
            throw asset.damaged("is damaged: its manifest has no metadata.")
        }
        if json["metadata"]?["title"].flatMap(LocalizedString.init(json:)) == nil {
            warnings.warn(
                "missing-title", severity: .moderate,
                message: "The manifest has no title; the name of the file is used instead.")
            metadata["title"] = .string(asset.nameWithoutExtension)
            members["metadata"] = .object(metadata)
        }
        let manifest = try Manifest(json: .object(members))
        check(manifest.metadata, json: metadata)
        check(json)
        for (list, count) in NestedLinks(json).invalid {
            warnings.warn(
                "invalid-link", severity: .moderate,
                message: "\(count) of \(list) in the manifest are not links; they were left out.")
        }
        if manifest.readingOrder.isEmpty {
            warnings.warn(
                "missing-reading-order", severity: .major,
                message: "The manifest has no reading order, so there is nothing to read; it was opened without one.")
        }
        return manifest
    }

    /// Warns of single-form members of the metadata that could not be read.
    private func check(_ metadata: Metadata, json: [String: JSONValue]) {
        let missing: [(key: String, isMissing: Bool)] = [
            ("identifier", metadata.identifier == nil), ("modified", metadata.modified == nil),
            ("published", metadata.published == nil),
            ("duration", metadata.duration == nil), ("numberOfPages", metadata.numberOfPages == nil),
            ("readingProgression", metadata.readingProgression == nil), ("layout", metadata.layout == nil),
            ("description", metadata.description == nil), ("language", metadata.languages.isEmpty),
            ("belongsTo", metadata.belongsTo.isEmpty), ("accessibility", metadata.accessibility == nil),
        ]
        let roles = ContributorRole.allCases.map { (key: $0.rawValue, isMissing: metadata[$0].isEmpty) }
        for (key, isMissing) in missing + roles where isMissing {
            guard let value = json[key], !value.saysNothing else { continue }
            warnings.warn(
                "invalid-metadata", severity: .minor,
                message: "The manifest's “\(key)” has an invalid value; it was left out."
            )
        }
    }

    /// Warns of elements that are not links, and of resources without a media type.
    private func check(_ json: JSONValue) {
        let order = json["readingOrder"] == nil ? "spine" : "readingOrder"
        for key in ["links", order, "resources", "toc"] {
            guard let list = json[key] else { continue }
            let elements = list.oneOrMany
            let links = elements.filter { $0["href"]?.stringValue != nil }
            if links.count < elements.count {
                let count = elements.count - links.count
                warnings.warn(
                    "invalid-link", severity: key == order ? .major : .moderate,
                    message: "\(count) of “\(key)” in the manifest are not links; they were left out.")
            }
            guard key != "links", key != "toc" else { continue }
            for link in links.lazy.filter({ $0["type"]?.stringValue == nil }).prefix(WarningLog.maxCount) {
                let href = link["href"]?.stringValue ?? ""
                warnings.warn(
                    "missing-type", severity: key == "resources" ? .moderate : .major,
                    message: "“\(href)” has no media type in the manifest's “\(key)”; it was left out.")
            }
        }
    }
}

extension JSONValue {
    /// Whether a member with this value may be missing as well.
    var saysNothing: Bool { [.null, .array([]), .object([:]), "", "auto"].contains(self) }
}
