import Foundation

/// The file name that a server suggests in `Content-Disposition` (RFC 6266).
package enum ContentDisposition {
    /// Returns the name without leading folders; nil if the field has none.
    ///
    /// A valid `filename*` takes precedence over `filename` (RFC 6266, section 4.3).
    package static func fileName(in field: String) -> String? {
        var field = field
        let parameters = field.withUTF8 { bytes in
            var scanner = MediaTypeScanner(bytes)
            return scanner.scanParametersOnly()
        }
        guard let name = parameters["filename*"].flatMap(extendedValue) ?? parameters["filename"] else { return nil }
        // A name must not lead to another folder (RFC 6266, section 4.3); Windows separates folders by a backslash.
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
        return last.flatMap { $0 == "." || $0 == ".." ? nil : $0 }
    }

    /// The extension of that name, without a dot.
    package static func fileExtension(in field: String) -> String? {
        guard let name = fileName(in: field), let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            return nil
        }
        let rest = name[name.index(after: dot)...].trimmingCharacters(in: .whitespaces)
        return rest.isEmpty ? nil : rest
    }

    /// Decodes `UTF-8'en'name%20of%20file.epub` (RFC 8187, section 3.2); nil for another form.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let encoding = String.Encoding(ianaName: String(parts[0])) else { return nil }
        return unescaped(parts[2]).flatMap { String(bytes: $0, encoding: encoding) }
    }

    private static func unescaped(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
