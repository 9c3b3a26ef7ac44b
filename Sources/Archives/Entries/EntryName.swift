/// Names of ZIP entries: decodes them and converts them to paths that cannot leave the archive's root.
package enum EntryName {
    /// Returns the name in a header, and its bytes if nothing declares their encoding: `text` then decodes them as code
    /// page 437.
    ///
    /// Valid UTF-8 takes precedence, then Info-ZIP's Unicode path, unless bit 11 makes that unnecessary. A name in
    /// ASCII may be a substitute for the Unicode path.
    package static func read(
        _ name: UnsafeRawBufferPointer, flags: UInt16, extra: UnsafeRawBufferPointer
    ) -> (text: String, undecided: [UInt8]?) {
        let mayHaveField = flags & 0x800 == 0 && !extra.isEmpty
        if let text = String(validating: name, as: UTF8.self) {
            guard mayHaveField, name.allSatisfy({ $0 < 0x80 }) else { return (text, nil) }
            return (unicodePath(in: extra, for: name) ?? text, nil)
        }
        if mayHaveField, let text = unicodePath(in: extra, for: name) { return (text, nil) }
        return (codePage437(name), Array(name))
    }

    /// Returns the Unicode path extra field 0x7075 (APPNOTE.TXT, section 4.6.9), which is valid only for the name that
    /// it was made for.
    private static func unicodePath(in extra: UnsafeRawBufferPointer, for name: UnsafeRawBufferPointer) -> String? {
        guard let field = extra.extraField(0x7075), field.count > 5, field[0] == 1 else { return nil }
        var checksum = CRC32()
        checksum.update(name)
        guard checksum.value == field.u32(1) else { return nil }
        return String(validating: UnsafeRawBufferPointer(rebasing: field[5...]), as: UTF8.self)
    }

    /// Decodes a name (APPNOTE.TXT, appendix D).
    ///
    /// UTF-8 if the bytes are valid UTF-8, else code page 437. Bit 11 is not required: many writers forget it, EPUB
    /// requires UTF-8 anyway, and a name in code page 437 that happens to be valid UTF-8 would consist of box-drawing
    /// characters.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> String {
        String(validating: bytes, as: UTF8.self) ?? codePage437(bytes)
    }

    /// Decodes bytes as code page 437, in which every byte is a character.
    package static func codePage437(_ bytes: UnsafeRawBufferPointer) -> String {
        String(String.UnicodeScalarView(bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : codePage437[Int($0) - 0x80] }))
    }

    /// Returns the name as a path below the root: backslashes become slashes; a leading `./` or slash is removed.
    ///
    /// - Returns: Nil for a name that could lead outside, or names nothing: another machine, a drive, `..`, NUL, an
    ///   empty name.
    package static func confined(_ name: String) -> String? {
        if isPlain(name) { return name }
        // Bytes, not characters: a combining mark after a slash must not hide it.
        let slash = UInt8(ascii: "/")
        let slashed = name.utf8.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
        // One leading slash means the archive's root, two mean another machine.
        let below = slashed.first == slash ? slashed.dropFirst() : slashed[...]
        guard !slashed.contains(0), below.first != slash else { return nil }
        var parts = below.split(separator: slash, omittingEmptySubsequences: false)
        if parts.contains(where: { $0.elementsEqual("..".utf8) }) { return nil }
        parts.removeAll { $0.elementsEqual(".".utf8) }
        // The rest after a `./` may look like a root or a drive.
        let kept = Array(parts.drop(while: \.isEmpty).joined(separator: [slash]))
        return kept.isEmpty || hasDrive(kept) ? nil : String(decoding: kept, as: UTF8.self)
    }

    /// Returns whether the name begins with a slash of either kind.
    package static func isRooted(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "/") || name.utf8.first == UInt8(ascii: "\\")
    }

    /// Returns whether the name means the archive's root, which some writers list first.
    package static func isRoot(_ name: String) -> Bool { name == "." || name == "./" }

    /// A fast check for names that need no further inspection.
    private static func isPlain(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            // At the start of a part, only letters, digits, `_` and bytes beyond ASCII pass.
            var isStart = true
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "/"):
                    if isStart { return false }
                    isStart = true
                case 0, UInt8(ascii: "\\"), UInt8(ascii: ":"): return false
                case UInt8(ascii: "."):
                    if isStart { return false }
                default: isStart = false
                }
            }
            return !bytes.isEmpty
        }
    }

    private static func hasDrive(_ name: [UInt8]) -> Bool {
        name.count > 2 && name[1] == UInt8(ascii: ":") && name[2] == UInt8(ascii: "/")
    }

    /// Code page 437 from 0x80 on. Source: the table that the Unicode consortium publishes as CP437.TXT.
    private static let codePage437: [Unicode.Scalar] = Array(
        """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
        αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """.unicodeScalars)
}
