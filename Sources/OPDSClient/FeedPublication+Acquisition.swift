import MediaTypes
public import OPDS
public import Publication

extension FeedPublication {
    /// The acquisition links that lead to a file of one of the types `types`, possibly by further steps.
    ///
    /// - Parameter types: Media types, such as `application/epub+zip`; parameters make no difference.
    public func acquisitions(of types: [String]) -> [Link] {
        let wanted = types.compactMap { MediaType($0)?.canonicalized }
        return acquisitions.filter { link in
            let offered = [link.type].compactMap(\.self) + link.properties.indirectAcquisitions.flatMap(\.finalTypes)
            return offered.contains { MediaType($0)?.canonicalized.matchesAny(wanted) == true }
        }
    }

    /// The acquisition link to follow for a reader of the types `types`: one of them if there is any, rather one without
    /// a purchase, loan or subscription, and of those rather the file itself than a voucher for it; nil if only samples
    /// are offered.
    public func preferredAcquisition(of types: [String] = []) -> Link? {
        let fitting = acquisitions(of: types).filter { $0.acquisitionRelation != .sample }
        let links = acquisitions.filter { $0.acquisitionRelation != .sample }
        return Self.preferred(of: fitting) ?? Self.preferred(of: links)
    }

    private static func preferred(of links: [Link]) -> Link? {
        let direct = links.filter(\.isDirect)
        return direct.first { $0.properties.indirectAcquisitions.isEmpty } ?? direct.first ?? links.first
    }
}

extension Link {
    /// Whether the file is given without a purchase, loan or subscription, as far as the catalogue says.
    fileprivate var isDirect: Bool { acquisitionRelation == .openAccess || acquisitionRelation == .acquisition }
}
