import Foundation
import MediaTypes

extension LicensePackage {
    /// The longest name without its extension, in bytes: most storages take 255 in all.
    private static let longestName = 150

    /// Returns a name for the publication of `license`: the title of its link, or the end of its address, or its id,
    /// with the extension of the link's media type.
    ///
    /// The name can be used on every storage: it has no slash, no character that Windows refuses, and no dot or space at
    /// its ends.
    public static func suggestedName(for license: LicenseDocument) -> String {
        let link = license.link("publication")
        let address = link?.url()?.lastPathComponent ?? ""
        let end = fileExtension(of: link?.type) ?? fileExtension(ofName: address)
        let name = [link?.title ?? "", base(of: address), license.id].lazy.map(safe).first { !$0.isEmpty }
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

    /// Characters that are separators, or that Windows refuses in names.
    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]

    private static func safe(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: scalars.append(" ")
            // Joiners belong to words; other marks may turn the direction of the text, and hide the real extension.
            case .format where scalar.value != 0x200C && scalar.value != 0x200D: break
            case .privateUse, .unassigned: break
            default: scalars.append(refused.contains(scalar) ? " " : scalar)
            }
        }
        var name = String(scalars).split(separator: " ").joined(separator: " ")
        while name.utf8.count > longestName { name.removeLast() }
        let ends: Set<Character> = [".", " "]
        while let last = name.last, ends.contains(last) { name.removeLast() }
        name = String(name.drop { ends.contains($0) })
        return devices.contains(name.split(separator: ".").first?.uppercased() ?? "") ? "_\(name)" : name
    }

    /// Names that Windows keeps for devices, whatever their extension.
    private static let devices: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })
}
