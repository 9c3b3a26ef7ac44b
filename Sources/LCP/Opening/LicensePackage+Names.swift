import FileProviderCore
import Foundation
import MediaTypes

extension LicensePackage {
    /// Returns a name for the publication of `license`: the title of its link, or the end of its address, or its id,
    /// with the extension of the link's media type.
    ///
    /// The name can be used on every storage: it has no slash, no character that Windows refuses, and no dot or space at
    /// its ends.
    public static func suggestedName(for license: LicenseDocument) -> String {
        let link = license.link("publication")
        let address = link?.url()?.lastPathComponent ?? ""
        let end = fileExtension(of: link?.type) ?? fileExtension(ofName: address)
        let name = [link?.title ?? "", base(of: address), license.id].lazy.map(PortableName.of).first { !$0.isEmpty }
        return [name ?? "publication", end].compactMap(\.self).joined(separator: ".")
    }

    /// Packages whose extension readers know.
    private static let packages: [MediaType] = [
        .epub, .lcpProtectedAudiobook, .lcpProtectedPDF, .readiumAudiobook, .readiumWebPub, .divina,
    ]

    private static func fileExtension(of type: String?) -> String? {
        guard let type = type.flatMap({ MediaType($0) }) else { return nil }
        return packages.first { $0.contains(type) }?.fileExtension
    }

    private static func fileExtension(ofName name: String) -> String? {
        packages.lazy.compactMap(\.fileExtension).first { name.lowercased().hasSuffix(".\($0)") }
    }

    private static func base(of name: String) -> String {
        fileExtension(ofName: name).map { String(name.dropLast($0.count + 1)) } ?? name
    }
}
