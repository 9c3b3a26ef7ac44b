import CCrypto
package import Foundation

/// A password's hash by scrypt (RFC 7914), with its salt and cost, as it is stored.
///
/// Computing one takes the memory and time that its parameters say: with ``Parameters/standard`` 32 MiB and about a tenth
/// of a second. It blocks its thread.
package struct PasswordHash: Sendable {
    /// The cost of a hash.
    package struct Parameters: Hashable, Sendable {
        /// The binary logarithm of N, the number of blocks in memory; 1 to 24.
        package let logarithm: Int
        /// r; a block has 128 bytes for each. 1 to 64.
        package let blockSize: Int
        /// p, the number of independent passes; 1 to 16.
        package let passes: Int

        /// N = 2^15, r = 8, p = 1.
        package static let standard = Parameters(logarithm: 15, blockSize: 8, passes: 1)!

        /// Nil for a cost beyond the limits, or one of more than 256 MiB.
        package init?(logarithm: Int, blockSize: Int, passes: Int) {
            guard (1...24).contains(logarithm), (1...64).contains(blockSize), (1...16).contains(passes),
                (128 * blockSize) << logarithm <= 256 << 20, logarithm < 16 * blockSize
            else { return nil }
            self.logarithm = logarithm
            self.blockSize = blockSize
            self.passes = passes
        }

        /// More than the algorithm's own arrays: B, V and its working blocks (RFC 7914, sections 4 to 6).
        fileprivate var memoryLimit: UInt64 {
            UInt64(128 * blockSize) * (UInt64(1) << UInt64(logarithm) + UInt64(passes) + 16)
        }
    }

    package let parameters: Parameters
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Computes the hash of `password` with a random salt of 16 bytes.
    package init(of password: some ContiguousBytes, _ parameters: Parameters = .standard) {
        var numbers = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        self.init(of: password, salt: salt, parameters)
    }

    private init(of password: some ContiguousBytes, salt: [UInt8], _ parameters: Parameters) {
        self.parameters = parameters
        self.salt = salt
        hash = Self.derive(password, salt: salt, parameters, count: 32)
    }

    /// Nil for text that is not ``text``, such as one with a cost beyond the limits.
    package init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let parameters = Self.parameters(parts[2]),
            let salt = Self.decoded(parts[3]), let hash = Self.decoded(parts[4]), (8...64).contains(salt.count),
            (16...64).contains(hash.count)
        else { return nil }
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }

    /// The stored form: `$scrypt$ln=15,r=8,p=1$SALT$HASH`, both in base 64 without padding.
    package var text: String {
        let cost = "ln=\(parameters.logarithm),r=\(parameters.blockSize),p=\(parameters.passes)"
        return "$scrypt$\(cost)$\(Self.encoded(salt))$\(Self.encoded(hash))"
    }

    /// Whether this is the hash of `password`. The time doesn't depend on where they differ.
    package func matches(_ password: some ContiguousBytes) -> Bool {
        ConstantTime.areEqual(Self.derive(password, salt: salt, parameters, count: hash.count), hash)
    }

    /// Whether a new hash of the same password should replace this one.
    package func needsRehash(_ wanted: Parameters = .standard) -> Bool { parameters != wanted }

    // MARK: Text

    private static func parameters(_ text: Substring) -> Parameters? {
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        let names = ["ln=", "r=", "p="]
        guard fields.count == names.count else { return nil }
        let numbers = zip(fields, names).compactMap { field, name -> Int? in
            guard field.hasPrefix(name), field.count <= name.count + 3 else { return nil }
            let digits = field.dropFirst(name.count)
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
        }
        guard numbers.count == names.count else { return nil }
        return Parameters(logarithm: numbers[0], blockSize: numbers[1], passes: numbers[2])
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }

    private static func decoded(_ text: Substring) -> [UInt8]? {
        if text.utf8.count > 128 || text.utf8.contains(UInt8(ascii: "=")) { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { [UInt8]($0) }
    }

    // MARK: scrypt

    /// Returns `count` bytes that scrypt derives. Source: EVP_PBE_scrypt(3).
    package static func derive(
        _ password: some ContiguousBytes, salt: some ContiguousBytes, _ parameters: Parameters, count: Int
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            let isDone = password.withUnsafeBytes { password in
                salt.withUnsafeBytes { salt in
                    // Null stands for "only check the cost", so an empty password needs an address.
                    withUnsafeBytes(of: UInt8(0)) { nothing in
                        EVP_PBE_scrypt_ex(
                            (password.baseAddress ?? nothing.baseAddress)?.assumingMemoryBound(to: CChar.self),
                            password.count,
                            (salt.baseAddress ?? nothing.baseAddress)?.assumingMemoryBound(to: UInt8.self), salt.count,
                            UInt64(1) << UInt64(parameters.logarithm), UInt64(parameters.blockSize),
                            UInt64(parameters.passes), parameters.memoryLimit, output.baseAddress, count,
                            HashLibrary.shared.context, HashLibrary.properties) == 1
                    }
                }
            }
            guard isDone else { HashLibrary.fail("compute a password's hash") }
            initialized = count
        }
    }
}
