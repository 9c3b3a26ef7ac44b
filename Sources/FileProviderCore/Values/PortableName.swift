import Foundation

/// Names of files that can be used on every storage.
package enum PortableName {
    /// The longest name without its extension, in bytes: most storages take 255 in all.
    private static let longest = 150

    /// Characters that are separators, or that Windows refuses in names.
    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]

    /// Returns `text` as a name without its extension: without slashes and characters that Windows refuses, without dots
    /// and spaces at its ends, and 150 bytes at most; empty if nothing is left.
    package static func of(_ text: String) -> String {
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
        while name.utf8.count > longest { name.removeLast() }
        let ends: Set<Character> = [".", " "]
        while let last = name.last, ends.contains(last) { name.removeLast() }
        name = String(name.drop { ends.contains($0) })
        return devices.contains(name.split(separator: ".").first?.uppercased() ?? "") ? "_\(name)" : name
    }

    /// Names that Windows keeps for devices, whatever their extension.
    private static let devices: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL"] + (1...9).flatMap { ["COM\($0)", "LPT\($0)"] })
}
