import Cryptography
import Foundation

/// The secret of a server, of which its sessions, forms and reading addresses are made.
struct ShelfKey: Sendable {
    private let secret: Data

    /// - Parameter secret: 16 bytes or more.
    init(_ secret: Data) { self.secret = secret }

    /// Returns 32 random bytes.
    static func random() -> Data {
        var numbers = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
    }

    /// Returns 160 bits that only this server can make of `text`, in base 64 for paths.
    ///
    /// - Parameter purpose: Tells values of different use apart; without a line break.
    func code(_ purpose: String, _ text: String) -> String {
        let code = HMAC.code(of: Data("carrel shelf \(purpose)\n\(text)".utf8), key: secret, .sha256)
        return ShelfKey.pathText(Data(code.bytes.prefix(20)))
    }

    /// Whether `code` was made of `text`, in a time that says nothing about it.
    func isCode(_ code: String, _ purpose: String, _ text: String) -> Bool {
        ConstantTime.areEqual(Data(code.utf8), Data(self.code(purpose, text).utf8))
    }

    /// Base 64 for paths, without padding (RFC 4648, section 5).
    static func pathText(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: Reading addresses

    /// The segment of the path under which `user` reads a book: `12-3-CODE`. Chapters in a sandbox have no cookies, so
    /// the address itself is the permission, until the password changes.
    func readingSegment(book: Int64, user: User) -> String {
        "\(book)-\(user.id)-" + code("reading", Self.reading(book, user))
    }

    /// The numbers in `segment`, of which nothing is proven yet; nil for another form.
    static func numbers(inReadingSegment segment: String) -> (book: Int64, user: Int64, code: String)? {
        let parts = segment.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let book = number(parts[0]), let user = number(parts[1]) else { return nil }
        return (book, user, String(parts[2]))
    }

    /// Whether `code` is that of the segment for `user`, with the present password.
    func isReadingCode(_ code: String, book: Int64, user: User) -> Bool {
        isCode(code, "reading", Self.reading(book, user))
    }

    private static func reading(_ book: Int64, _ user: User) -> String {
        "\(book)\n\(user.id)\n\(user.passwordVersion)"
    }

    /// Digits alone, without zeros in front, so that each address has one spelling.
    private static func number(_ text: Substring) -> Int64? {
        guard let number = Int64(text), number >= 0, String(number) == text else { return nil }
        return number
    }
}
