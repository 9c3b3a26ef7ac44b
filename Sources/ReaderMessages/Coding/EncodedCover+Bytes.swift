import Cryptography
public import Foundation

extension EncodedCover {
    /// Returns the bytes of the picture, without checking that they are one.
    /// - Throws: ``MessageFailure``, with a sentence for the user, if the encoding is not base64, the text is not valid
    ///   base64, or it has more than `limit` bytes.
    /// - Complexity: Linear in the text; needs up to twice its memory.
    public func decoded(limit: Int) throws -> Data {
        guard encoding.lowercased() == "base64" else {
            throw failure("its encoding is “\(StagedName.shown(encoding))” and not base64.")
        }
        guard decodedSize <= limit else { throw failure("it has more than \(limit) bytes.", .hostile) }
        var characters = Data(text.utf8)
        if characters.contains(where: MessageScanner.isSpace) { characters.removeAll(where: MessageScanner.isSpace) }
        guard !characters.isEmpty else { throw failure("it is empty.") }
        guard let data = Data(base64Encoded: characters) else { throw failure("it is not valid base64.") }
        return data
    }

    /// Creates a cover as a driver sends it: base64 without line breaks, and the MD5 of the bytes unless another hash
    /// is given.
    public init(picture: Data, hash: String? = nil) {
        self.init(hash: hash ?? Digest(.md5, of: picture).hexadecimal, text: picture.base64EncodedString())
    }

    /// The number of bytes of the decoded text, computed without decoding it.
    package var decodedSize: Int {
        var count = 0
        for byte in text.utf8 where !MessageScanner.isSpace(byte) && byte != UInt8(ascii: "=") { count += 1 }
        return count / 4 * 3 + count % 4 * 3 / 4
    }

    private func failure(_ reason: String, _ kind: MessageFailure.Kind = .malformed) -> MessageFailure {
        MessageFailure(kind, fileName: "cover", reason: reason)
    }
}
