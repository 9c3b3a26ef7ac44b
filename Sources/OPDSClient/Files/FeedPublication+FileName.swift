import FileProviderCore
import Foundation
import MediaTypes
public import OPDS
public import Publication

extension FeedPublication {
    /// Returns a name for the file of `link`, one of the publication's `acquisitions`: the title, with the extension of
    /// the type that the link leads to.
    ///
    /// The name can be used on every storage: it has no slash, no character that Windows refuses, and no dot or space at
    /// its ends.
    public func suggestedFileName(for link: Link) -> String {
        let end = link.fileExtension ?? Self.fileExtension(ofAddress: link.href)
        let name = PortableName.of(metadata.title.string)
        return [name.isEmpty ? "publication" : name, end].compactMap(\.self).joined(separator: ".")
    }

    private static func fileExtension(ofAddress href: String) -> String? {
        guard let end = URL(string: href)?.pathExtension, (1...8).contains(end.utf8.count),
            end.utf8.allSatisfy({ $0 < 0x80 }), end.allSatisfy({ $0.isLetter || $0.isNumber })
        else { return nil }
        return end.lowercased()
    }
}

extension Link {
    /// The extension of the files that the link leads to, possibly by further steps; nil if none is known.
    fileprivate var fileExtension: String? {
        // The file itself, which may be a voucher for the book and not the book.
        if !mediaType.isOPDS, !mediaType.isHTML, mediaType != .binary { return mediaType.fileExtension }
        return properties.indirectAcquisitions.flatMap(\.finalTypes).lazy
            .compactMap { MediaType($0)?.canonicalized.fileExtension }.first
    }
}
